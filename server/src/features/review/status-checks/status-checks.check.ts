/** The rule that all external status checks have passed the commit that would be merged. */
import type { Db } from '../../../kernel/db/index.ts';
import { type FactSource, type MergeCheck, refusedAs } from '../merge-checks/merge-check.ts';
import { resultsFor } from './status-checks.service.ts';

export const allStatusChecksPassed =
  (db: Db): FactSource<boolean> =>
  async ({ row }, { head }) => {
    const results = await resultsFor(db, { ...row, head_sha: head });
    return results.every(({ status }) => status === 'passed');
  };

export const statusChecksPassed = (allPassed: FactSource<boolean>): MergeCheck => ({
  awaitable: true,
  async refusal({ rules, heads, get }) {
    if (!rules.only_allow_merge_if_all_status_checks_passed || heads === null) return null;
    return (await get(allPassed, heads)) ? null : refusedAs('status_checks_must_pass');
  },
});
