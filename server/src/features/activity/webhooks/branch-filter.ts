/** Which branches a hook hears of. */
import { RE2JS } from 're2js';
import type { WebHook } from '../../../kernel/db/rows.ts';
import { OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { matchesPattern } from '../../repository/index.ts';
import { longestFilter } from './hooks.events.ts';

export const branchFilterParams = {
  push_events_branch_filter: Optional(
    OrNull(Str({ maxLength: longestFilter, description: 'Only pushes to branches that match' })),
  ),
  branch_filter_strategy: Optional(
    OneOf(['wildcard', 'regex', 'all_branches'], { description: 'How branches are matched; default `wildcard`' }),
  ),
};

/** Patterns of people run in what takes linear time; one that cannot be read matches nothing. */
export function hearsBranch(
  hook: Pick<WebHook, 'branch_filter_strategy' | 'push_events_branch_filter'>,
  branch: string,
): boolean {
  const filter = hook.push_events_branch_filter ?? '';
  if (filter === '' || hook.branch_filter_strategy === 'all_branches') return true;
  if (hook.branch_filter_strategy === 'wildcard') return matchesPattern(filter, branch);
  try {
    return RE2JS.compile(filter).matcher(branch).find();
  } catch {
    return false;
  }
}
