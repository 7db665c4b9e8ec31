/** Routes of service accounts of groups and projects, and of their tokens. */
import Type from 'typebox';
import { entityOfPlace, originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { AccessToken, User } from '../../../kernel/db/rows.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, plainError, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, Optional } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import {
  countServiceAccounts,
  countTokens,
  type IssuedToken,
  listServiceAccounts,
  listTokens,
  NewPersonalAccessToken,
  newTokenParameters,
  PersonalAccessToken,
  personalAccessToken,
  rotationParameters,
  ServiceAccount,
  type ServiceAccountPlace,
  serviceAccount,
  serviceAccountChanges,
  serviceAccountOrder,
  serviceAccountParameters,
  tokenFilters,
} from '../../identity/index.ts';
import { outranks } from '../access/privileges.ts';
import type { NamespacesDependencies } from '../deps.ts';
import type { MemberSubject } from '../members/rules.ts';

const common = { credentials: ['token', 'session'], tag: 'Service accounts' } as const;

const places = [
  { noun: 'group', access: { on: 'group', ability: 'manage_group_service_accounts' } },
  { noun: 'project', access: { on: 'project', ability: 'manage_project_service_accounts' } },
] as const;

/** Only a group at the top has accounts: what is below shares them. */
function placeOf(subject: MemberSubject): ServiceAccountPlace {
  if (subject.kind === 'project') return { kind: 'project', id: subject.project.id };
  if (subject.group.parent_id !== null)
    throw plainError(400, '400 Bad request - Service accounts belong to top-level groups');
  return { kind: 'group', id: subject.group.id };
}

const shown = ({ row, secret }: IssuedToken) => ({ ...personalAccessToken(row), token: secret });

