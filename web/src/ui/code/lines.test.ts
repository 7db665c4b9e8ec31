/** Line numbers in addresses and which files are highlighted. */
import { expect, it } from 'vitest';
import { languageOf } from './languages.ts';
import { choose, formatLines, parseLines } from './lines.ts';

it('lines of an address, both ways', () => {
  expect(parseLines('#L10')).toEqual({ from: 10, to: 10 });
  expect(parseLines('L12-10')).toEqual({ from: 10, to: 12 });
  expect(parseLines('#L3-L5')).toEqual({ from: 3, to: 5 });
  expect(parseLines('#notes')).toBeNull();
  expect([formatLines({ from: 1, to: 1 }), formatLines({ from: 1, to: 4 })]).toEqual(['L1', 'L1-4']);
});

it('a click with shift extends what was chosen', () => {
  expect(choose({ from: 5, to: 5 }, 9, true)).toEqual({ from: 5, to: 9 });
  expect(choose({ from: 5, to: 9 }, 2, true)).toEqual({ from: 2, to: 5 });
  expect(choose({ from: 5, to: 9 }, 2, false)).toEqual({ from: 2, to: 2 });
});

it('grammars by file name, and none by an inherited key', () => {
  expect([
    languageOf('a.test.ts'),
    languageOf('Dockerfile'),
    languageOf('.gitlab-ci.yml'),
    languageOf('LICENSE'),
  ]).toEqual(['typescript', 'docker', 'yaml', null]);
  expect(languageOf('constructor')).toBeNull();
});
