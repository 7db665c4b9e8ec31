/** The list of migrations, in order. Forward-only: a landed one is never edited. */
import { initial } from './0001-initial.ts';
import { paging } from './0002-paging.ts';
import { featuresMigration } from './0003-features.ts';
import { rateLimits } from './0004-rate-limits.ts';
import { tokensMigration } from './0005-tokens.ts';
import { accounts } from './0006-accounts.ts';
import { twoFactor } from './0007-two-factor.ts';
import { auditMigration } from './0008-audit.ts';
import { activity } from './0009-activity.ts';
import { oauth } from './0010-oauth.ts';
import { twoFactorGroups } from './0011-two-factor-groups.ts';
import { policy } from './0012-policy.ts';
import { members } from './0013-members.ts';
import { groupsMigration } from './0014-groups.ts';
import { projectsMigration } from './0015-projects.ts';
import { largeLists } from './0019-large-lists.ts';
import { topicsMigration } from './0025-topics.ts';

/** One step of the schema. `statements` run in order in one transaction; each may hold several SQL commands. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

export const migrations: readonly Migration[] = [
  initial,
  paging,
  featuresMigration,
  rateLimits,
  tokensMigration,
  accounts,
  twoFactor,
  auditMigration,
  activity,
  oauth,
  twoFactorGroups,
  policy,
  members,
  groupsMigration,
  projectsMigration,
  largeLists,
  topicsMigration,
];
