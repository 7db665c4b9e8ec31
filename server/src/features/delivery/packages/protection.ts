/** Whether rules of a project keep somebody from publishing or deleting a package. */
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { PackageProtectionRule } from '../../../kernel/db/rows.ts';
import { matchesPattern } from '../../repository/index.ts';
import { protectionRulesOf } from './protection.queries.ts';

/** Roles as rules name them; nobody's level but that of administrators is the last one. */
export const protectionLevels = { maintainer: Level.maintainer, owner: Level.owner, admin: 60 } as const;

/** Names match whatever their case: so do files on the disks of those who fetch them. */
const covers = ({ package_name_pattern: pattern }: PackageProtectionRule, name: string) =>
  matchesPattern(pattern.toLowerCase(), name.toLowerCase());

/** Several rules may cover a package: each has to let somebody through. */
export async function isProtectedFrom(
  db: Db,
  { subject, caller }: { readonly subject: ProjectSubject; readonly caller: Caller },
  action: 'push' | 'delete',
  name: string,
): Promise<boolean> {
  if (caller.admin) return false;
  const rules = (await protectionRulesOf(db, subject.project.id, 'generic')).filter((rule) => covers(rule, name));
  // Deploy tokens are nobody's: no role lets them through.
  const level = caller.credential.kind === 'deploy' ? Level.none : subject.level;
  return rules.some((rule) => (rule[`minimum_access_level_for_${action}`] ?? Level.none) > level);
}
