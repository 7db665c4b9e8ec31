/** CI/CD variables of projects, groups and the instance: one set of handlers, three places. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage, type Page } from '../../../kernel/http/pagination.ts';
import { Bool, IdOrPath, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { type Context, Empty, type Route, route } from '../../../kernel/http/route.ts';
import type { CiDependencies } from '../deps.ts';
import { VariableEntity, variableJson } from './variables.entity.ts';
import { deleteVariable, listVariables, type VariableOwner } from './variables.queries.ts';
import { type VariableInput, variablesService } from './variables.service.ts';

const tag = 'CI/CD variables';
const credentials = ['token', 'session'] as const;
const key = Str({ description: 'Key of the variable' });
const filter = Optional(
  Type.Object(
    {
      environment_scope: Optional(
        Str({ description: 'Environments that the variable is for: a name, or a pattern with `*`' }),
      ),
    },
    { description: 'Which of several variables with this key' },
  ),
);

const values = {
  value: Str({ description: 'Value of the variable' }),
  variable_type: Optional(
    OneOf(['env_var', 'file'], {
      description: '`env_var`: a variable of the environment; `file`: the path of a file with the value',
    }),
  ),
  protected: Optional(Bool({ description: 'Only for protected branches and tags' })),
  masked: Optional(Bool({ description: 'Hidden in logs' })),
  raw: Optional(Bool({ description: 'Not expanded' })),
  environment_scope: Optional(
    Str({ description: 'Environments that the variable is for: a name, or a pattern with `*`' }),
  ),
  description: Optional(OrNull(Str({ description: 'What the variable is for' }))),
};
const creation = { key, ...values, masked_and_hidden: Optional(Bool({ description: 'Also never shown again' })) };
const change = { ...values, value: Optional(Str({ description: 'Value of the variable' })), key, filter };

const project = { on: 'project', ability: 'admin_ci_variable' } as const;
const group = { on: 'group', ability: 'admin_group_ci_variable' } as const;
const instance = { on: 'instance', ability: 'admin' } as const;
/** Variables of the instance hold in every environment: a key has one of them. */
const { environment_scope: _ofCreation, ...creationEverywhere } = creation;
const { environment_scope: _ofChange, filter: _filter, ...changeEverywhere } = change;

