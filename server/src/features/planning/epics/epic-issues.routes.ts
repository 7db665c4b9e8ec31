/** The API of the issues of an epic: which they are, and their order. */
import Type from 'typebox';
import { canOnGroup } from '../../../kernel/authz/can.ts';
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Epic as EpicRow, Issue as IssueRow } from '../../../kernel/db/rows.ts';
import { Entity, Id, ListOf } from '../../../kernel/http/entity.ts';
import { notFound, plainError, recordNotFound } from '../../../kernel/http/errors.ts';
import { slicePage, withItems } from '../../../kernel/http/pagination.ts';
import { Int, Optional } from '../../../kernel/http/params/schema.ts';
import { type ParentLoader, requireOnProject } from '../../../kernel/http/parents.ts';
import { type Route, route } from '../../../kernel/http/route.ts';
import { mayReadIssue } from '../issues/access.ts';
import { Issue, issueJson } from '../issues/issues.entity.ts';
import { issueById, withDetails } from '../issues/issues.queries.ts';
import type { PresentIssue } from '../issues/issues.routes.ts';
import type { IssueService } from '../issues/issues.service.ts';
import { issuesOfEpic, orderOfIssues, setOrderOfIssues } from './epic-issues.queries.ts';
import { Epic } from './epics.entity.ts';
import { lockEpic } from './epics.queries.ts';
import { moved } from './ordering.ts';
import { epicRoute, oneEpic, type PresentEpics, readEpic } from './presenting.ts';

const issuesPath = '/groups/:id/epics/:epic_iid/issues';
const association = { ...oneEpic, epic_issue_id: Int({ description: 'Id of the association of issue and epic' }) };

const noMatch = () => plainError(404, 'No matching issue found. Make sure that you are adding a valid issue URL.');

const { subscribed: _, ...listed } = Issue.properties;
const EpicIssue = Entity('EpicIssue', {
  ...listed,
  epic_issue_id: Id({ description: 'Id of the association' }),
  relative_position: Id({ description: 'Place among the issues of the epic' }),
});
const EpicIssueLink = Entity('EpicIssueLink', {
  id: Id({ description: 'Id of the association' }),
  epic: Epic,
  issue: Issue,
});

export function epicIssueRoutes({
  db,
  base,
  parents,
  issues,
  presentIssue,
  present,
}: {
  readonly db: Db;
  readonly base: string;
  readonly parents: Pick<ParentLoader, 'projects'>;
  readonly issues: IssueService;
  readonly presentIssue: PresentIssue;
  readonly present: PresentEpics;
}): Route[] {
  /** The project of an issue, where the caller may plan it. */
  async function projectOf(row: IssueRow | undefined, caller: Caller) {
    const there = row && (await parents.projects([row.project_id], caller)).get(row.project_id);
    if (!row || !there || !(await mayReadIssue(db, there, caller, row))) throw recordNotFound();
    requireOnProject(caller, 'update_issue', there);
    return { row, there };
  }
  async function shown(rows: readonly IssueRow[], { group }: GroupSubject, caller: Caller) {
    const loaded = await withDetails(db, rows, caller);
    return loaded.map((each) => ({
      ...issueJson(each, base, { groupId: group.id }),
      epic_issue_id: each.row.epic_issue_id ?? 0,
      relative_position: each.row.epic_position ?? 0,
    }));
  }
  const link = async (id: number | null, epic: EpicRow, issue: IssueRow, caller: Caller) => ({
    id: id ?? 0,
    epic: await present.one(epic, caller),
    issue: await presentIssue(issue, caller),
  });

  return [
    route({
      ...epicRoute,
      method: 'GET',
      path: issuesPath,
      summary: 'List issues of an epic',
      access: readEpic,
      params: Type.Object(oneEpic),
      pagination: 'offset',
      responses: { 200: ListOf(EpicIssue) },
      handler: async ({ params, subject, caller, page }) => {
        const epic = await present.find(subject, caller, params.epic_iid);
        const paged = slicePage(page, await issuesOfEpic(db, epic.id, caller));
        return withItems(paged, await shown(paged.items, subject, caller));
      },
    }),
    route({
      ...epicRoute,
      method: 'POST',
      path: `${issuesPath}/:issue_id`,
      summary: 'Assign an issue to an epic',
      access: readEpic,
      params: Type.Object({ ...oneEpic, issue_id: Int({ description: 'Id of the issue' }) }),
      responses: { 201: EpicIssueLink },
      handler: async ({ params, subject, caller }) => {
        const epic = await present.find(subject, caller, params.epic_iid);
        const { row, there } = await projectOf(await issueById(db, params.issue_id), caller);
        // Anybody may read an open group's epics; what comes from elsewhere is added by its members.
        const inTree = there.namespace.traversal_ids.includes(epic.namespace_id);
        if (!inTree && !canOnGroup(caller, 'admin_epic_link', subject)) throw noMatch();
        const changed = await issues.update(there, caller, row, { epic_id: epic.id });
        return await link(changed.epic_issue_id, epic, changed, caller);
      },
    }),
    route({
      ...epicRoute,
      method: 'PUT',
      path: `${issuesPath}/:epic_issue_id`,
      summary: 'Reorder an issue of an epic',
      access: { on: 'group', ability: 'update_epic' },
      params: Type.Object({
        ...association,
        move_before_id: Optional(Int({ description: 'Id of the association that comes right before it' })),
        move_after_id: Optional(Int({ description: 'Id of the association that comes right after it' })),
      }),
      responses: { 200: ListOf(EpicIssue) },
      handler: async ({ params, subject, caller }) => {
        const epic = await present.find(subject, caller, params.epic_iid);
        const move = { id: params.epic_issue_id, before: params.move_before_id, after: params.move_after_id };
        const seen = await issuesOfEpic(db, epic.id, caller);
        // What the caller does not see is no neighbour for them.
        moved(
          seen.flatMap(({ epic_issue_id: id }) => id ?? []),
          move,
          'EpicIssue',
        );
        await transaction(db, async (tx) => {
          await lockEpic(tx, epic.id);
          await setOrderOfIssues(tx, epic.id, moved(await orderOfIssues(tx, epic.id), move, 'EpicIssue'));
        });
        return await shown(await issuesOfEpic(db, epic.id, caller), subject, caller);
      },
    }),
    route({
      ...epicRoute,
      method: 'DELETE',
      path: `${issuesPath}/:epic_issue_id`,
      summary: 'Remove an issue from an epic',
      access: readEpic,
      params: Type.Object(association),
      responses: { 200: EpicIssueLink },
      conditional: true,
      handler: async ({ params, subject, caller, unmodifiedSince }) => {
        const epic = await present.find(subject, caller, params.epic_iid);
        const all = await issuesOfEpic(db, epic.id, caller);
        const found = all.find((each) => each.epic_issue_id === params.epic_issue_id);
        if (!found) throw notFound('EpicIssue');
        const { row, there } = await projectOf(found, caller);
        unmodifiedSince(row.updated_at);
        const changed = await issues.leaveEpic(there, caller, row, epic.id);
        return await link(params.epic_issue_id, epic, changed, caller);
      },
    }),
  ];
}
