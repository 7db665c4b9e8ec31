/** Approval rules over who has approved. Pure: facts in, what is met and what is left out. */
import { Level } from '../../../kernel/authz/levels.ts';

/** A rule as far as its outcome depends on it. */
export interface RequiredApprovals {
  readonly approvalsRequired: number;
  /** Whose approvals count; null where it is everybody who may approve. */
  readonly approvers: ReadonlySet<number> | null;
}

export interface ApprovalFacts {
  /** Users who have approved, in that order. */
  readonly approvals: readonly number[];
  /** Roles on the project of active people. Who is not here is gone, blocked, or no member. */
  readonly levels: ReadonlyMap<number, number>;
  /** Who does not approve their own work: by id, whatever names commits have. */
  readonly barred: ReadonlySet<number>;
}

export interface RuleOutcome {
  /** Of those whom the rule names, who may approve. */
  readonly eligible: readonly number[];
  readonly approvedBy: readonly number[];
  readonly left: number;
  readonly approved: boolean;
}

/** Whether somebody's approval counts: whom a rule names needs a reporter's role, everybody else a developer's. */
export const mayVote = ({ levels, barred }: ApprovalFacts, userId: number, named: boolean): boolean =>
  !barred.has(userId) && (levels.get(userId) ?? 0) >= (named ? Level.reporter : Level.developer);

export function outcomeOf({ approvalsRequired, approvers }: RequiredApprovals, facts: ApprovalFacts): RuleOutcome {
  const eligible = approvers === null ? [] : [...approvers].filter((id) => mayVote(facts, id, true));
  const approvedBy = facts.approvals.filter((id) =>
    approvers === null ? mayVote(facts, id, false) : approvers.has(id) && mayVote(facts, id, true),
  );
  const left = Math.max(approvalsRequired - approvedBy.length, 0);
  return { eligible, approvedBy, left, approved: left === 0 };
}

/** A rule as far as it depends on it where it applies. */
export interface Applicable {
  readonly rule_type: string;
  readonly applies_to_all_protected_branches: boolean;
  readonly branch_ids: readonly number[];
  /** Of a rule of a group, that group. */
  readonly namespace_id: number | null;
}

/** The protected branches that are rules for the target. */
export type TargetRules = ReadonlySet<number>;

const appliesTo = (rule: Applicable, target: TargetRules): boolean =>
  rule.applies_to_all_protected_branches
    ? target.size > 0
    : rule.branch_ids.length === 0 || rule.branch_ids.some((id) => target.has(id));

/**
 * The rules that count: those of the request where it has its own and the project lets it, else those of the project that
 * are for the target branch. What reports and groups require is never overridden.
 */
export function effectiveRules<R extends Applicable>(
  project: readonly R[],
  request: readonly R[],
  overridable: boolean,
  target: TargetRules,
): { readonly overwritten: boolean; readonly rules: readonly R[] } {
  const overwritten = overridable && request.length > 0;
  const applying = project.filter((rule) => appliesTo(rule, target));
  const isFixed = ({ rule_type, namespace_id }: R) => rule_type === 'report_approver' || namespace_id !== null;
  const own = overwritten ? request : applying.filter((rule) => !isFixed(rule));
  return { overwritten, rules: [...own, ...applying.filter(isFixed)] };
}
