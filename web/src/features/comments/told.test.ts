import { expect, it } from 'vitest';
import { toldOf } from './told.ts';

it('tells what became of quick actions, of comments, threads and commands alone', () => {
  const summary = ['Closed this issue.', 'Could not apply label command.'];
  const told = summary.join(' ');
  expect(toldOf({ commands_changes: {}, summary })).toBe(told);
  expect(toldOf({ id: 1, body: 'x', summary })).toBe(told);
  expect(toldOf({ id: 'a', notes: [{ body: 'x', summary }] })).toBe(told);
  for (const answer of [undefined, null, { body: 'x' }, { notes: [] }]) expect(toldOf(answer)).toBe('');
});
