/** Which branches a hook hears of. */
import { RE2JS } from 're2js';
import type { WebHook } from '../../../kernel/db/rows.ts';

const special = /[.*+?^${}()|[\]\\]/g;
const wildcard = (pattern: string) =>
  new RegExp(
    `^${pattern
      .split(/\*+/)
      .map((part) => part.replaceAll(special, '\\$&'))
      .join('.*')}$`,
    's',
  );

/** Patterns of people run in an engine that takes linear time; one that cannot be read matches nothing. */
export function hearsBranch(
  hook: Pick<WebHook, 'branch_filter_strategy' | 'push_events_branch_filter'>,
  branch: string,
): boolean {
  const filter = hook.push_events_branch_filter ?? '';
  if (filter === '' || hook.branch_filter_strategy === 'all_branches') return true;
  if (hook.branch_filter_strategy === 'wildcard') return wildcard(filter).test(branch);
  try {
    return RE2JS.compile(filter).matcher(branch).find();
  } catch {
    return false;
  }
}
