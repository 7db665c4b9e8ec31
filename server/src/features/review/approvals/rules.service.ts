/** Changing approval rules of projects and merge requests. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { Caller, Subject } from '../../../kernel/authz/subjects.ts';
import { type Db, isUniqueViolation, transaction } from '../../../kernel/db/index.ts';
import { forbidden, invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import {
  type ApprovalRule,
  deleteRule,
  findRule,
  insertRule,
  listRules,
  lockRule,
  protectedBranches,
  type ReportType,
  type RuleOwner,
  type RuleType,
  setLinks,
  updateRule,
  usersMeant,
  visibleGroups,
} from './rules.queries.ts';

export interface RuleWishes {
  readonly name?: string | undefined;
  readonly approvals_required?: number | undefined;
  readonly rule_type?: RuleType | undefined;
  readonly report_type?: ReportType | undefined;
  readonly user_ids?: readonly number[] | undefined;
  readonly usernames?: readonly string[] | undefined;
  readonly group_ids?: readonly number[] | undefined;
  readonly protected_branch_ids?: readonly number[] | undefined;
  readonly applies_to_all_protected_branches?: boolean | undefined;
  readonly remove_hidden_groups?: boolean | undefined;
}

const mostApprovals = 100;
const mostCharacters = 1024;

/** Who asks for a change, and where. */
export interface RuleChange {
  readonly subject: Subject;
  readonly caller: Caller;
  readonly origin: AuditOrigin;
}

function checkValues({ name, approvals_required: required }: RuleWishes): void {
  const reasons: Record<string, string[]> = {};
  if (name !== undefined && name.trim() === '') reasons.name = ["can't be blank"];
  if (name !== undefined && name.trim().length > mostCharacters)
    reasons.name = [`is too long (maximum is ${mostCharacters} characters)`];
  if (required !== undefined && required < 0) reasons.approvals_required = ['must be greater than or equal to 0'];
  if (required !== undefined && required > mostApprovals)
    reasons.approvals_required = [`must be less than or equal to ${mostApprovals}`];
  if (Object.keys(reasons).length > 0) throw invalidRecord(reasons);
}

const conflictOf = (error: unknown, noun: string): unknown => {
  if (isUniqueViolation(error, `approval_rules_${noun}_name_key`))
    return invalidRecord({ name: ['has already been taken'] });
  if (isUniqueViolation(error, `approval_rules_${noun}_any_key`))
    return invalidRecord({
      rule_type: [`any-approver for the ${noun === 'request' ? 'merge request' : noun} already exists`],
    });
  return error;
};

