/** The approvals of a merge request: its rules, who may approve, who has, and what is left. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import type { Settings } from '../../../kernel/settings/index.ts';
import { baseOf, matchesPattern, type RepositoryAccess, stackBase } from '../../repository/index.ts';
import { type Approval, approvalsOf } from './approvals.queries.ts';
import { codeOwnerRules } from './code-owner-rules.ts';
import { coverageHolds, membersOfGroups, pushersOf, usersOfAddresses, type Voter, votersOf } from './people.queries.ts';
import { type ApprovalRule, protectedBranches, type RuleBranch, rulesFor } from './rules.queries.ts';
import { type ApprovalSettings, settingsUnderGroups } from './settings.queries.ts';
import { type ApprovalFacts, effectiveRules, mayVote, outcomeOf, type RuleOutcome } from './state.ts';

export interface StateDependencies {
  readonly db: Db;
  readonly settings: Pick<Settings, 'read'>;
  readonly repository: Pick<
    RepositoryAccess,
    'branch' | 'changedPaths' | 'codeOwners' | 'commitsBetween' | 'isAncestor' | 'mergeBase' | 'patchId'
  >;
}

/** A rule with its outcome. A rule of code owners is computed and has no row. */
export interface JudgedRule extends RuleOutcome {
  readonly rule: ApprovalRule | null;
  readonly name: string;
  readonly type: ApprovalRule['rule_type'] | 'code_owner';
  readonly section: string | null;
  readonly approvalsRequired: number;
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
  return {
    ...own,
    disable_overriding_approvers_per_merge_request:
      own.disable_overriding_approvers_per_merge_request || instance.disable_overriding_approvers_per_merge_request,
    merge_requests_author_approval:
      own.merge_requests_author_approval && !instance.prevent_merge_requests_author_approval,
    merge_requests_disable_committers_approval:
      own.merge_requests_disable_committers_approval || instance.prevent_merge_requests_committers_approval,
  };
}

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

  /** `own`: what the request asks for itself, of anybody. */
  async function requiredBy(rule: ApprovalRule, row: MergeRequest, heads: RequestHeads | null, own: number) {
    if (rule.rule_type === 'any_approver') return Math.max(rule.approvals_required, own);
    if (rule.report_type !== 'code_coverage' || rule.approvals_required === 0) return rule.approvals_required;
    return heads && (await coverageHolds(db, row, heads.head)) ? 0 : rule.approvals_required;
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
    const matching = branches.filter(({ name }) => matchesPattern(name, row.target_branch));
    const overridable = !settings.disable_overriding_approvers_per_merge_request;
    const own = overridable ? (row.approvals_before_merge ?? 0) : 0;
    const { overwritten, rules } = effectiveRules(
      stored.project,
      stored.request,
      overridable,
      new Set(matching.map(({ id }) => id)),
    );
    const [barred, approvals, owned, members] = await Promise.all([
      barredFrom(subject, row, settings, heads),
      standing(subject, row, settings, heads),
      heads ? codeOwnerRules(deps, project, row, heads) : [],
      membersOfGroups(
        db,
        rules.flatMap(({ group_ids }) => group_ids),
      ),
    ]);
    const approversOf = (rule: ApprovalRule) =>
      rule.rule_type === 'any_approver'
        ? null
        : new Set([...rule.user_ids, ...rule.group_ids.flatMap((id) => members.get(id) ?? [])]);
    const listed = rules.map((rule) => ({ rule, approvers: approversOf(rule) }));
    const voters = await votersOf(db, project.id, [
      ...listed.flatMap(({ approvers }) => [...(approvers ?? [])]),
      ...owned.flatMap(({ approvers }) => [...approvers]),
      ...approvals.map(({ user_id }) => user_id),
      ...(asker === null ? [] : [asker]),
    ]);
    const facts: ApprovalFacts = {
      approvals: approvals.map(({ user_id }) => user_id),
      levels: new Map([...voters].map(([id, { level }]) => [id, level])),
      barred,
    };
    const judged = await Promise.all(
      listed.map(async ({ rule, approvers }): Promise<JudgedRule> => {
        const approvalsRequired = await requiredBy(rule, row, heads, own);
        const { name, rule_type: type } = rule;
        return {
          rule,
          name,
          type,
          section: null,
          approvalsRequired,
          ...outcomeOf({ approvalsRequired, approvers }, facts),
        };
      }),
    );
    const ownersRequired = matching.some((branch) => branch.code_owner_approval_required);
    const byOwners = owned.map(({ name, section, approvers, ...entry }): JudgedRule => {
      const asked = ownersRequired ? entry.approvalsRequired : 0;
      const outcome = outcomeOf({ approvalsRequired: asked, approvers }, facts);
      // An entry whose owners may all not approve asks for what nobody can give: the file is nobody's.
      const nobody = outcome.eligible.length === 0;
      const left = nobody ? 0 : outcome.left;
      return {
        ...{ rule: null, name, type: 'code_owner', section, ...outcome },
        ...{ approvalsRequired: nobody ? 0 : asked, left, approved: left === 0 },
      };
    });
    const minimum = rules.some(({ rule_type }) => rule_type === 'any_approver')
      ? 0
      : Math.max(project.approvals_before_merge, own);
    const fallback = outcomeOf({ approvalsRequired: minimum, approvers: null }, facts);
    const all = [...judged, ...byOwners];
    const sum = (of: (each: JudgedRule) => number, more: number) => all.reduce((total, each) => total + of(each), more);
    const named = new Set([
      ...listed.flatMap(({ approvers }) => [...(approvers ?? [])]),
      ...owned.flatMap(({ approvers }) => [...approvers]),
    ]);
    return {
      settings,
      overwritten,
      rules: all,
      approvals,
      voters,
      branches,
      required: sum((each) => each.approvalsRequired, minimum),
      left: sum((each) => each.left, fallback.left),
      approved: fallback.approved && all.every((each) => each.approved),
      mayApprove: (userId) =>
        row.state === 'opened' && !facts.approvals.includes(userId) && mayVote(facts, userId, named.has(userId)),
    };
  }

  return { stateOf };
}

export type ApprovalStates = ReturnType<typeof approvalStates>;
