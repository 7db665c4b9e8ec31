/** How sub-keys are found in a row, how titles cite them, and what counts as proved. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { citations, coverage, parseRequirements, subKeys } from './spec.ts';

describe('sub-keys of a row', () => {
  test.each<[string, string, string[]]>([
    ['a row that names one field has none', '| id | integer | |', []],
    ['several names in the first cell', '| created_at, updated_at | date-time | |', ['created_at', 'updated_at']],
    [
      'the field and the members of its shape',
      '| pipeline | object | `{id, ref: {name: string}, sha}` |',
      ['pipeline', 'id', 'ref', 'name', 'sha'],
    ],
    [
      'commas inside parentheses of a shape do not split',
      '| artifacts | array | `{file_type: string (seen archive, trace), size: integer}` |',
      ['artifacts', 'file_type', 'size'],
    ],
    [
      'values in code type',
      '| state | string | `opened` or `closed`; all when omitted |',
      ['state', 'opened', 'closed'],
    ],
    ['one route is the row itself', '1. `GET /projects/:id/merge_trains`: query `scope`, `sort`.', ['scope', 'sort']],
    [
      'several routes are told apart',
      '`POST .../a`, `GET /b/:id`, `POST /c` with `x`',
      ['POST .../a', 'GET /b/:id', 'POST /c', 'x'],
    ],
    [
      'status codes in the text, not other numbers',
      '`a` gives 403 or 404, at most 100 items, version 400.2',
      ['a', '403', '404'],
    ],
    [
      'tier marks, truth values and placeholders are no keys',
      '`a` `[P]` may be `true`, `null`; `:id` and `b`',
      ['a', 'b'],
    ],
    ['names with brackets', '`position[base_sha]`, `ids[]`', ['position[base_sha]', 'ids[]']],
    ['quoted values in a shape', "403, `{error: 'insufficient_scope', scope: 'sudo'}`", ['error', 'scope', '403']],
    ['a header by its name', '`x`, `PRIVATE-TOKEN: <ACCESS_TOKEN>`, `Location`', ['x', 'PRIVATE-TOKEN', 'Location']],
    ['each once', '`a`, `b`, `a`', ['a', 'b']],
  ])('%s', (_, text, keys) => {
    expect(subKeys(text)).toEqual(keys);
  });
});

test('titles cite ids, with one sub-key or several, also with brackets in them', () => {
  expect(citations('creates [2/api.commits/5] and [2/api.commits/2 start_sha, force] (x)')).toEqual([
    { id: '2/api.commits/5', keys: [] },
    { id: '2/api.commits/2', keys: ['start_sha', 'force'] },
  ]);
  expect(citations("[2/api.issues/12 in, 'title,description'] (x)")).toEqual([
    { id: '2/api.issues/12', keys: ['in', 'title,description'] },
  ]);
  expect(citations('[2/api.draft-notes/9 position[base_sha]]')).toEqual([
    { id: '2/api.draft-notes/9', keys: ['position[base_sha]'] },
  ]);
  expect(citations('[2/api.issues/34 POST .../:issue_iid/add_spent_time]')).toEqual([
    { id: '2/api.issues/34', keys: ['POST .../:issue_iid/add_spent_time'] },
  ]);
  expect(citations('no [id] here, array[0]')).toEqual([]);
});

describe('coverage', () => {
  const rows = parseRequirements(
    ['1/a/1\tjust one\tfact', '1/a/2\t`x` and `y`\tfact', '1/b/1\tnot shown\topen', '1/b/2\tTitle\theading'].join('\n'),
  );
  const provedBy = (...titles: string[]): string[] =>
    coverage(rows, titles)
      .sections.flatMap((section) => section.rows)
      .filter((entry) => entry.covered)
      .map((entry) => entry.row.id);

  test('headings do not count', () => expect(rows.map((row) => row.id)).toEqual(['1/a/1', '1/a/2', '1/b/1']));
  test('an id proves a row without sub-keys', () =>
    expect(provedBy('t [1/a/1]', 'u [1/b/1]')).toEqual(['1/a/1', '1/b/1']));
  test('an id alone does not prove a row with sub-keys', () => expect(provedBy('t [1/a/2]')).toEqual([]));
  test('sub-keys may come from different tests', () => {
    expect(provedBy('t [1/a/2 x]')).toEqual([]);
    expect(provedBy('t [1/a/2 x]', 'u [1/a/2 y]')).toEqual(['1/a/2']);
  });
  test('what the specification does not have is reported', () => {
    expect(coverage(rows, ['[1/a/1 one]', '[1/a/1 two]']).unknown).toEqual(['1/a/1 two']);
    expect(coverage(rows, ['[1/a/9]', '[1/a/2 z]']).unknown).toEqual(['1/a/2 z', '1/a/9']);
  });
});

test('the committed requirements parse: every id once, every row a fact, open or heading', () => {
  const tsv = readFileSync(join(import.meta.dirname, '../../docs/spec/requirements.tsv'), 'utf8');
  const lines = tsv.split('\n').filter(Boolean);
  const rows = parseRequirements(tsv);
  expect(new Set(rows.map((row) => row.id)).size).toBe(rows.length);
  expect(lines.length - rows.length).toBe(lines.filter((line) => line.endsWith('\theading')).length);
});
