/** Routes of one's own account: preferences, picture, what waits. */
import Type, { type Static } from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { User } from '../../../kernel/db/rows.ts';
import { Count, Entity, Flag, Id, Nullable, Text } from '../../../kernel/http/entity.ts';
import { invalidParameters, unauthorized } from '../../../kernel/http/errors.ts';
import { Bool, FileParam, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import type { Avatars } from '../avatars/index.ts';
import { announceChange } from '../changes/index.ts';
import type { FailedPipelines } from '../ports.ts';
import { type UserEditing, updateUser, userReference } from '../users/index.ts';
import { countWaiting, findByPublicEmail } from './profile.queries.ts';

export interface OwnProfileDependencies {
  readonly db: Db;
  readonly editing: UserEditing;
  readonly avatars: Avatars;
  readonly externalUrl: string;
  readonly forget: () => void;
  readonly failedPipelines: FailedPipelines;
}

const Preferences = Entity('UserPreferences', {
  id: Id(),
  user_id: Id(),
  view_diffs_file_by_file: Flag(),
  show_whitespace_in_diffs: Flag(),
  pass_user_identities_to_ci_jwt: Flag(),
  timezone: Nullable(Text({ description: 'As `Europe/Berlin`' })),
});
const preferences = (user: User): Static<typeof Preferences> => ({
  id: user.id,
  user_id: user.id,
  view_diffs_file_by_file: user.view_diffs_file_by_file,
  show_whitespace_in_diffs: user.show_whitespace_in_diffs,
  pass_user_identities_to_ci_jwt: user.pass_user_identities_to_ci_jwt,
  timezone: user.timezone,
});

const Avatar = Entity('Avatar', { avatar_url: Nullable(Text()) });
const UserCounts = Entity('UserCounts', {
  merge_requests: Count({ description: 'The same as `assigned_merge_requests`' }),
  assigned_merge_requests: Count(),
  review_requested_merge_requests: Count(),
  todos: Count({ description: 'Pending to-dos' }),
  failed_pipelines: Count({ description: 'Failed pipelines of the caller that no newer pipeline has replaced' }),
  waiting: Count({
    description: 'All of them, where a merge request with a to-do or with two roles of the caller counts once',
  }),
});

const common = { credentials: ['token', 'session'], tag: 'Users' } as const;
const own = { on: 'instance', ability: 'signed_in' } as const;
const reading = ['api', 'read_api', 'read_user'];

function selfOf(caller: Caller): User {
  if (!caller.user) throw unauthorized();
  return caller.user;
}

export function ownProfileRoutes(deps: OwnProfileDependencies): Route[] {
  const { db, editing, avatars, externalUrl, forget, failedPipelines } = deps;
  return [
    route({
      ...common,
      method: 'GET',
      path: '/user/preferences',
      summary: 'Get your preferences',
      scopes: reading,
      access: own,
      params: Type.Object({}),
      responses: { 200: Preferences },
      handler: async ({ caller }) => preferences(selfOf(caller)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/user/preferences',
      summary: 'Update your preferences',
      access: own,
      params: Type.Object({
        view_diffs_file_by_file: Optional(Bool({ description: 'Shows one file of a change at a time' })),
        show_whitespace_in_diffs: Optional(Bool({ description: 'Shows changes of blanks' })),
        pass_user_identities_to_ci_jwt: Optional(Bool({ description: 'Puts external identities into tokens of jobs' })),
      }),
      responses: { 200: Preferences },
      handler: async ({ caller, params }) => {
        if (Object.keys(params).length === 0)
          throw invalidParameters([
            'view_diffs_file_by_file, show_whitespace_in_diffs, pass_user_identities_to_ci_jwt are missing, at least one parameter must be provided',
          ]);
        const user = await updateUser(db, selfOf(caller).id, params);
        await announceChange(db);
        forget();
        return preferences(user);
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/user/avatar',
      summary: 'Set or remove your avatar',
      access: own,
      params: Type.Object({
        avatar: OrNull(
          FileParam({ description: 'PNG, JPEG, GIF, WebP, BMP or ICO of at most 200 KiB; empty removes it' }),
        ),
      }),
      maxFileBytes: 10 * 1024 * 1024,
      responses: { 200: Avatar },
      handler: async (context) => {
        const { avatar } = context.params;
        const key = avatar ? await avatars.store(avatar) : null;
        const columns = { avatar_object_key: key };
        const user = await editing
          .update(selfOf(context.caller).id, { columns }, originOf(context))
          .catch(async (error: unknown) => {
            if (key !== null) await avatars.discard(key);
            throw error;
          });
        return { avatar_url: userReference(user, externalUrl).avatar_url };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/user_counts',
      summary: 'Count what waits for you',
      scopes: reading,
      access: own,
      params: Type.Object({}),
      responses: { 200: UserCounts },
      handler: async ({ caller }) => {
        const { id } = selfOf(caller);
        const [{ things, ...counts }, failed] = await Promise.all([
          countWaiting(db, id),
          failedPipelines.count(db, id),
        ]);
        return {
          merge_requests: counts.assigned_merge_requests,
          ...counts,
          failed_pipelines: failed,
          waiting: things + failed,
        };
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/avatar',
      summary: 'Get the avatar of the user with a public email address',
      access: { on: 'public' },
      params: Type.Object({ email: Str({ description: 'Address' }) }),
      responses: { 200: Avatar },
      handler: async ({ params }) => {
        const user = await findByPublicEmail(db, params.email);
        return { avatar_url: user ? userReference(user, externalUrl).avatar_url : null };
      },
    }),
  ];
}