export function serviceAccountRoutes(deps: NamespacesDependencies): Route[] {
  const { db, settings, tokens, serviceAccounts: accounts } = deps;

  async function accountOf(subject: MemberSubject, id: number): Promise<User> {
    const account = await accounts.find(placeOf(subject), id);
    if (!account) throw notFound('User');
    return account;
  }

  /** How many accounts a group has is for administrators to decide, unless they let its owners. */
  async function requireMaking(caller: Caller, subject: MemberSubject): Promise<void> {
    if (caller.admin || subject.kind === 'project') return;
    if (!(await settings.read()).allow_top_level_group_owners_to_create_service_accounts) throw forbidden();
  }

  /** Nobody gets a token that does more than they may: an owner may have made the account one too. */
  async function actingAccount(caller: Caller, subject: MemberSubject, id: number): Promise<User> {
    const account = await accountOf(subject, id);
    if (await outranks(db, account, caller)) throw forbidden('the service account has a role above yours');
    return account;
  }

  async function tokenOf(account: User, id: number): Promise<AccessToken> {
    const token = await tokens.find(id);
    if (token?.kind !== 'personal' || token.user_id !== account.id) throw notFound('Personal Access Token');
    return token;
  }

  return places.flatMap(({ noun, access }) => {
    const base = `/${noun}s/:id/service_accounts` as const;
    const id = IdOrPath(noun);
    const single = { id, user_id: Int({ description: 'Service account' }) };
    const ofTokens = `${base}/:user_id/personal_access_tokens` as const;
    const token = { ...single, token_id: Int({ description: 'Id of the token' }) };
    return [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List service accounts of a ${noun}`,
        access,
        params: Type.Object({ id, ...serviceAccountOrder }),
        pagination: 'offset',
        responses: { 200: ListOf(ServiceAccount) },
        handler: async ({ params, subject, page }) => {
          const place = placeOf(subject);
          const order = { by: params.order_by ?? 'id', direction: params.sort ?? 'desc' } as const;
          const [rows, total] = await Promise.all([
            listServiceAccounts(db, place, order, page),
            countServiceAccounts(db, place),
          ]);
          return mapPage(offsetPage(page, rows, total), serviceAccount);
        },
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Create a service account of a ${noun}`,
        access,
        params: Type.Object({ id, ...serviceAccountParameters }),
        responses: { 201: ServiceAccount },
        handler: async (context) => {
          const { params, subject, caller } = context;
          if (!caller.user) throw unauthorized();
          const place = placeOf(subject);
          await requireMaking(caller, subject);
          const made = accounts.create(place, params, caller.user, originOf(context), entityOfPlace(subject));
          return serviceAccount(await made);
        },
      }),
      route({
        ...common,
        method: 'PATCH',
        path: `${base}/:user_id`,
        summary: `Update a service account of a ${noun}`,
        access,
        params: Type.Object({ ...single, ...serviceAccountChanges }),
        responses: { 200: ServiceAccount },
        handler: async (context) => {
          const { id: _, user_id, ...changes } = context.params;
          const account = await accountOf(context.subject, user_id);
          const entity = entityOfPlace(context.subject);
          return serviceAccount(await accounts.update(account, changes, originOf(context), entity));
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:user_id`,
        summary: `Delete a service account of a ${noun}`,
        access,
        params: Type.Object({
          ...single,
          hard_delete: Optional(
            Bool({ description: 'Also what it wrote, and groups that nobody else owns, instead of keeping them' }),
          ),
        }),
        responses: { 204: Empty },
        errors: [409],
        conditional: true,
        handler: async (context) => {
          const { params, subject, caller } = context;
          const account = await accountOf(subject, params.user_id);
          await requireMaking(caller, subject);
          context.unmodifiedSince(account.updated_at);
          await accounts.remove(account, params.hard_delete ?? false, originOf(context), entityOfPlace(subject));
        },
      }),
      route({
        ...common,
        method: 'GET',
        path: ofTokens,
        summary: `List personal access tokens of a service account of a ${noun}`,
        access,
        params: Type.Object({ ...single, ...tokenFilters }),
        pagination: 'offset',
        responses: { 200: ListOf(PersonalAccessToken) },
        handler: async ({ params, subject, page }) => {
          const { id: _, user_id, sort, ...given } = params;
          const account = await accountOf(subject, user_id);
          const filter = { ...given, kinds: ['personal'], user_id: account.id } as const;
          const [rows, total] = await Promise.all([listTokens(db, filter, sort, page), countTokens(db, filter)]);
          return mapPage(offsetPage(page, rows, total), personalAccessToken);
        },
      }),
      route({
        ...common,
        method: 'POST',
        path: ofTokens,
        summary: `Create a personal access token for a service account of a ${noun}`,
        access,
        params: Type.Object({ ...single, ...newTokenParameters }),
        responses: { 201: NewPersonalAccessToken },
        errors: [422],
        handler: async (context) => {
          const { params, subject, caller } = context;
          const account = await actingAccount(caller, subject, params.user_id);
          return shown(
            await tokens.issue({
              user: account,
              name: params.name,
              description: params.description,
              scopes: params.scopes,
              expiresAt: await tokens.expiry(params.expires_at, account),
              createdById: caller.user?.id ?? null,
              origin: originOf(context),
            }),
          );
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${ofTokens}/:token_id`,
        summary: `Revoke a personal access token of a service account of a ${noun}`,
        access,
        params: Type.Object(token),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => {
          const account = await accountOf(context.subject, context.params.user_id);
          const found = await tokenOf(account, context.params.token_id);
          context.unmodifiedSince(found.created_at);
          await tokens.revoke(found.id, originOf(context));
        },
      }),
      route({
        ...common,
        method: 'POST',
        path: `${ofTokens}/:token_id/rotate`,
        summary: `Rotate a personal access token of a service account of a ${noun}`,
        access,
        params: Type.Object({ ...token, ...rotationParameters }),
        responses: { 200: NewPersonalAccessToken },
        errors: [422],
        handler: async (context) => {
          const { params, subject, caller } = context;
          const account = await actingAccount(caller, subject, params.user_id);
          const found = await tokenOf(account, params.token_id);
          return shown(
            await tokens.rotate(found.id, { expiresAt: params.expires_at, origin: originOf(context), of: account }),
          );
        },
      }),
    ];
  });
}
