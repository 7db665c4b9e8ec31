/** Routes of pull mirrors. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, List, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { authMethods } from '../mirrors/mirrors.entity.ts';
import { PullMirror, PullMirrorKey, pullMirrorJson } from './pull-mirrors.entity.ts';
import { findMirror } from './pull-mirrors.queries.ts';
import { notMirrored, type PullMirrors } from './pull-mirrors.service.ts';

const access = { on: 'project', ability: 'admin_remote_mirror' } as const;
const common = { tag: 'Pull mirrors', credentials: ['token', 'session'], access } as const;
const id = IdOrPath('Id or path of the project');
const path = '/projects/:id/mirror/pull';

export function pullMirrorRoutes(db: Db, mirrors: PullMirrors): Route[] {
  return [
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get the pull mirror of a project',
      params: Type.Object({ id }),
      responses: { 200: PullMirror },
      handler: async (context) => {
        await mirrors.requireAvailable(context);
        const found = await findMirror(db, context.subject.project.id);
        if (!found) throw notMirrored();
        return pullMirrorJson(found);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${path}/public_key`,
      summary: 'Get the public key of the pull mirror of a project',
      params: Type.Object({ id }),
      responses: { 200: PullMirrorKey },
      handler: async (context) => {
        await mirrors.requireAvailable(context);
        const found = await findMirror(db, context.subject.project.id);
        if (!found?.ssh_public_key) throw recordNotFound();
        return { public_key: found.ssh_public_key };
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Configure the pull mirror of a project',
      params: Type.Object({
        id,
        enabled: Optional(Bool({ description: 'Whether the project follows the other repository' })),
        url: Optional(
          Str({ minLength: 1, maxLength: 2048, description: 'URL of the repository, over HTTP, HTTPS or SSH' }),
        ),
        auth_user: Optional(Str({ maxLength: 255, description: 'Username, over HTTP' })),
        auth_password: Optional(Str({ maxLength: 1024, description: 'Password or token, over HTTP' })),
        mirror_trigger_builds: Optional(Bool({ description: 'Whether updates trigger pipelines; default false' })),
        only_mirror_protected_branches: Optional(Bool({ description: 'Only protected branches; tags always' })),
        mirror_overwrites_diverged_branches: Optional(
          Bool({ description: 'Whether branches and tags that changed here as well are overwritten; default false' }),
        ),
        mirror_branch_regex: Optional(
          OrNull(
            Str({ maxLength: 255, description: 'Only branches whose names match (RE2); not with protected ones only' }),
          ),
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
      }),
      responses: { 200: PullMirror },
      handler: async (context) => {
        const { id: _id, ...values } = context.params;
        const { subject, caller } = context;
        return pullMirrorJson(await mirrors.save({ subject, caller, origin: originOf(context) }, values));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path,
      summary: 'Update a project from the repository that it mirrors',
      params: Type.Object({ id }),
      responses: { 202: Empty },
      handler: async (context) => {
        await mirrors.sync(context);
        return answer(202);
      },
    }),
  ];
}
