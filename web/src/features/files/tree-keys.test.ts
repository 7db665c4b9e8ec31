import { expect, it } from 'vitest';
import { nextNamed } from './tree-keys.ts';

const names = ['README.md', 'bench', 'bin', 'build.ts', 'web'];

it('goes to the next name that begins with a letter, and around', () => {
  expect(nextNamed(names, 0, 'b')).toBe(1);
  expect(nextNamed(names, 1, 'b')).toBe(2);
  expect(nextNamed(names, 3, 'b')).toBe(1);
  expect(nextNamed(names, 3, 'r')).toBe(0);
});

it('the same letter again goes on, whatever its case', () => {
  expect(nextNamed(names, 1, 'bb')).toBe(2);
  expect(nextNamed(names, 4, 'R')).toBe(0);
});

it('a word that grows stays where it still fits', () => {
  expect(nextNamed(names, 1, 'bi')).toBe(2);
  expect(nextNamed(names, 2, 'bi')).toBe(2);
  expect(nextNamed(names, 2, 'bui')).toBe(3);
  expect(nextNamed(names, 0, 'x')).toBe(-1);
});
