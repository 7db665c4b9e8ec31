/** Routes of service accounts of the instance. They are removed as users are, and so are their tokens made. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Int } from '../../../kernel/http/params/schema.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { ServiceAccount, serviceAccount } from './service-accounts.entity.ts';
import { serviceAccountChanges, serviceAccountOrder, serviceAccountParameters } from './service-accounts.params.ts';
import { countServiceAccounts, listServiceAccounts } from './service-accounts.queries.ts';
import type { ServiceAccounts } from './service-accounts.service.ts';

const common = {
  credentials: ['token', 'session'],
  tag: 'Service accounts',
  access: { on: 'instance', ability: 'admin' },
} as const;
const instance = { kind: 'instance', id: null } as const;

export function serviceAccountRoutes(db: Db, accounts: ServiceAccounts): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path: '/service_accounts',
      summary: 'List service accounts of the instance',
      params: Type.Object(serviceAccountOrder),
      pagination: 'offset',
      responses: { 200: ListOf(ServiceAccount) },
      handler: async ({ params, page }) => {
        const order = { by: params.order_by ?? 'id', direction: params.sort ?? 'desc' } as const;
        const [rows, total] = await Promise.all([
          listServiceAccounts(db, instance, order, page),
          countServiceAccounts(db, instance),
        ]);
        return mapPage(offsetPage(page, rows, total), serviceAccount);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/service_accounts',
      summary: 'Create a service account of the instance',
      params: Type.Object(serviceAccountParameters),
      responses: { 201: ServiceAccount },
      handler: async (context) => {
        const { user } = context.caller;
        if (!user) throw unauthorized();
        return serviceAccount(await accounts.create(instance, context.params, user, originOf(context)));
      },
    }),
    route({
      ...common,
      method: 'PATCH',
      path: '/service_accounts/:id',
      summary: 'Update a service account of the instance',
      params: Type.Object({ id: Int({ description: 'Service account' }), ...serviceAccountChanges }),
      responses: { 200: ServiceAccount },
      handler: async (context) => {
        const { id, ...changes } = context.params;
        const account = await accounts.find(instance, id);
        if (!account) throw notFound('User');
        return serviceAccount(await accounts.update(account, changes, originOf(context)));
      },
    }),
  ];
}
