/** Whether merge requests are approved, for a whole page of a list: a constant number of statements, and nothing from git. */
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { approversOfEach } from './approvals.queries.ts';
import { type ApprovalPlan, judge, planOf } from './judging.ts';
import { coverageHeldBy, levelsOn, membersOfGroups } from './people.queries.ts';
import { protectedBranchesOf, rulesOver } from './rules.queries.ts';
import { type ApprovalProject, approvalProjects } from './settings.queries.ts';
import { type StateDependencies, underInstance } from './state.service.ts';

/** Each with the commit that would be merged. */
type Listed = Pick<
  MergeRequest,
  'id' | 'project_id' | 'author_id' | 'target_branch' | 'approvals_before_merge' | 'head_sha'
>;

interface Planned {
  readonly row: Listed;
  readonly project: ApprovalProject;
  readonly plan: ApprovalPlan;
  readonly approvals: readonly number[];
}

/**
 * By id; without those where it depends on who made the commits, or on who owns the files that they change, which only git
 * knows. What is certain whoever that is, is told.
 */
export async function approvedOfEach(
  { db, settings }: Pick<StateDependencies, 'db' | 'settings'>,
  rows: readonly Listed[],
): Promise<ReadonlyMap<number, boolean>> {
  if (rows.length === 0) return new Map();
  const projectIds = [...new Set(rows.map(({ project_id }) => project_id))];
  const [projects, instance, rules, branches, approvals] = await Promise.all([
    approvalProjects(db, projectIds),
    settings.read(),
    rulesOver(db, rows),
    protectedBranchesOf(db, projectIds),
    approversOfEach(
      db,
      rows.map(({ id }) => id),
    ),
  ]);
  const planned = rows.flatMap((row): Planned[] => {
    const found = projects.get(row.project_id);
    if (!found) return [];
    const project = { ...found, settings: underInstance(found.settings, instance) };
    const stored = {
      project: rules.filter(
        ({ project_id, namespace_id }) =>
          project_id === project.id || (namespace_id !== null && project.groups.includes(namespace_id)),
      ),
      request: rules.filter(({ merge_request_id }) => merge_request_id === row.id),
    };
    const own = branches.filter(({ project_id }) => project_id === project.id);
    const plan = planOf(project, row, project.settings, stored, own);
    return [{ row, project, plan, approvals: approvals.get(row.id) ?? [] }];
  });
  const voted = planned.filter((each) => each.approvals.length > 0);
  const [members, levels, held] = await Promise.all([
    membersOfGroups(
      db,
      voted.flatMap(({ plan }) => plan.rules.flatMap(({ group_ids }) => group_ids)),
    ),
    levelsOn(
      db,
      voted.flatMap((each) => each.approvals.map((userId) => ({ projectId: each.row.project_id, userId }))),
    ),
    coverageHeldBy(
      db,
      planned.flatMap(({ row, plan }) =>
        plan.needsCoverage && row.head_sha !== null ? [{ id: row.id, head: row.head_sha }] : [],
      ),
    ),
  ]);
  return new Map(
    planned.flatMap((each) => {
      const approved = approvedOf(each, {
        members,
        levels: levels.get(each.row.project_id) ?? new Map(),
        coverageHolds: held.has(each.row.id),
      });
      return approved === null ? [] : [[each.row.id, approved] as const];
    }),
  );
}

/** Null where it depends on git. */
function approvedOf(
  { row, project, plan, approvals }: Planned,
  known: {
    readonly members: ReadonlyMap<number, readonly number[]>;
    readonly levels: ReadonlyMap<number, number>;
    readonly coverageHolds: boolean;
  },
): boolean | null {
  const { members, levels, coverageHolds } = known;
  const without = (barred: readonly number[]) =>
    judge(plan, { facts: { approvals, levels, barred: new Set(barred) }, members, owned: [], coverageHolds }).approved;
  const author = project.settings.merge_requests_author_approval || row.author_id === null ? [] : [row.author_id];
  if (!without(author)) return false;
  if (plan.ownersRequired) return null;
  const committersToo = project.settings.merge_requests_disable_committers_approval;
  return !committersToo || without(approvals) ? true : null;
}
