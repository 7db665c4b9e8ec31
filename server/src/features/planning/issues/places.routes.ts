/** The order of issues within a project, and who takes part in one. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { ListOf } from '../../../kernel/http/entity.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import { mapPresent, slicePage } from '../../../kernel/http/pagination.ts';
import { atLeastOneOf } from '../../../kernel/http/params/groups.ts';
import { Int, Optional, rules } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findReferences, UserReference, userReference } from '../../identity/index.ts';
import { findIssue, mayReadIssue } from './access.ts';
import { tellIssue } from './changes.ts';
import { Issue } from './issues.entity.ts';
import { one } from './issues.params.ts';
import { issueById } from './issues.queries.ts';
import type { PresentIssue } from './issues.routes.ts';
import { lockOrder, participantsOf, reorder } from './places.queries.ts';

const common = { tag: 'Issues', credentials: ['token', 'session'] } as const;
const read = { on: 'project', ability: 'read_issue' } as const;

export function issuePlaceRoutes(db: Db, base: string, present: PresentIssue): Route[] {
  return [
    route({
      ...common,
      method: 'PUT',
      path: '/projects/:id/issues/:issue_iid/reorder',
      summary: 'Reorder an issue in its project',
      access: read,
      params: Type.Object(
        {
          ...one,
          move_after_id: Optional(Int({ description: 'Id of the issue that it comes after' })),
          move_before_id: Optional(Int({ description: 'Id of the issue that it comes before' })),
        },
        rules(atLeastOneOf('move_after_id', 'move_before_id')),
      ),
      responses: { 200: Issue },
      handler: async ({ params, subject, caller }) => {
        const issue = await findIssue(db, subject, caller, params.issue_iid);
        requireOnProject(caller, 'update_issue', subject);
        const neighbours = [params.move_after_id ?? null, params.move_before_id ?? null];
        for (const id of neighbours) {
          const other = id === null ? null : await issueById(db, id);
          if (other === null) continue;
          const here = other?.project_id === subject.project.id && other.id !== issue.id;
          if (!other || !here || !(await mayReadIssue(db, subject, caller, other))) throw recordNotFound();
        }
        const [after = null, before = null] = neighbours;
        const changed = await transaction(db, async (tx) => {
          const [root = subject.namespace.id] = subject.namespace.traversal_ids;
          await lockOrder(tx, root);
          await reorder(tx, root, issue.id, { after, before });
          const row = await issueById(tx, issue.id);
          if (row) await tellIssue(tx, 'updated', row, caller.user?.id ?? null);
          return row;
        });
        if (!changed) throw recordNotFound();
        return await present(changed, caller);
      },
    }),
    route({
      ...common,
      method: 'GET',
      path: '/projects/:id/issues/:issue_iid/participants',
      summary: 'List participants of an issue',
      access: read,
      params: Type.Object(one),
      pagination: 'offset',
      responses: { 200: ListOf(UserReference) },
      handler: async ({ params, subject, caller, page }) => {
        const issue = await findIssue(db, subject, caller, params.issue_iid);
        const ids = await participantsOf(db, issue.id, canOnProject(caller, 'read_internal_note', subject));
        const paged = slicePage(page, ids);
        const people = await findReferences(db, paged.items);
        return mapPresent(paged, (id) => {
          const found = people.get(id);
          return found && userReference(found, base);
        });
      },
    }),
  ];
}
