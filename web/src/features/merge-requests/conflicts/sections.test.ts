/** Sections of conflicts. */
import { expect, it } from 'vitest';
import { conflictSections, resolvedText } from './sections.ts';

const text = 'a\n<<<<<<< one\nb\n=======\nc\nd\n>>>>>>> two\ne\n<<<<<<< one\n=======\nf\n>>>>>>> two\n';

it('a text with markers becomes sections, and a text again', () => {
  const sections = conflictSections(text);
  expect(sections).toEqual([
    { kind: 'same', lines: ['a'] },
    { kind: 'conflict', source: ['b'], target: ['c', 'd'] },
    { kind: 'same', lines: ['e'] },
    { kind: 'conflict', source: [], target: ['f'] },
  ]);
  expect(resolvedText(sections, ['source'])).toBe(null);
  expect(resolvedText(sections, ['source', 'source'])).toBe('a\nb\ne\n');
  expect(resolvedText(sections, ['target', 'both'])).toBe('a\nc\nd\ne\nf\n');
  expect(resolvedText(sections, ['both', 'target'])).toBe('a\nb\nc\nd\ne\nf\n');
});

it('a separator outside of a conflict is text', () => {
  expect(conflictSections('=======\n>>>>>>> x\n')).toEqual([{ kind: 'same', lines: ['=======', '>>>>>>> x'] }]);
});
