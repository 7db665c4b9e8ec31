/** Which branches a hook hears of, and that asking costs little whatever the pattern. */
import { expect, it } from 'vitest';
import { hearsBranch } from './branch-filter.ts';

const hears = (pattern: string | null, branch: string, strategy: 'wildcard' | 'regex' | 'all_branches' = 'wildcard') =>
  hearsBranch({ push_events_branch_filter: pattern, branch_filter_strategy: strategy }, branch);

it('matches by pattern, by expression, or everything', () => {
  expect(hears(null, 'main')).toBe(true);
  expect(hears('', 'main')).toBe(true);
  expect(hears('main', 'mainly')).toBe(false);
  expect(hears('release/**/x', 'release/1/2/x')).toBe(true);
  expect(hears('rel.*', 'release')).toBe(false);
  expect(hears('^re(l|n)/', 'rel/1', 'regex')).toBe(true);
  expect(hears('(', 'main', 'regex')).toBe(false);
  expect(hears('topic', 'main', 'all_branches')).toBe(true);
});

it('takes linear time for the worst patterns', () => {
  const branch = `${'a'.repeat(240)}b`;
  const before = process.cpuUsage();
  expect(hears(`${'*a'.repeat(100)}*c`, branch)).toBe(false);
  expect(hears(`${'(a*)*'.repeat(20)}c`, branch, 'regex')).toBe(false);
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(1_000);
});
