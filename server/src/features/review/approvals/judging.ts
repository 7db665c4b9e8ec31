/** What the rules of a merge request come to. Pure: everything that was loaded in, the outcome of each rule out. */
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { matchesPattern } from '../../repository/index.ts';
import type { CodeOwnerRule } from './code-owner-rules.ts';
import type { ApprovalRule, RuleBranch } from './rules.queries.ts';
import type { ApprovalSettings } from './settings.queries.ts';
import { type ApprovalFacts, effectiveRules, outcomeOf, type RuleOutcome } from './state.ts';

/** A rule with its outcome. A rule of code owners is computed and has no row. */
export interface JudgedRule extends RuleOutcome {
  readonly rule: ApprovalRule | null;
  readonly name: string;
  readonly type: ApprovalRule['rule_type'] | 'code_owner';
  readonly section: string | null;
  readonly approvalsRequired: number;
}

/** What a request asks for, before it is known who has approved. */
export interface ApprovalPlan {
  readonly overwritten: boolean;
  readonly rules: readonly ApprovalRule[];
  /** What the request asks for itself, of anybody. */
  readonly own: number;
  /** Approvals of anybody, where no rule is about them. */
  readonly minimum: number;
  /** Whether the target branch needs the approvals of code owners. */
  readonly ownersRequired: boolean;
  /** Whether a rule depends on the coverage of the head. */
  readonly needsCoverage: boolean;
}

const dependsOnCoverage = (rule: ApprovalRule) =>
  rule.rule_type !== 'any_approver' && rule.report_type === 'code_coverage' && rule.approvals_required > 0;

export function planOf(
  project: Pick<Project, 'approvals_before_merge'>,
  row: Pick<MergeRequest, 'target_branch' | 'approvals_before_merge'>,
  settings: ApprovalSettings,
  stored: { readonly project: readonly ApprovalRule[]; readonly request: readonly ApprovalRule[] },
  branches: readonly Pick<RuleBranch, 'id' | 'name' | 'code_owner_approval_required'>[],
): ApprovalPlan {
  const matching = branches.filter(({ name }) => matchesPattern(name, row.target_branch));
  const overridable = !settings.disable_overriding_approvers_per_merge_request;
  const own = overridable ? (row.approvals_before_merge ?? 0) : 0;
  const targets = new Set(matching.map(({ id }) => id));
  const { overwritten, rules } = effectiveRules(stored.project, stored.request, overridable, targets);
  const anybody = rules.some(({ rule_type }) => rule_type === 'any_approver');
  return {
    ...{ overwritten, rules, own },
    minimum: anybody ? 0 : Math.max(project.approvals_before_merge, own),
    ownersRequired: matching.some((branch) => branch.code_owner_approval_required),
    needsCoverage: rules.some(dependsOnCoverage),
  };
}

export interface Judgement {
  readonly rules: readonly JudgedRule[];
  /** Whom rules and code owners name. */
  readonly named: ReadonlySet<number>;
  readonly required: number;
  readonly left: number;
  readonly approved: boolean;
}

/** `members` are those of the groups that rules name; `coverageHolds` is asked for where the plan needs it. */
export function judge(
  plan: ApprovalPlan,
  known: {
    readonly facts: ApprovalFacts;
    readonly members: ReadonlyMap<number, readonly number[]>;
    readonly owned: readonly CodeOwnerRule[];
    readonly coverageHolds: boolean;
  },
): Judgement {
  const { facts, members, owned, coverageHolds } = known;
  const requiredBy = (rule: ApprovalRule) => {
    if (rule.rule_type === 'any_approver') return Math.max(rule.approvals_required, plan.own);
    return dependsOnCoverage(rule) && coverageHolds ? 0 : rule.approvals_required;
  };
  const listed = plan.rules.map((rule) => ({ rule, approvers: approversOf(rule, members) }));
  const judged = listed.map(({ rule, approvers }): JudgedRule => {
    const { name, rule_type: type } = rule;
    const approvalsRequired = requiredBy(rule);
    return {
      ...{ rule, name, type, section: null, approvalsRequired },
      ...outcomeOf({ approvalsRequired, approvers }, facts),
    };
  });
  const byOwners = owned.map(({ name, section, approvers, ...entry }): JudgedRule => {
    const asked = plan.ownersRequired ? entry.approvalsRequired : 0;
    const outcome = outcomeOf({ approvalsRequired: asked, approvers }, facts);
    // An entry whose owners may all not approve asks for what nobody can give: the file is nobody's.
    const nobody = outcome.eligible.length === 0;
    const left = nobody ? 0 : outcome.left;
    return {
      ...{ rule: null, name, type: 'code_owner', section, ...outcome },
      ...{ approvalsRequired: nobody ? 0 : asked, left, approved: left === 0 },
    };
  });
  const fallback = outcomeOf({ approvalsRequired: plan.minimum, approvers: null }, facts);
  const all = [...judged, ...byOwners];
  const sum = (of: (each: JudgedRule) => number, more: number) => all.reduce((total, each) => total + of(each), more);
  return {
    rules: all,
    named: new Set([...listed, ...owned].flatMap(({ approvers }) => [...(approvers ?? [])])),
    required: sum((each) => each.approvalsRequired, plan.minimum),
    left: sum((each) => each.left, fallback.left),
    approved: fallback.approved && all.every((each) => each.approved),
  };
}

/** Null where it is everybody who may approve. */
export const approversOf = (
  rule: ApprovalRule,
  members: ReadonlyMap<number, readonly number[]>,
): ReadonlySet<number> | null =>
  rule.rule_type === 'any_approver'
    ? null
    : new Set([...rule.user_ids, ...rule.group_ids.flatMap((id) => members.get(id) ?? [])]);
