/** Path patterns as the ecosystem reads them. */
import { expect, test } from 'vitest';
import { compilePattern } from './glob.ts';

const matches = (pattern: string, path: string) => compilePattern(pattern).some((compiled) => compiled.matches(path));

test.each([
  ['*.txt', 'a.txt', true],
  ['*.txt', 'dir/a.txt', false],
  ['**/*.txt', 'a.txt', true],
  ['**/*.txt', 'x/y/a.txt', true],
  ['dir/**', 'dir/x/y', true],
  ['dir/**', 'other/x', false],
  ['dir/**/z', 'dir/z', true],
  ['dir/**/z', 'dir/a/b/z', true],
  ['dir/*/z', 'dir/a/b/z', false],
  ['file?.[ch]', 'file1.c', true],
  ['file?.[!ch]', 'file1.c', false],
  ['v[0-9].txt', 'v7.txt', true],
  ['{a,b{1,2}}/x', 'b2/x', true],
  ['{a,b}/x', 'c/x', false],
  ['.hidden*', '.hidden-file', true],
  ['*', '.dot', true],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['dir/', 'dir', true],
])('%s and %s: %s', (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected);
});

test('the base is what precedes the first wildcard', () => {
  expect(compilePattern('a/b/*.txt')[0]).toMatchObject({ base: 'a/b', literal: false });
  expect(compilePattern('a/b')[0]).toMatchObject({ base: 'a/b', literal: true });
});

test('[security 10] hostile patterns cost little and too many alternatives are refused', () => {
  const before = process.cpuUsage();
  expect(matches('**/'.repeat(200).concat('x'), 'a/'.repeat(400).concat('y'))).toBe(false);
  expect(matches('*a'.repeat(500), 'a'.repeat(5000).concat('b'))).toBe(false);
  expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  expect(() => compilePattern('{a,b}'.repeat(30))).toThrow(/too many alternatives/);
});
