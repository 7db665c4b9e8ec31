/** Paths of `include` with wildcards. */
import { expect, test } from 'vitest';
import { filesMatching } from '../index.ts';

const PATHS = ['a.yml', 'ci/a.yml', 'ci/b.yaml', 'ci/x/c.yml', 'ci/x/y/d.yml'];

test.each([
  ['*.yml', ['a.yml']],
  ['ci/*.yml', ['ci/a.yml']],
  ['ci/*', ['ci/a.yml', 'ci/b.yaml']],
  ['ci/**.yml', ['ci/a.yml', 'ci/x/c.yml', 'ci/x/y/d.yml']],
  ['ci/**/*.yml', ['ci/a.yml', 'ci/x/c.yml', 'ci/x/y/d.yml']],
  ['ci/**', ['ci/a.yml', 'ci/b.yaml', 'ci/x/c.yml', 'ci/x/y/d.yml']],
  ['none/*.yml', []],
])('%s', (pattern, expected) => {
  expect(filesMatching(pattern, PATHS)).toEqual(expected);
});

test('security 11: stars that would backtrack', () => {
  const paths = Array.from({ length: 1_000 }, (_, index) => `${'a/'.repeat(60)}${index}`);
  const before = process.cpuUsage();
  expect(filesMatching(`${'**/'.repeat(40)}${'*a'.repeat(40)}.yml`, paths)).toEqual([]);
  const { user } = process.cpuUsage(before);
  expect(user / 1e6).toBeLessThan(2);
});
