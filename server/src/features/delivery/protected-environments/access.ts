/** Who may deploy to a protected environment, and whose approval counts. */
import type { Db } from '../../../kernel/db/index.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
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

function matches(rule: queries.RuleRow, who: Standing): boolean {
  if (rule.access_level !== null)
    return who.admin || (rule.access_level < adminLevel && who.level >= rule.access_level);
  if (rule.user_id !== null) return rule.user_id === who.id;
  const direct = who.groups.get(rule.group_id ?? 0);
  return direct === true || (direct === false && rule.group_inheritance_type === 1);
}

const rulesOf = ({ rules }: queries.ProtectedRow, kind: queries.RuleRow['kind']) =>
  rules.filter((rule) => rule.kind === kind);

/** Whether something protects the environment. */
export const isProtected = async (db: Db, place: ProtectedPlace): Promise<boolean> =>
  (await queries.protectionsOf(db, place)).length > 0;

/** Whether everything that protects the environment lets somebody deploy. */
export async function mayDeploy(db: Db, place: ProtectedPlace, userId: number | null): Promise<boolean> {
  const rows = await queries.protectionsOf(db, place);
  if (rows.length === 0) return true;
  const who = userId === null ? null : await standingOf(db, place.project_id, userId, rows);
  return who !== null && rows.every((row) => rulesOf(row, 'deploy').some((rule) => matches(rule, who)));
}

/** Rules of approval: those that are named, else a number of people who may deploy. */
function approvalRules(row: queries.ProtectedRow) {
  const named = rulesOf(row, 'approval');
  if (named.length > 0) return named.map((rule) => ({ anyOf: [rule], required: rule.required_approvals }));
  return row.required_approval_count > 0
    ? [{ anyOf: rulesOf(row, 'deploy'), required: row.required_approval_count }]
    : [];
}

/** Whether somebody is among those whose approval a protection wants. */
export async function mayApprove(db: Db, place: ProtectedPlace, userId: number): Promise<boolean> {
  const rows = await queries.protectionsOf(db, place);
  const who = await standingOf(db, place.project_id, userId, rows);
  return who !== null && rows.flatMap(approvalRules).some(({ anyOf }) => anyOf.some((rule) => matches(rule, who)));
}

/** How many approvals are missing. Each counts for one rule of each protection, for the first that wants it. */
export async function missingApprovals(db: Db, place: ProtectedPlace, approvers: readonly number[]): Promise<number> {
  const rows = (await queries.protectionsOf(db, place)).filter((row) => approvalRules(row).length > 0);
  if (rows.length === 0) return 0;
  const found = await Promise.all(approvers.map((id) => standingOf(db, place.project_id, id, rows)));
  const standings = found.filter((who) => who !== null);
  let missing = 0;
  for (const row of rows) {
    const open = approvalRules(row).map((rule) => ({ ...rule }));
    for (const who of standings) {
      const rule = open.find(({ anyOf, required }) => required > 0 && anyOf.some((each) => matches(each, who)));
      if (rule) rule.required -= 1;
    }
    missing += open.reduce((sum, { required }) => sum + required, 0);
  }
  return missing;
}
