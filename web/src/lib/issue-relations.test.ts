/** Issues that texts name. */
import { expect, it } from 'vitest';
import { namedIssue } from './issue-relations.ts';

it.each([
  ['#3', { id: 'mill/race', iid: 3 }],
  [' 3 ', { id: 'mill/race', iid: 3 }],
  ['wheel#4', { id: 'mill/wheel', iid: 4 }],
  ['a/b/c#5', { id: 'a/b/c', iid: 5 }],
  ['http://127.0.0.1:8080/a/b/-/issues/6#note_1', { id: 'a/b', iid: 6 }],
  ['', null],
  ['water 3', null],
  ['https://host/a/b/-/merge_requests/6', null],
])('%s names %o', (text, named) => {
  expect(namedIssue('mill/race', text)).toEqual(named);
});
