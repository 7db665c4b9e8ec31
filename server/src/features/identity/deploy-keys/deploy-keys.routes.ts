/** Routes of deploy keys: of all projects for administrators, and of one project. */
import Type from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { forbidden, notFound, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Bool, DateTimeParam, IdOrPath, Int, Optional, rules, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { findUserByIdOrName } from '../users/index.ts';
import {
  DeployKeyEntity,
  DeployKeyOfProject,
  deployKey,
  deployKeyOfProject,
  keyJson,
  UserDeployKey,
} from './deploy-keys.entity.ts';
import {
  countAllDeployKeys,
  countDeployKeys,
  type DeployKey,
  listAllDeployKeys,
  listDeployKeys,
  listKeysOfMaintained,
  maintainTogether,
  projectsOfKeys,
} from './deploy-keys.queries.ts';
import type { DeployKeys } from './deploy-keys.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Deploy keys' } as const;
const admin = { on: 'instance', ability: 'admin' } as const;
const read = { on: 'project', ability: 'read_deploy_key' } as const;
const manage = { on: 'project', ability: 'admin_deploy_key' } as const;
const base = '/projects/:id/deploy_keys';
const project = { id: IdOrPath('Project') };
const one = { ...project, key_id: Int({ description: 'Key' }) };
const newKey = {
  title: Str({ maxLength: 255, description: 'What it is called' }),
  key: Str({ maxLength: 50_000, description: 'The public key' }),
  expires_at: Optional(DateTimeParam({ description: 'When it stops working' })),
};
const canPush = { can_push: Optional(Bool({ description: 'Whether it may push to the project' })) };

export function deployKeyRoutes(db: Db, keys: DeployKeys): Route[] {
  async function find({ project: { id } }: ProjectSubject, keyId: number): Promise<DeployKey> {
    const found = await keys.find(id, keyId);
    if (!found) throw recordNotFound();
    return found;
  }
  const shown = async (subject: ProjectSubject, id: number) => deployKeyOfProject(await find(subject, id));

  return [
    route({
      ...common,
      method: 'GET',
      path: '/deploy_keys',
      summary: 'List deploy keys of all projects',
      access: admin,
      params: Type.Object({ public: Optional(Bool({ default: false, description: 'Only those for all projects' })) }),
      pagination: 'offset',
      responses: { 200: ListOf(DeployKeyEntity) },
      handler: async ({ params, page }) => {
        const rows = await listAllDeployKeys(db, params.public ?? false, page);
        const projects = await projectsOfKeys(
          db,
          rows.map(({ id }) => id),
        );
        const total = await countAllDeployKeys(db, params.public ?? false);
        return mapPage(offsetPage(page, rows, total), (row) => deployKey(row, projects));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/deploy_keys',
      summary: 'Create a public deploy key',
      access: admin,
      params: Type.Object(newKey),
      responses: { 201: DeployKeyEntity },
      handler: async ({ params, caller }) => deployKey(await keys.add(null, caller, params), []),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/users/:id/project_deploy_keys',
      summary: 'List deploy keys of the projects that a user and the caller both maintain',
      access: { on: 'instance', ability: 'signed_in' },
      params: Type.Object({ id: IdOrPath('Id or username of the user') }),
      pagination: 'offset',
      responses: { 200: ListOf(UserDeployKey) },
      handler: async ({ params, caller, page }) => {
        const user = await findUserByIdOrName(db, String(params.id));
        if (!user || !caller.user) throw notFound('User');
        const both = [...new Set([user.id, caller.user.id])];
        if (!(await maintainTogether(db, both))) throw forbidden('No common authorized project found');
        const { rows, total } = await listKeysOfMaintained(db, both, page);
        return mapPage(offsetPage(page, rows, total), keyJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: base,
      summary: 'List deploy keys of a project',
      access: read,
      params: Type.Object(project),
      pagination: 'offset',
      responses: { 200: ListOf(DeployKeyOfProject) },
      handler: async ({ subject, page }) => {
        const { id } = subject.project;
        const [rows, total] = await Promise.all([listDeployKeys(db, id, page), countDeployKeys(db, id)]);
        return mapPage(offsetPage(page, rows, total), deployKeyOfProject);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: `${base}/:key_id`,
      summary: 'Get a deploy key of a project',
      access: read,
      params: Type.Object(one),
      responses: { 200: DeployKeyOfProject },
      handler: ({ subject, params }) => shown(subject, params.key_id),
    }),
    route({
      ...common,
      method: 'POST',
      path: base,
      summary: 'Add a deploy key to a project',
      access: manage,
      params: Type.Object({ ...project, ...newKey, ...canPush }),
      responses: { 201: DeployKeyOfProject },
      handler: async ({ subject, caller, params }) => shown(subject, (await keys.add(subject, caller, params)).id),
    }),
    route({
      ...common,
      method: 'PUT',
      path: `${base}/:key_id`,
      summary: 'Update a deploy key of a project',
      access: manage,
      params: Type.Object(
        { ...one, ...canPush, title: Optional(Str({ maxLength: 255, description: 'What it is called' })) },
        rules(atLeastOneOf('title', 'can_push')),
      ),
      responses: { 200: DeployKeyOfProject },
      handler: async ({ subject, caller, params }) => {
        await keys.change(subject, caller, await find(subject, params.key_id), params);
        return await shown(subject, params.key_id);
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path: `${base}/:key_id`,
      summary: 'Remove a deploy key from a project; it is deleted if no other project uses it',
      access: manage,
      params: Type.Object(one),
      responses: { 204: Empty },
      conditional: true,
      handler: async ({ subject, caller, params, unmodifiedSince }) => {
        const key = await find(subject, params.key_id);
        unmodifiedSince(key.created_at);
        await keys.remove(subject, caller, key);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}/:key_id/enable`,
      summary: 'Enable a deploy key of another project, or a public one, for a project',
      access: manage,
      params: Type.Object(one),
      responses: { 201: DeployKeyOfProject },
      handler: async ({ subject, caller, params }) => {
        await keys.enable(subject, caller, params.key_id);
        return await shown(subject, params.key_id);
      },
    }),
  ];
}
