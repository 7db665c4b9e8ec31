/** Who may deploy to a protected environment, and whose approval counts. */
import type { Db } from '../../../kernel/db/index.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import { titleOf } from './protected-environments.entity.ts';
import * as queries from './protected-environments.queries.ts';

/** Administrators of the instance: a level that no member has. */
const adminLevel = 60;

/** The environment, as protections name it. */
export interface ProtectedPlace {
  readonly project_id: number;
  readonly name: string;
  readonly tier: string;
}

/** Somebody as rules see them. */
interface Standing {
  readonly id: number;
  readonly admin: boolean;
  readonly level: number;
  readonly groups: ReadonlyMap<number, boolean>;
}

async function standingOf(
  db: Db,
  projectId: number,
  userId: number,
  rows: readonly queries.ProtectedRow[],
): Promise<Standing | null> {
  const user = await queries.activeUser(db, userId);
  if (!user) return null;
  const ids = rows.flatMap(({ rules }) => rules.flatMap(({ group_id }) => group_id ?? []));
  const groups = await queries.groupsOfMember(db, userId, ids);
  const subject = await findProjectSubject(db, String(projectId), userId);
  return { ...user, level: subject?.level ?? 0, groups: new Map(groups.map(({ id, direct }) => [id, direct])) };
}

/** Administrators stand for everybody whom a rule names. */
function matches(rule: queries.RuleRow, who: Standing): boolean {
  if (who.admin) return true;
  if (rule.access_level !== null) return rule.access_level < adminLevel && who.level >= rule.access_level;
  if (rule.user_id !== null) return rule.user_id === who.id;
  const direct = who.groups.get(rule.group_id ?? 0);
  return direct === true || (direct === false && rule.group_inheritance_type === 1);
}

const rulesOf = ({ rules }: queries.ProtectedRow, kind: queries.RuleRow['kind']) =>
  rules.filter((rule) => rule.kind === kind);

/** Tells which environments of a project something protects. */
export async function protectionIn(db: Db, projectId: number): Promise<(place: ProtectedPlace) => boolean> {
  const titles = await queries.protectedTitles(db, projectId);
  return ({ name, tier }) => titles.some((each) => each.name === (each.tier ? tier : name));
}

/** Whether something protects the environment. */
export const isProtected = async (db: Db, place: ProtectedPlace): Promise<boolean> =>
  (await protectionIn(db, place.project_id))(place);

/** Whether everything that protects the environment lets somebody deploy. */
export async function mayDeploy(db: Db, place: ProtectedPlace, userId: number | null): Promise<boolean> {
  const rows = await queries.protectionsOf(db, place);
  if (rows.length === 0) return true;
  const who = userId === null ? null : await standingOf(db, place.project_id, userId, rows);
  return who !== null && rows.every((row) => rulesOf(row, 'deploy').some((rule) => matches(rule, who)));
}

interface ApprovalRule {
  /** Null for a number of people who may deploy. */
  readonly named: queries.RuleRow | null;
  readonly anyOf: readonly queries.RuleRow[];
  readonly required: number;
}

/** Rules of approval: those that are named, else a number of people who may deploy. */
function approvalRules(row: queries.ProtectedRow): ApprovalRule[] {
  const named = rulesOf(row, 'approval');
  if (named.length > 0) return named.map((rule) => ({ named: rule, anyOf: [rule], required: rule.required_approvals }));
  return row.required_approval_count > 0
    ? [{ named: null, anyOf: rulesOf(row, 'deploy'), required: row.required_approval_count }]
    : [];
}

/**
 * Whether somebody is among those whose approval a protection wants; `unknown` when they say which rule they stand for and there is
 * none of that name that they are in.
 */
export async function mayApprove(
  db: Db,
  place: ProtectedPlace,
  userId: number,
  representedAs: string | null,
): Promise<boolean | 'unknown'> {
  const rows = await queries.protectionsOf(db, place);
  const who = await standingOf(db, place.project_id, userId, rows);
  const mine = rows.flatMap(approvalRules).filter(({ anyOf }) => who && anyOf.some((rule) => matches(rule, who)));
  if (mine.length === 0 || representedAs === null) return mine.length > 0;
  const named = mine.filter((rule) => rule.named !== null);
  return named.length === 0 || named.some((rule) => rule.named && titleOf(rule.named) === representedAs) || 'unknown';
}

interface Approval {
  readonly user_id: number;
  readonly status: 'approved' | 'rejected';
  readonly represented_as: string | null;
}

export interface ApprovalState<A> {
  /** How many approvals are missing. */
  readonly missing: number;
  /** The rules that name somebody, with what was said by them. */
  readonly rules: readonly {
    readonly rule: queries.RuleRow;
    readonly title: string;
    readonly approvals: readonly A[];
  }[];
}

/**
 * What approvals lack. Each counts for one rule of each protection: for the one that its giver stands for, else for the first that
 * wants it.
 */
export async function approvalState<A extends Approval>(
  db: Db,
  place: ProtectedPlace,
  approvals: readonly A[],
): Promise<ApprovalState<A>> {
  const rows = (await queries.protectionsOf(db, place)).filter((row) => approvalRules(row).length > 0);
  if (rows.length === 0) return { missing: 0, rules: [] };
  const standings = await Promise.all(approvals.map(({ user_id }) => standingOf(db, place.project_id, user_id, rows)));
  const all = rows.flatMap((row) => {
    const rules = approvalRules(row).map((rule) => ({ ...rule, given: [] as A[] }));
    for (const [at, approval] of approvals.entries()) {
      const who = standings[at];
      const mine = who ? rules.filter(({ anyOf }) => anyOf.some((rule) => matches(rule, who))) : [];
      const counts = ({ required, given }: (typeof rules)[number]) =>
        given.filter(({ status }) => status === 'approved').length < required;
      const chosen =
        mine.find(({ named }) => named && titleOf(named) === approval.represented_as) ?? mine.find(counts) ?? mine[0];
      chosen?.given.push(approval);
    }
    return rules;
  });
  const missingIn = ({ required, given }: (typeof all)[number]) =>
    Math.max(0, required - given.filter(({ status }) => status === 'approved').length);
  return {
    missing: all.reduce((sum, rule) => sum + missingIn(rule), 0),
    rules: all.flatMap(({ named, given }) => (named ? [{ rule: named, title: titleOf(named), approvals: given }] : [])),
  };
}
