/** Routes of addresses besides the primary one: one's own, and those of a user. */

import type { Static } from 'typebox';
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Email, User } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { Bool, Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUser } from '../users/index.ts';
import { countEmails, findEmail, listEmails } from './emails.queries.ts';
import type { Emails } from './emails.service.ts';

const EmailEntity = Entity('Email', { id: Id(), email: Text(), confirmed_at: Nullable(Timestamp()) });
const view = ({ id, email, confirmed_at }: Email): Static<typeof EmailEntity> => ({ id, email, confirmed_at });

const common = { credentials: ['token', 'session'], tag: 'Email addresses' } as const;
const reading = ['api', 'read_api', 'read_user'];
const own = { on: 'instance', ability: 'signed_in' } as const;
const admin = { on: 'instance', ability: 'admin' } as const;
const userId = { id: Int({ description: 'User' }) };
const emailId = { email_id: Int({ description: 'Address, by its id' }) };
const address = { email: Str({ description: 'The address' }) };

function selfOf(caller: Caller): User {
  if (!caller.user) throw unauthorized();
  return caller.user;
}

export function emailRoutes(db: Db, emails: Emails): Route[] {
  const user = async (id: number): Promise<User> => {
    const found = await findUser(db, id);
    if (!found) throw notFound('User');
    return found;
  };
  const emailOf = async (owner: User, id: number): Promise<Email> => {
    const email = await findEmail(db, owner.id, id);
    if (!email) throw notFound('Email');
    return email;
  };
  const pageFor = async (owner: User, page: Page) =>
    mapPage(offsetPage(page, await listEmails(db, owner.id, page), await countEmails(db, owner.id)), view);

  return [
    route({
      ...common,
      method: 'GET',
      path: '/user/emails',
      summary: 'List your secondary email addresses',
      scopes: reading,
      access: own,
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(EmailEntity) },
      handler: ({ caller, page }) => pageFor(selfOf(caller), page),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/user/emails/:email_id',
      summary: 'Get an email address of yours',
      scopes: reading,
      access: own,
      params: Type.Object(emailId),
      responses: { 200: EmailEntity },
      handler: async ({ caller, params }) => view(await emailOf(selfOf(caller), params.email_id)),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/user/emails',
      summary: 'Add an email address to your account; a confirmation mail is sent',
      access: own,
      params: Type.Object(address),
      responses: { 201: EmailEntity },
      handler: async (context) =>
        view(await emails.add(selfOf(context.caller), context.params.email, false, originOf(context))),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/user/emails/:email_id',
      summary: 'Delete an email address of yours',
      access: own,
      params: Type.Object(emailId),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const owner = selfOf(context.caller);
        const email = await emailOf(owner, context.params.email_id);
        context.unmodifiedSince(email.confirmed_at ?? email.created_at);
        await emails.remove(owner, email, originOf(context));
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:id/emails',
      summary: 'List secondary email addresses of a user',
      scopes: reading,
      access: admin,
      params: Type.Object(userId),
      pagination: 'offset',
      responses: { 200: ListOf(EmailEntity) },
      handler: async ({ params, page }) => pageFor(await user(params.id), page),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/users/:id/emails',
      summary: 'Add an email address for a user',
      access: admin,
      params: Type.Object({
        ...userId,
        ...address,
        skip_confirmation: Optional(Bool({ description: 'The address counts at once' })),
      }),
      responses: { 201: EmailEntity },
      handler: async (context) => {
        const { id, email, skip_confirmation } = context.params;
        return view(await emails.add(await user(id), email, skip_confirmation ?? false, originOf(context)));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/users/:id/emails/:email_id',
      summary: 'Delete an email address of a user',
      access: admin,
      params: Type.Object({ ...userId, ...emailId }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        const owner = await user(context.params.id);
        const email = await emailOf(owner, context.params.email_id);
        context.unmodifiedSince(email.confirmed_at ?? email.created_at);
        await emails.remove(owner, email, originOf(context));
      },
    }),
  ];
}
