/** The API of moving and cloning issues. */
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { Bool, IdOrPath, Optional } from '../../../kernel/http/params/schema.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { findIssue } from './access.ts';
import { Issue } from './issues.entity.ts';
import { one } from './issues.params.ts';
import type { PresentIssue } from './issues.routes.ts';
import type { IssueTransfers } from './transferring.ts';

const common = { tag: 'Issues', credentials: ['token', 'session'] } as const;
const read = { on: 'project', ability: 'read_issue' } as const;
const target = { to_project_id: IdOrPath('Id or path of the project of the new issue') };

export function issueTransferRoutes(
  db: Db,
  parents: Pick<ParentLoader, 'project'>,
  transfers: IssueTransfers,
  present: PresentIssue,
): Route[] {
  async function projectOf(idOrPath: string, caller: Caller) {
    const found = await parents.project(idOrPath, caller);
    if (!found || !canOnProject(caller, 'read_project', found)) throw notFound('Project');
    return found;
  }

  return [
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/move',
      summary: 'Move an issue to another project',
      access: read,
      rate: 'issues_create',
      params: Type.Object({ ...one, ...target }),
      responses: { 201: Issue },
      handler: async ({ params, subject, caller }) => {
        const row = await findIssue(db, subject, caller, params.issue_iid);
        const there = await projectOf(params.to_project_id, caller);
        return await present(await transfers.move(subject, caller, row, there), caller);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: '/projects/:id/issues/:issue_iid/clone',
      summary: 'Clone an issue to the same or another project',
      access: read,
      rate: 'issues_create',
      params: Type.Object({
        ...one,
        ...target,
        with_notes: Optional(Bool({ default: false, description: 'Also copy the comments' })),
      }),
      responses: { 201: Issue },
      handler: async ({ params, subject, caller }) => {
        const row = await findIssue(db, subject, caller, params.issue_iid);
        const there = await projectOf(params.to_project_id, caller);
        const made = await transfers.clone(subject, caller, row, there, { withNotes: params.with_notes ?? false });
        return await present(made, caller);
      },
    }),
  ];
}
