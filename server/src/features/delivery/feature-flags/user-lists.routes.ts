/** Routes of lists of people that strategies of feature flags name. */
import Type from 'typebox';
import { originOf, recordAudit } from '../../../kernel/audit/index.ts';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { conflict, recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPage, offsetPage } from '../../../kernel/http/pagination.ts';
import { IdOrPath, Int32, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { nextIid } from '../../namespaces/index.ts';
import { UserList, userListJson } from './feature-flags.entity.ts';
import { refused } from './feature-flags.service.ts';
import { userIdsProblem } from './strategies.ts';
import * as queries from './user-lists.queries.ts';

const access = { on: 'project', ability: 'admin_feature_flags_user_lists' } as const;
const common = { tag: 'Feature flags', credentials: ['token', 'session'], access } as const;
const id = IdOrPath('Id or path of the project');
const one = { id, iid: Int32({ description: 'Number of the list in the project' }) };
const list = '/projects/:id/feature_flags_user_lists';
const path = `${list}/:iid`;
const name = Str({ maxLength: 255, description: 'Name of the list' });
const user_xids = Str({ maxLength: 1_000_000, description: 'External ids of users, separated by commas' });

function checked(values: { readonly name?: string; readonly user_xids?: string }): void {
  const problems: string[] = [];
  if (values.name?.trim() === '') problems.push("Name can't be blank");
  const wrong = values.user_xids === undefined ? null : userIdsProblem(values.user_xids, 'user_xids');
  if (wrong !== null) problems.push(`User xids ${wrong}`);
  if (problems.length > 0) throw refused(problems);
}

const nameTaken = (error: unknown): unknown =>
  isUniqueViolation(error, 'feature_flag_user_lists_name') ? refused(['Name has already been taken']) : error;

export function userListRoutes(db: Db): Route[] {
  type Context = Parameters<typeof originOf>[0] & { readonly subject: ProjectSubject };
  const recorded = (tx: Db, context: Context, event: string, row: { id: number; name: string }) => {
    const { project, namespace } = context.subject;
    return recordAudit(tx, {
      ...originOf(context),
      entity: { type: 'Project', id: project.id, path: `${namespace.full_path}/${project.path}` },
      event,
      details: { name: row.name },
      target: { type: 'FeatureFlagUserList', id: row.id, details: row.name },
    });
  };
  return [
    route({
      ...common,
      method: 'GET',
      path: list,
      summary: 'List user lists of feature flags',
      pagination: 'offset',
      params: Type.Object({ id, search: Optional(Str({ description: 'Part of the name' })) }),
      responses: { 200: ListOf(UserList) },
      handler: async ({ subject, params, page }) => {
        const { rows, total } = await queries.listUserLists(db, subject.project.id, params.search, page);
        return mapPage(offsetPage(page, rows, total), userListJson);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path,
      summary: 'Get a user list of feature flags',
      params: Type.Object(one),
      responses: { 200: UserList },
      handler: async ({ subject, params }) => {
        const found = await queries.findUserList(db, subject.project.id, params.iid);
        if (!found) throw recordNotFound();
        return userListJson(found);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: list,
      summary: 'Create a user list of feature flags',
      params: Type.Object({ id, name, user_xids }),
      responses: { 201: UserList },
      handler: async (context) => {
        const { id: _, ...values } = context.params;
        checked(values);
        const { project } = context.subject;
        const work = transaction(db, async (tx) => {
          const iid = await nextIid(tx, project.id, 'feature_flag_user_list');
          const row = await queries.insertUserList(tx, { ...values, project_id: project.id, iid });
          await recorded(tx, context, 'feature_flag_user_list_created', row);
          return userListJson(row);
        });
        return await work.catch((error: unknown) => {
          throw nameTaken(error);
        });
      },
    }),
    route({
      ...common,
      method: 'PUT',
      path,
      summary: 'Update a user list of feature flags',
      params: Type.Object({ ...one, name: Optional(name), user_xids: Optional(user_xids) }),
      responses: { 200: UserList },
      handler: async (context) => {
        const { id: _, iid, ...values } = context.params;
        checked(values);
        const work = transaction(db, async (tx) => {
          const found = await queries.lockUserList(tx, context.subject.project.id, iid);
          if (!found) throw recordNotFound();
          const row = await queries.updateUserList(tx, found.id, values);
          await recorded(tx, context, 'feature_flag_user_list_updated', row);
          return userListJson(row);
        });
        return await work.catch((error: unknown) => {
          throw nameTaken(error);
        });
      },
    }),
    route({
      ...common,
      method: 'DELETE',
      path,
      summary: 'Delete a user list that no strategy uses',
      params: Type.Object(one),
      responses: { 204: Empty },
      errors: [409],
      conditional: true,
      handler: async (context) => {
        await transaction(db, async (tx) => {
          const found = await queries.lockUserList(tx, context.subject.project.id, context.params.iid);
          if (!found) throw recordNotFound();
          context.unmodifiedSince(found.updated_at);
          if (await queries.isUsed(tx, found.id)) throw conflict('User list is associated with a strategy');
          await queries.deleteUserList(tx, found.id);
          await recorded(tx, context, 'feature_flag_user_list_deleted', found);
        });
        return answer(204, undefined);
      },
    }),
  ];
}