export function variableRoutes(deps: CiDependencies): Route[] {
  const { db } = deps;
  const variables = variablesService(deps);

  async function list(owner: VariableOwner, page: Page) {
    const { rows, total } = await listVariables(db, owner, page);
    return mapPage(offsetPage(page, rows, total), (row) => variableJson(row, variables.valueOf(row)));
  }
  async function get(owner: VariableOwner, name: string, scope: string | undefined) {
    const row = await variables.find(db, owner, name, scope);
    return variableJson(row, variables.valueOf(row));
  }
  async function create(owner: VariableOwner, input: VariableInput) {
    const row = await transaction(db, async (tx) => variables.create(tx, owner, input));
    return variableJson(row, input.value);
  }
  async function update(
    owner: VariableOwner,
    input: Partial<VariableInput> & { key: string },
    scope: string | undefined,
  ) {
    const row = await transaction(db, async (tx) =>
      variables.update(tx, await variables.find(tx, owner, input.key, scope), input),
    );
    return variableJson(row, variables.valueOf(row));
  }
  async function remove(
    owner: VariableOwner,
    name: string,
    scope: string | undefined,
    { unmodifiedSince }: Pick<Context, 'unmodifiedSince'>,
  ): Promise<void> {
    await transaction(db, async (tx) => {
      const row = await variables.find(tx, owner, name, scope);
      unmodifiedSince(row.updated_at);
      if (!(await deleteVariable(tx, row.id))) throw notFound('Variable');
    });
  }

  const ofProject = (subject: { project: { id: number } }) => ({ projectId: subject.project.id, namespaceId: null });
  const ofGroup = (subject: { group: { id: number } }) => ({ projectId: null, namespaceId: subject.group.id });
  const ofInstance = { projectId: null, namespaceId: null };
  const projectId = IdOrPath('Id or path of the project');
  const groupId = IdOrPath('Id or path of the group');
  const common = { tag, credentials } as const;
  const scopeOf = (params: { filter?: { environment_scope?: string | undefined } | undefined }) =>
    params.filter?.environment_scope;

  return [
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/variables',
      summary: 'List variables of a project',
      access: project,
      params: Type.Object({ id: projectId }),
      pagination: 'offset',
      responses: { 200: ListOf(VariableEntity) },
      handler: async ({ subject, page }) => list(ofProject(subject), page),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/variables',
      summary: 'Create a variable of a project',
      access: project,
      params: Type.Object({ ...creation, id: projectId }),
      responses: { 201: VariableEntity },
      handler: async ({ subject, params }) => create(ofProject(subject), params),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/variables/:key',
      summary: 'Get a variable of a project',
      access: project,
      params: Type.Object({ id: projectId, key, filter }),
      responses: { 200: VariableEntity },
      errors: [409],
      handler: async ({ subject, params }) => get(ofProject(subject), params.key, scopeOf(params)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id/variables/:key',
      summary: 'Update a variable of a project',
      access: project,
      params: Type.Object({ ...change, id: projectId }),
      responses: { 200: VariableEntity },
      errors: [409],
      handler: async ({ subject, params }) => update(ofProject(subject), params, scopeOf(params)),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/projects/:id/variables/:key',
      summary: 'Delete a variable of a project',
      access: project,
      params: Type.Object({ id: projectId, key, filter }),
      responses: { 204: Empty },
      errors: [409],
      conditional: true,
      handler: async (context) =>
        remove(ofProject(context.subject), context.params.key, scopeOf(context.params), context),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/variables',
      summary: 'List variables of a group',
      access: group,
      params: Type.Object({ id: groupId }),
      pagination: 'offset',
      responses: { 200: ListOf(VariableEntity) },
      handler: async ({ subject, page }) => list(ofGroup(subject), page),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/groups/:id/variables',
      summary: 'Create a variable of a group',
      access: group,
      params: Type.Object({ ...creation, id: groupId }),
      responses: { 201: VariableEntity },
      handler: async ({ subject, params }) => create(ofGroup(subject), params),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/groups/:id/variables/:key',
      summary: 'Get a variable of a group',
      access: group,
      params: Type.Object({ id: groupId, key, filter }),
      responses: { 200: VariableEntity },
      errors: [409],
      handler: async ({ subject, params }) => get(ofGroup(subject), params.key, scopeOf(params)),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/groups/:id/variables/:key',
      summary: 'Update a variable of a group',
      access: group,
      params: Type.Object({ ...change, id: groupId }),
      responses: { 200: VariableEntity },
      errors: [409],
      handler: async ({ subject, params }) => update(ofGroup(subject), params, scopeOf(params)),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/groups/:id/variables/:key',
      summary: 'Delete a variable of a group',
      access: group,
      params: Type.Object({ id: groupId, key, filter }),
      responses: { 204: Empty },
      errors: [409],
      conditional: true,
      handler: async (context) =>
        remove(ofGroup(context.subject), context.params.key, scopeOf(context.params), context),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/admin/ci/variables',
      summary: 'List variables of the instance',
      access: instance,
      params: Type.Object({}),
      pagination: 'offset',
      responses: { 200: ListOf(VariableEntity) },
      handler: async ({ page }) => list(ofInstance, page),
    }),
    route({
      ...common,
      method: 'POST',
      path: '/admin/ci/variables',
      summary: 'Create a variable of the instance',
      access: instance,
      params: Type.Object(creationEverywhere),
      responses: { 201: VariableEntity },
      handler: async ({ params }) => create(ofInstance, params),
    }),
    route({
      ...common,
      method: 'GET',
      path: '/admin/ci/variables/:key',
      summary: 'Get a variable of the instance',
      access: instance,
      params: Type.Object({ key }),
      responses: { 200: VariableEntity },
      handler: async ({ params }) => get(ofInstance, params.key, undefined),
    }),
    route({
      ...common,
      method: 'PUT',
      path: '/admin/ci/variables/:key',
      summary: 'Update a variable of the instance',
      access: instance,
      params: Type.Object(changeEverywhere),
      responses: { 200: VariableEntity },
      handler: async ({ params }) => update(ofInstance, params, undefined),
    }),
    route({
      ...common,
      method: 'DELETE',
      path: '/admin/ci/variables/:key',
      summary: 'Delete a variable of the instance',
      access: instance,
      params: Type.Object({ key }),
      responses: { 204: Empty },
      conditional: true,
      handler: async (context) => remove(ofInstance, context.params.key, undefined, context),
    }),
  ];
}
