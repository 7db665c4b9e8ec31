/** The approvals of a merge request: its rules, who may approve, who has, and what is left. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { baseOf, type RepositoryAccess, stackBase } from '../../repository/index.ts';
import { type Approval, approvalsOf } from './approvals.queries.ts';
import { codeOwnerRules } from './code-owner-rules.ts';
import { approversOf, type JudgedRule, judge, planOf } from './judging.ts';
import { coverageHolds, membersOfGroups, pushersOf, usersOfAddresses, type Voter, votersOf } from './people.queries.ts';
import { protectedBranches, type RuleBranch, rulesFor } from './rules.queries.ts';
import { type ApprovalSettings, settingsUnderGroups } from './settings.queries.ts';
import { type ApprovalFacts, mayVote } from './state.ts';

export interface StateDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly repository: Pick<
    RepositoryAccess,
    'branch' | 'changedPaths' | 'codeOwners' | 'commitsBetween' | 'isAncestor' | 'mergeBase' | 'patchId'
  >;
}

export interface ApprovalState {
  readonly settings: ApprovalSettings;
  readonly overwritten: boolean;
  readonly rules: readonly JudgedRule[];
  readonly approvals: readonly Approval[];
  readonly voters: ReadonlyMap<number, Voter>;
  readonly branches: readonly RuleBranch[];
  readonly required: number;
  readonly left: number;
  readonly approved: boolean;
  /** Whether they may approve now, if they have not. */
  mayApprove(userId: number): boolean;
}

/** The commits of a request: those that it would bring now. */
export interface RequestHeads {
  readonly head: string;
  readonly target: string;
}

const batch = 1000;

/** What the instance and the groups above require counts over what the project says. */
export async function effectiveSettings(
  { db, settings }: Pick<StateDependencies, 'db' | 'settings'>,
  projectId: number,
): Promise<ApprovalSettings> {
  const [own, instance] = await Promise.all([settingsUnderGroups(db, projectId), settings.read()]);
  return underInstance(own, instance);
}

/** The settings of a project as far as the instance lets it have them. */
export const underInstance = (
  own: ApprovalSettings,
  instance: Awaited<ReturnType<StateDependencies['settings']['read']>>,
): ApprovalSettings => ({
  ...own,
  disable_overriding_approvers_per_merge_request:
    own.disable_overriding_approvers_per_merge_request || instance.disable_overriding_approvers_per_merge_request,
  merge_requests_author_approval:
    own.merge_requests_author_approval && !instance.prevent_merge_requests_author_approval,
  merge_requests_disable_committers_approval:
    own.merge_requests_disable_committers_approval || instance.prevent_merge_requests_committers_approval,
});

export function approvalStates(deps: StateDependencies) {
  const { db, repository } = deps;

  /** Who made the commits of a request: who pushed them, and whose confirmed addresses they have. */
  async function contributors(subject: ProjectSubject, row: MergeRequest, { head, target }: RequestHeads) {
    const found = new Set<number>();
    const from = (await stackBase(repository, subject.project, row, { head, target })) ?? target;
    for (let skip = 0; ; skip += batch) {
      const commits = await repository.commitsBetween(subject, from, head, { skip, limit: batch });
      const addresses = commits.flatMap(({ author_email, committer_email }) => [author_email, committer_email]);
      const projects = [row.project_id, ...(row.source_project_id === null ? [] : [row.source_project_id])];
      const [users, pushers] = await Promise.all([
        usersOfAddresses(db, addresses),
        pushersOf(
          db,
          projects,
          commits.map(({ id }) => id),
        ),
      ]);
      for (const id of users.values()) found.add(id);
      for (const { user_id } of pushers) found.add(user_id);
      if (commits.length < batch) return found;
    }
  }

  async function barredFrom(
    subject: ProjectSubject,
    row: MergeRequest,
    settings: ApprovalSettings,
    heads: RequestHeads | null,
  ): Promise<ReadonlySet<number>> {
    const barred = new Set<number>();
    if (!settings.merge_requests_author_approval && row.author_id !== null) barred.add(row.author_id);
    if (settings.merge_requests_disable_committers_approval && heads)
      for (const id of await contributors(subject, row, heads)) barred.add(id);
    return barred;
  }

  /** Approvals that a push took back count for nothing, also while nobody has processed that push. */
  async function standing(
    { project }: ProjectSubject,
    row: MergeRequest,
    settings: ApprovalSettings,
    heads: RequestHeads | null,
  ): Promise<readonly Approval[]> {
    const all = await approvalsOf(db, row.id);
    if (!settings.reset_approvals_on_push || heads === null || heads.head === row.head_sha) return all;
    if (all.every(({ head_sha }) => head_sha === heads.head)) return all;
    const base = await baseOf(repository, project, row, heads);
    const patch = await repository.patchId(project, base, heads.head);
    return all.filter(({ head_sha, patch_id }) => head_sha === heads.head || patch_id === patch);
  }

  /** `heads` are the live ones where the caller knows them; without, those that the request has followed. */
  async function stateOf(
    subject: ProjectSubject,
    row: MergeRequest,
    live?: RequestHeads | null,
    asker: number | null = null,
  ): Promise<ApprovalState> {
    const { project } = subject;
    const [settings, stored, branches, tip] = await Promise.all([
      effectiveSettings(deps, project.id),
      rulesFor(db, row),
      protectedBranches(db, project.id),
      live === undefined ? repository.branch(project, row.target_branch) : null,
    ]);
    const target = tip ?? row.start_sha;
    const heads = live ?? (row.head_sha === null || target === null ? null : { head: row.head_sha, target });
    const plan = planOf(project, row, settings, stored, branches);
    const [barred, approvals, owned, members, holds] = await Promise.all([
      barredFrom(subject, row, settings, heads),
      standing(subject, row, settings, heads),
      heads ? codeOwnerRules(deps, project, row, heads) : [],
      membersOfGroups(
        db,
        plan.rules.flatMap(({ group_ids }) => group_ids),
      ),
      plan.needsCoverage && heads ? coverageHolds(db, row, heads.head) : false,
    ]);
    const voters = await votersOf(db, project.id, [
      ...plan.rules.flatMap((rule) => [...(approversOf(rule, members) ?? [])]),
      ...owned.flatMap(({ approvers }) => [...approvers]),
      ...approvals.map(({ user_id }) => user_id),
      ...(asker === null ? [] : [asker]),
    ]);
    const facts: ApprovalFacts = {
      approvals: approvals.map(({ user_id }) => user_id),
      levels: new Map([...voters].map(([id, { level }]) => [id, level])),
      barred,
    };
    const { named, ...judged } = judge(plan, { facts, members, owned, coverageHolds: holds });
    return {
      ...{ settings, overwritten: plan.overwritten, ...judged, approvals, voters, branches },
      mayApprove: (userId) =>
        row.state === 'opened' && !facts.approvals.includes(userId) && mayVote(facts, userId, named.has(userId)),
    };
  }

  return { stateOf };
}

export type ApprovalStates = ReturnType<typeof approvalStates>;
