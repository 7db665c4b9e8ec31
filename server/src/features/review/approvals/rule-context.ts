/** What rules name, looked up for a caller: people, groups as far as they may be seen, and protected branches. */
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { activePeople, membersOfGroups, votersOf } from './people.queries.ts';
import type { RuleContext } from './rules.entity.ts';
import { type ApprovalRule, protectedBranches, visibleGroups } from './rules.queries.ts';
import type { ApprovalState } from './state.service.ts';

interface Urls {
  readonly db: Db;
  readonly externalUrl: string;
}

/** For rules by themselves: everybody with a role counts as who may approve. */
export async function ruleContext(
  { db, externalUrl }: Urls,
  projectId: number,
  caller: Caller,
  rules: readonly ApprovalRule[],
): Promise<RuleContext> {
  const groupIds = rules.flatMap(({ group_ids }) => group_ids);
  const [members, groups, branches] = await Promise.all([
    membersOfGroups(db, groupIds),
    visibleGroups(db, caller, groupIds),
    protectedBranches(db, projectId),
  ]);
  const named = (rule: ApprovalRule) => [
    ...new Set([...rule.user_ids, ...rule.group_ids.flatMap((id) => members.get(id) ?? [])]),
  ];
  const voters = await votersOf(db, projectId, rules.flatMap(named));
  return {
    externalUrl,
    voters,
    groups: new Map(groups.map((group) => [group.id, group])),
    branches,
    eligible: new Map(
      rules.map((rule) => [rule.id, named(rule).filter((id) => (voters.get(id)?.level ?? 0) >= Level.reporter)]),
    ),
  };
}

/** For rules of a group: whose approval counts is decided by their role in each project. */
export async function groupRuleContext(
  { db, externalUrl }: Urls,
  caller: Caller,
  rules: readonly ApprovalRule[],
): Promise<RuleContext> {
  const groupIds = rules.flatMap(({ group_ids }) => group_ids);
  const [members, groups] = await Promise.all([membersOfGroups(db, groupIds), visibleGroups(db, caller, groupIds)]);
  const named = (rule: ApprovalRule) => [
    ...new Set([...rule.user_ids, ...rule.group_ids.flatMap((id) => members.get(id) ?? [])]),
  ];
  const voters = await activePeople(db, rules.flatMap(named));
  return {
    externalUrl,
    voters,
    groups: new Map(groups.map((group) => [group.id, group])),
    branches: [],
    eligible: new Map(rules.map((rule) => [rule.id, named(rule).filter((id) => voters.has(id))])),
  };
}

/** For rules of a merge request: who may approve is what its state says. */
export async function stateContext(
  { db, externalUrl }: Urls,
  caller: Caller,
  state: ApprovalState,
): Promise<RuleContext> {
  const groups = await visibleGroups(
    db,
    caller,
    state.rules.flatMap(({ rule }) => rule?.group_ids ?? []),
  );
  return {
    externalUrl,
    voters: state.voters,
    groups: new Map(groups.map((group) => [group.id, group])),
    branches: state.branches,
    eligible: new Map(state.rules.flatMap(({ rule, eligible }) => (rule ? [[rule.id, eligible] as const] : []))),
  };
}
