/** Routes of deploy tokens: of the instance, of projects, of groups. */
import Type from 'typebox';
import { originOf } from '../../../kernel/audit/index.ts';
import type { GroupSubject, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { Bool, DateTimeParam, IdOrPath, Int, List, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { Empty, type Route, route } from '../../../kernel/http/route.ts';
import { DeployTokenEntity, deployToken, NewDeployToken } from './deploy-tokens.entity.ts';
import {
  countDeployTokens,
  type DeployTokenPlace,
  findDeployTokenOf,
  listDeployTokens,
} from './deploy-tokens.queries.ts';
import { type DeployPlace, type DeployTokens, deployScopes } from './deploy-tokens.service.ts';

const common = { credentials: ['token', 'session'], tag: 'Deploy tokens' } as const;
const active = { active: Optional(Bool({ description: 'Only those that work, or only those that do not' })) };

const placeOf = (subject: ProjectSubject | GroupSubject): DeployPlace =>
  subject.kind === 'project'
    ? {
        place: { project_id: subject.project.id },
        path: `${subject.namespace.full_path}/${subject.project.path}`,
      }
    : { place: { namespace_id: subject.group.id }, path: subject.group.full_path };

export function deployTokenRoutes(db: Db, tokens: DeployTokens): Route[] {
  async function list(place: DeployTokenPlace | null, wanted: boolean | undefined, page: Page) {
    const rows = await listDeployTokens(db, place, wanted, page);
    return mapPage(offsetPage(page, rows, await countDeployTokens(db, place, wanted)), deployToken);
  }

  async function find(where: DeployPlace, id: number) {
    const token = await findDeployTokenOf(db, where.place, id);
    if (!token) throw notFound('Deploy Token');
    return token;
  }

  return [
    route({
      ...common,
      method: 'GET',
      path: '/deploy_tokens',
      summary: 'List deploy tokens of the instance',
      access: { on: 'instance', ability: 'admin' },
      params: Type.Object(active),
      pagination: 'offset',
      responses: { 200: ListOf(DeployTokenEntity) },
      handler: ({ params, page }) => list(null, params.active, page),
    }),
    ...(
      [
        {
          noun: 'project',
          base: '/projects/:id/deploy_tokens',
          read: { on: 'project', ability: 'manage_deploy_tokens' },
          manage: { on: 'project', ability: 'manage_deploy_tokens' },
        },
        {
          noun: 'group',
          base: '/groups/:id/deploy_tokens',
          read: { on: 'group', ability: 'read_group_deploy_tokens' },
          manage: { on: 'group', ability: 'manage_group_deploy_tokens' },
        },
      ] as const
    ).flatMap(({ noun, base, read, manage }) => [
      route({
        ...common,
        method: 'GET',
        path: base,
        summary: `List deploy tokens of a ${noun}`,
        access: read,
        params: Type.Object({ id: IdOrPath(noun), ...active }),
        pagination: 'offset',
        responses: { 200: ListOf(DeployTokenEntity) },
        handler: ({ params, subject, page }) => list(placeOf(subject).place, params.active, page),
      }),
      route({
        ...common,
        method: 'GET',
        path: `${base}/:token_id`,
        summary: `Get a deploy token of a ${noun}`,
        access: read,
        params: Type.Object({ id: IdOrPath(noun), token_id: Int({ description: 'Id of the token' }) }),
        responses: { 200: DeployTokenEntity },
        handler: async ({ params, subject }) => deployToken(await find(placeOf(subject), params.token_id)),
      }),
      route({
        ...common,
        method: 'POST',
        path: base,
        summary: `Create a deploy token of a ${noun}`,
        access: manage,
        params: Type.Object({
          id: IdOrPath(noun),
          name: Str({ maxLength: 255, description: 'Name of the token' }),
          scopes: List(Str(), { commas: true, description: `Of ${deployScopes.join(', ')}` }),
          expires_at: Optional(OrNull(DateTimeParam({ description: 'Never unless given' }))),
          username: Optional(OrNull(Str({ maxLength: 255, description: 'Made from the id unless given' }))),
        }),
        responses: { 201: NewDeployToken },
        handler: async (context) => {
          const { name, scopes, username, expires_at } = context.params;
          const values = { name, scopes, username, expiresAt: expires_at ?? null };
          const { row, secret } = await tokens.create(placeOf(context.subject), values, originOf(context));
          return { ...deployToken(row), token: secret };
        },
      }),
      route({
        ...common,
        method: 'DELETE',
        path: `${base}/:token_id`,
        summary: `Delete a deploy token of a ${noun}`,
        access: manage,
        params: Type.Object({ id: IdOrPath(noun), token_id: Int({ description: 'Id of the token' }) }),
        responses: { 204: Empty },
        conditional: true,
        handler: async (context) => {
          const where = placeOf(context.subject);
          const token = await find(where, context.params.token_id);
          context.unmodifiedSince(token.created_at);
          await tokens.remove(where, token, originOf(context));
        },
      }),
    ]),
  ];
}
