/** Routes of the applications that a person lets use their account. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { Entity, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { Grants } from './grants.service.ts';
import { type AuthorizedApplication, countAuthorized, listAuthorized } from './oauth.queries.ts';

/** Stands for no application: for tokens that somebody made with their password alone. */
const none = 0;

const AuthorizedApplicationEntity = Entity('AuthorizedApplication', {
  id: Id({ description: 'Of the application; 0 for tokens that somebody made with their password alone' }),
  application_id: Nullable(Text({ description: 'Its `client_id`' })),
  application_name: Nullable(Text()),
  scopes: ListOf(Text()),
  authorized_at: Timestamp(),
  last_authorized_at: Timestamp(),
});

const shown = ({ application, scopes, first_at, last_at }: AuthorizedApplication) => ({
  id: application?.id ?? none,
  application_id: application?.uid ?? null,
  application_name: application?.name ?? null,
  scopes,
  authorized_at: first_at,
  last_authorized_at: last_at,
});

const common = {
  credentials: ['token', 'session'],
  tag: 'Applications',
  access: { on: 'instance', ability: 'signed_in' },
} as const;

export function authorizedRoutes({ db, grants }: { readonly db: Db; readonly grants: Grants }): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/user/authorized_applications',
      summary: 'List applications authorized to use your account',
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(AuthorizedApplicationEntity) },
      handler: async ({ caller, page }) => {
        if (!caller.user) throw unauthorized();
        const { id } = caller.user;
        const [rows, total] = await Promise.all([listAuthorized(db, id, page), countAuthorized(db, id)]);
        return mapPage(offsetPage(page, rows, total), shown);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/user/authorized_applications/:id',
      summary: 'Revoke the authorization of an application',
      conditional: 'No date stands in the way of taking access back.',
      params: Type.Object({
        id: Int({ minimum: none, description: 'As the list names it' }),
      }),
      responses: { 204: Empty },
      handler: async (context) => {
        const { caller, params } = context;
        if (!caller.user) throw unauthorized();
        const applicationId = params.id === none ? null : params.id;
        if ((await grants.withdraw(caller.user.id, applicationId, originOf(context))) === 0)
          throw notFound('Application');
      },
    }),
  ];
}