export function approvalRuleService({ db }: { readonly db: Db }) {
  const nounOf = (owner: RuleOwner) => ('projectId' in owner ? 'project' : 'groupId' in owner ? 'group' : 'request');

  /** Changes of rules of projects and groups are audited; those of one merge request are part of its review. */
  async function record(tx: Db, change: RuleChange, owner: RuleOwner, what: string, rule: ApprovalRule): Promise<void> {
    if ('mergeRequestId' in owner) return;
    await recordAudit(tx, {
      ...change.origin,
      entity: entityOfPlace(change.subject),
      event: `approval_rule_${what}`,
      details: { approvals_required: rule.approvals_required, users: rule.user_ids, groups: rule.group_ids },
      target: {
        type: 'groupId' in owner ? 'ApprovalGroupRule' : 'ApprovalProjectRule',
        id: rule.id,
        details: rule.name,
      },
    });
  }

  async function required(tx: Db, owner: RuleOwner, id: number): Promise<ApprovalRule> {
    const rule = await findRule(tx, owner, id);
    if (!rule) throw notFound('Approval Rule');
    return rule;
  }

  /** People and groups that are named and may be: active users, and groups that the caller sees. */
  async function named(tx: Db, caller: Caller, wishes: RuleWishes) {
    const [users, groups] = await Promise.all([
      usersMeant(tx, wishes.user_ids ?? [], wishes.usernames ?? []),
      visibleGroups(tx, caller, wishes.group_ids ?? []),
    ]);
    return { users, groups: groups.map(({ id }) => id) };
  }

  async function branchesOf(tx: Db, subject: Subject, wanted: readonly number[] | undefined) {
    if (!wanted || subject.kind !== 'project') return {};
    const known = await protectedBranches(tx, subject.project.id);
    return { branches: known.flatMap(({ id }) => (wanted.includes(id) ? [id] : [])) };
  }

  /** Without a type: a rule that names nobody is for everybody, of which there is one; every other is a regular one. */
  async function typeOf(tx: Db, owner: RuleOwner, wishes: RuleWishes): Promise<RuleType> {
    if (wishes.rule_type) return wishes.rule_type;
    const names = [wishes.user_ids, wishes.usernames, wishes.group_ids].some((list) => list && list.length > 0);
    if (names) return 'regular';
    return (await listRules(tx, owner)).some(({ rule_type }) => rule_type === 'any_approver')
      ? 'regular'
      : 'any_approver';
  }

  return {
    async create(
      change: RuleChange,
      owner: RuleOwner,
      wishes: RuleWishes,
      source?: ApprovalRule,
    ): Promise<ApprovalRule> {
      checkValues(wishes);
      const { subject, caller } = change;
      try {
        return await transaction(db, async (tx) => {
          const type = source?.rule_type ?? (await typeOf(tx, owner, wishes));
          if (type === 'report_approver' && !wishes.report_type)
            throw invalidRecord({ report_type: ["can't be blank"] });
          const id = await insertRule(tx, owner, {
            name: source?.name ?? (wishes.name ?? '').trim(),
            rule_type: type,
            report_type: type === 'report_approver' ? (wishes.report_type ?? null) : null,
            approvals_required: wishes.approvals_required ?? 0,
            applies_to_all_protected_branches: wishes.applies_to_all_protected_branches ?? false,
            source_rule_id: source?.id ?? null,
          });
          const links = source
            ? { users: source.user_ids, groups: source.group_ids }
            : type === 'any_approver'
              ? {}
              : await named(tx, caller, wishes);
          const branches = wishes.applies_to_all_protected_branches ? undefined : wishes.protected_branch_ids;
          await setLinks(tx, id, { ...links, ...(await branchesOf(tx, subject, branches)) });
          const rule = await required(tx, owner, id);
          await record(tx, change, owner, 'created', rule);
          return rule;
        });
      } catch (error) {
        throw conflictOf(error, nounOf(owner));
      }
    },

    /** People and groups that are not named any more go, but hidden groups only where that is asked for. */
    async update(change: RuleChange, owner: RuleOwner, id: number, wishes: RuleWishes): Promise<ApprovalRule> {
      checkValues(wishes);
      const { subject, caller } = change;
      try {
        return await transaction(db, async (tx) => {
          if (!(await lockRule(tx, id))) throw notFound('Approval Rule');
          const before = await required(tx, owner, id);
          if ('mergeRequestId' in owner && before.rule_type === 'report_approver') throw forbidden();
          const { name, approvals_required, applies_to_all_protected_branches: all } = wishes;
          const { users, groups } = await named(tx, caller, wishes);
          // Whoever names people for a rule of everybody means these people from now on.
          const names = users.length + groups.length > 0;
          const becomesRegular = before.rule_type === 'any_approver' && names;
          await updateRule(tx, id, {
            ...(name === undefined ? {} : { name: name.trim() }),
            ...(approvals_required === undefined ? {} : { approvals_required }),
            ...(all === undefined ? {} : { applies_to_all_protected_branches: all }),
            ...(becomesRegular ? { rule_type: 'regular' } : {}),
          });
          const seen = new Set((await visibleGroups(tx, caller, before.group_ids)).map((group) => group.id));
          const hidden = wishes.remove_hidden_groups ? [] : before.group_ids.filter((group) => !seen.has(group));
          const branches = await branchesOf(tx, subject, all ? undefined : wishes.protected_branch_ids);
          const links = before.rule_type === 'any_approver' && !names ? {} : { users, groups: [...groups, ...hidden] };
          await setLinks(tx, id, { ...links, ...branches });
          const rule = await required(tx, owner, id);
          await record(tx, change, owner, 'updated', rule);
          return rule;
        });
      } catch (error) {
        throw conflictOf(error, nounOf(owner));
      }
    },

    async remove(
      change: RuleChange,
      owner: RuleOwner,
      id: number,
      unmodifiedSince: (changedAt: Date) => void,
    ): Promise<void> {
      await transaction(db, async (tx) => {
        const rule = await required(tx, owner, id);
        unmodifiedSince(rule.updated_at);
        if (!(await deleteRule(tx, id))) throw notFound('Approval Rule');
        await record(tx, change, owner, 'destroyed', rule);
      });
    },
  };
}

export type ApprovalRuleService = ReturnType<typeof approvalRuleService>;
