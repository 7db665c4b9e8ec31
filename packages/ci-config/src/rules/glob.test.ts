/** Path patterns of `changes` and `exists`. */
import { describe, expect, test } from 'vitest';
import { randomFrom } from '../../testdata/random.ts';
import { compileGlob } from './glob.ts';

const matches = (pattern: string, path: string): boolean | undefined => compileGlob(pattern, 256)?.matches(path);

describe('glob', () => {
  test.each([
    ['README.md', 'README.md', true],
    ['README.md', 'docs/README.md', false],
    ['*.md', 'README.md', true],
    ['*.md', '.hidden.md', true],
    ['*.md', 'docs/README.md', false],
    ['**/*.md', 'README.md', true],
    ['**/*.md', 'a/b/README.md', true],
    ['docs/**/*', 'docs/a', true],
    ['docs/**/*', 'docs/a/b/c', true],
    ['docs/**/*', 'docs', false],
    ['docs/**', 'docs/a', true],
    ['docs/**', 'docs/a/b', false],
    ['a/**/b/**/c', 'a/b/c', true],
    ['a/**/b/**/c', 'a/x/b/y/z/c', true],
    ['a/**/b/**/c', 'a/x/y/c', false],
    ['**.md', 'a/b.md', false],
    ['a?c', 'abc', true],
    ['a?c', 'a/c', false],
    ['[a-c].ts', 'b.ts', true],
    ['[!a-c].ts', 'b.ts', false],
    ['[^a-c].ts', 'd.ts', true],
    ['[a', '[a', true],
    ['*.{js,ts}', 'x.ts', true],
    ['*.{js,ts}', 'x.tsx', false],
    ['{a,b{c,d}}/x', 'bd/x', true],
    ['{a,b', '{a,b', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
    ['', '', true],
    ['*', 'ünï', true],
    ['?', '🚀', true],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  test('too many alternatives are refused', () => {
    expect(compileGlob('{a,b}'.repeat(9), 256)).toBeNull();
    expect(compileGlob('{a,b}'.repeat(8), 256)?.matches('abababab')).toBe(true);
  });

  test('agrees with a regular expression on random patterns', () => {
    const random = randomFrom(3);
    const parts = ['a', 'b', '*', '?', '/', '**/'];
    for (let round = 0; round < 5_000; round++) {
      const pattern = Array.from({ length: 1 + random.below(6) }, () => random.pick(parts)).join('');
      const path = Array.from({ length: 1 + random.below(7) }, () => random.pick(['a', 'b', '/'])).join('');
      // The reference only knows `**/` where it begins a directory name.
      if (/[^/]\*\*\/|\*{3}/.test(pattern) || pattern.includes('//') || path.includes('//') || path.startsWith('/'))
        continue;
      const source = pattern
        .replaceAll('**/', '\0')
        .replaceAll('*', '[^/]*')
        .replaceAll('?', '[^/]')
        .replaceAll('\0', '(?:[^/]+/)*');
      expect(matches(pattern, path), `${pattern} on ${path}`).toBe(new RegExp(`^${source}$`).test(path));
    }
  });
});
