/** What is completed where. */
import { expect, it } from 'vitest';
import { quotedName, stillOffered, triggerAt } from './completion.ts';

/** The caret is where the bar stands. */
const at = (marked: string) => triggerAt(marked.replace('|', ''), marked.indexOf('|'));

it.each([
  ['@an|', 'people', 'an', 0],
  ['Ask @|', 'people', '', 4],
  ['(#12|', 'issues', '12', 1],
  ['see !3| and', 'requests', '3', 4],
  ['~bu|', 'labels', 'bu', 0],
  ['~"needs re|', 'labels', 'needs re', 0],
  ['part of &roa|', 'epics', 'roa', 8],
  ['($1|', 'snippets', '1', 1],
  ['%"1.0 b|', 'milestones', '1.0 b', 0],
  ['nice :ta|', 'emoji', 'ta', 5],
  ['/lab|', 'commands', 'lab', 0],
  ['Text\n/|', 'commands', '', 5],
  ['```\n/close\n```\n/cl|', 'commands', 'cl', 15],
] as const)('%s asks for %s', (marked, kind, query, start) => {
  expect(at(marked)).toEqual({ kind, query, start });
});

it.each([
  'mail@example|',
  'a#1|',
  'and/or|',
  ' /close|',
  '12:3|',
  'done: |',
  '```\n@an|',
  'run `@an|',
  'C:|',
  'a&b|',
  'a$1|',
  '$x$|',
  'Tom & Jerry|',
])('%s asks for nothing', (marked) => expect(at(marked)).toBeNull());

it('titles are quoted where they have to be', () => {
  expect([
    quotedName('~', 'bug'),
    quotedName('~', 'needs review'),
    quotedName('%', '1.0'),
    quotedName('~', '42'),
  ]).toEqual(['~bug', '~"needs review"', '%1.0', '~"42"']);
});

it('what was found for less is offered for more of a word only where it is still meant', () => {
  const found = ['/assign', '/relabel', '/label', '🎉 tada', 'Ünsal'].map((label) => ({ label, hint: 'Change it' }));
  const offered = (query: string) => stillOffered(found, query).map(({ label }) => label);
  expect(offered('lab')).toEqual(['/label', '/relabel']);
  expect(offered('TAD')).toEqual(['🎉 tada']);
  expect(offered('üns')).toEqual(['Ünsal']);
  expect(offered('change')).toHaveLength(5);
  expect(offered('close')).toEqual([]);
});
