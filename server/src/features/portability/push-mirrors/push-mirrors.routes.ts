/** Routes of push mirrors. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, Int, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { authMethods } from '../mirrors/mirrors.entity.ts';
import { MirrorKey, PushMirror, pushMirrorJson } from './push-mirrors.entity.ts';
import { findMirror, listMirrors } from './push-mirrors.queries.ts';
import type { MirrorRequest, PushMirrors } from './push-mirrors.service.ts';

const access = { on: 'project', ability: 'admin_remote_mirror' } as const;
const common = { tag: 'Push mirrors', credentials: ['token', 'session'], access } as const;
const id = IdOrPath('Id or path of the project');
const list = '/projects/:id/remote_mirrors';
const path = `${list}/:mirror_id`;
const one = { id, mirror_id: Int({ description: 'Id of the mirror' }) };
const values = {
  enabled: Optional(Bool({ description: 'Whether changes are pushed to it; default false' })),
  only_protected_branches: Optional(Bool({ description: 'Only protected branches; tags always' })),
  mirror_branch_regex: Optional(
    OrNull(Str({ maxLength: 255, description: 'Only branches whose names match (RE2); not with protected ones only' })),
  ),
  keep_divergent_refs: Optional(
    Bool({ description: 'Branches and tags that changed at the mirror are kept there, and the push counts as failed' }),
  ),
  auth_method: Optional(
    OneOf(authMethods, {
      description: '`ssh_public_key` for addresses of SSH, `password` for those of HTTP; default by the address',
    }),
  ),
  host_keys: Optional(
    List(Str({ maxLength: 4096, description: 'As in known_hosts or the file of a public key' }), {
      description: 'Keys of the server, over SSH; without any the one that it shows first is kept',
      maxItems: 10,
    }),
  ),
};

export function pushMirrorRoutes(db: Db, mirrors: PushMirrors): Route[] {
  const asked = (context: Pick<MirrorRequest, 'subject' | 'caller'> & Parameters<typeof originOf>[0]) => ({
    subject: context.subject,
    caller: context.caller,
    origin: originOf(context),
  });
  return [
    route({
      ...common,
      method: 'GET',
      path: list,
      summary: 'List push mirrors of a project',
      pagination: 'offset',
      params: Type.Object({ id }),
      responses: { 200: ListOf(PushMirror) },
      handler: async (context) => {
        await mirrors.requireAvailable(context);
        const { rows, total } = await listMirrors(db, context.subject.project.id, context.page);
        return mapPage(offsetPage(context.page, rows, total), pushMirrorJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a push mirror',
      params: Type.Object(one),
      responses: { 200: PushMirror },
      handler: async (context) => {
        await mirrors.requireAvailable(context);
        const found = await findMirror(db, context.subject.project.id, context.params.mirror_id);
        if (!found) throw recordNotFound();
        return pushMirrorJson(found);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/public_key`,
      summary: 'Get the public key of a push mirror',
      params: Type.Object(one),
      responses: { 200: MirrorKey },
      handler: async (context) => {
        await mirrors.requireAvailable(context);
        const found = await findMirror(db, context.subject.project.id, context.params.mirror_id);
        if (!found?.ssh_public_key) throw recordNotFound();
        return { public_key: found.ssh_public_key };
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: list,
      summary: 'Create a push mirror',
      params: Type.Object({
        id,
        url: Str({ minLength: 1, maxLength: 2048, description: 'Address of the repository, with name and password' }),
        ...values,
      }),
      responses: { 201: PushMirror },
      handler: async (context) => {
        const { id: _, url, ...given } = context.params;
        return pushMirrorJson(await mirrors.create(asked(context), url, given));
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Update a push mirror',
      params: Type.Object({ ...one, ...values }),
      responses: { 200: PushMirror },
      handler: async (context) => {
        const { id: _, mirror_id, ...given } = context.params;
        return pushMirrorJson(await mirrors.update(asked(context), mirror_id, given));
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a push mirror',
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => {
        await mirrors.remove(asked(context), context.params.mirror_id, context.unmodifiedSince);
        return answer(204, undefined);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${path}/sync`,
      summary: 'Push to a mirror now',
      params: Type.Object(one),
      responses: { 204: Empty },
      handler: async (context) => {
        await mirrors.sync(asked(context), context.params.mirror_id);
        return answer(204, undefined);
      },
    }),
  ];
}
