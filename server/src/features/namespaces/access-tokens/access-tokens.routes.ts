/** Routes of access tokens of projects and groups. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { AccessToken } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import {
  countTokens,
  type IssuedToken,
  listTokens,
  newTokenParameters,
  rotatingScopes,
  rotationParameters,
  tokenFilters,
} from '../../identity/index.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { type MemberSubject, placeOf } from '../members/rules.ts';
import { NewResourceAccessToken, ResourceAccessToken, resourceAccessToken } from './access-tokens.entity.ts';
import { botLevels } from './access-tokens.queries.ts';
import type { AccessTokenService } from './access-tokens.service.ts';

const common = { credentials: ['token', 'session'] } as const;

const filterOf = (subject: MemberSubject) =>
  subject.kind === 'project'
    ? ({ kinds: ['project'], project_id: subject.project.id } as const)
    : ({ kinds: ['group'], namespace_id: subject.group.id } as const);

const places = [
  {
    noun: 'project',
    base: '/projects/:id/access_tokens',
    manage: { on: 'project', ability: 'manage_access_tokens' },
    see: { on: 'project', ability: 'read_project' },
  },
  {
    noun: 'group',
    base: '/groups/:id/access_tokens',
    manage: { on: 'group', ability: 'manage_group_access_tokens' },
    see: { on: 'group', ability: 'read_group' },
  },
] as const;

export function accessTokenRoutes({ db, tokens }: NamespacesDependencies, service: AccessTokenService): Route[] {
  const find = async (subject: MemberSubject, id: number): Promise<AccessToken | undefined> => {
    const token = await tokens.find(id);
    const { kind, id: placeId } = placeOf(subject);
    return token?.kind === kind && (token.project_id ?? token.namespace_id) === placeId ? token : undefined;
  };
  const present = async (subject: MemberSubject, rows: readonly AccessToken[]) => {
    const levels = await botLevels(
      db,
      placeOf(subject),
      rows.map((row) => row.user_id),
    );
    return (row: AccessToken) => resourceAccessToken(row, levels.get(row.user_id));
  };
  const one = async (subject: MemberSubject, row: AccessToken) => (await present(subject, [row]))(row);
  const shown = async (subject: MemberSubject, { row, secret }: IssuedToken) => ({
    ...(await one(subject, row)),
    token: secret,
  });

  return places.flatMap(({ noun, base, manage, see }) => {
    const noSuch = (id: number) => notFound(`Could not find ${noun} access token with token_id: ${id}`);
    const tag = noun === 'project' ? 'Project access tokens' : 'Group access tokens';
    const id = IdOrPath(noun);
    const single = { id, token_id: Int({ description: 'Id of the token' }) };
    return [
      route({
        ...common,
        tag,
        method: 'GET',
        path: base,
        summary: `List access tokens of a ${noun}`,
        access: manage,
        params: Type.Object({ id, ...tokenFilters }),
        pagination: 'offset',
        responses: { 200: ListOf(ResourceAccessToken) },
        handler: async ({ params, subject, page }) => {
          const { id: _, sort, ...rest } = params;
          const filter = { ...rest, ...filterOf(subject) };
          const rows = await listTokens(db, filter, sort, page);
          const paged = offsetPage(page, rows, await countTokens(db, filter));
          return mapPage(paged, await present(subject, paged.items));
        },
      }),
      route({
        ...common,
        tag,
        method: 'GET',
        path: `${base}/:token_id`,
        summary: `Get an access token of a ${noun}`,
        access: manage,
        params: Type.Object(single),
        responses: { 200: ResourceAccessToken },
        handler: async ({ params, subject }) => {
          const token = await find(subject, params.token_id);
          if (!token) throw noSuch(params.token_id);
          return await one(subject, token);
        },
      }),
      route({
        ...common,
        tag,
        method: 'POST',
        path: base,
        summary: `Create an access token of a ${noun}, with a bot user as member`,
        access: manage,
        params: Type.Object({
          id,
          ...newTokenParameters,
          access_level: Optional(Int({ default: Level.maintainer, description: 'Role; not above the caller’s own' })),
        }),
        responses: { 201: NewResourceAccessToken },
        handler: async (context) => {
          const { params, caller, subject } = context;
          const wanted = {
            name: params.name,
            description: params.description,
            scopes: params.scopes,
            accessLevel: params.access_level ?? Level.maintainer,
            expiresAt: params.expires_at,
          };
          return await shown(subject, await service.create(caller, subject, wanted, originOf(context)));
        },
      }),
      route({
        ...common,
        tag,
        credentials: ['token'],
        method: 'POST',
        path: `${base}/self/rotate`,
        summary: `Rotate the access token of a ${noun} that the request uses`,
        access: see,
        scopes: rotatingScopes,
        rotatesToken: true,
        errors: [405],
        params: Type.Object({ id, ...rotationParameters }),
        responses: { 200: NewResourceAccessToken },
        handler: async (context) => {
          const { params, caller, subject } = context;
          return await shown(subject, await service.rotateSelf(caller, subject, params.expires_at, originOf(context)));
        },
      }),
      route({
        ...common,
        tag,
        method: 'POST',
        path: `${base}/:token_id/rotate`,
        summary: `Rotate an access token of a ${noun}`,
        access: manage,
        params: Type.Object({ ...single, ...rotationParameters }),
        responses: { 200: NewResourceAccessToken },
        handler: async (context) => {
          const { params, caller, subject } = context;
          const token = await find(subject, params.token_id);
          // As of personal tokens: only administrators hear that there is none. Bots rotate themselves only.
          if (!token) throw caller.admin ? noSuch(params.token_id) : unauthorized();
          if (caller.user?.user_type !== 'human') throw unauthorized();
          return await shown(
            subject,
            await service.rotate(caller, subject, token, params.expires_at, originOf(context)),
          );
        },
      }),
      route({
        ...common,
        tag,
        method: 'DELETE',
        path: `${base}/:token_id`,
        summary: `Revoke an access token of a ${noun}; its bot user is removed`,
        access: manage,
        params: Type.Object(single),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => {
          const token = await find(context.subject, context.params.token_id);
          if (!token) throw noSuch(context.params.token_id);
          context.unmodifiedSince(token.created_at);
          await tokens.revoke(token.id, originOf(context));
        },
      }),
    ];
  });
}
