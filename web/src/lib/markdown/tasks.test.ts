/** Check boxes by their lines. */
import { expect, it } from 'vitest';
import { taskLines } from './tasks.ts';

it('finds the boxes of lists and quotations, and none in code', () => {
  const text = 'Plan\n- [ ] a\n  1. [x] b\n```\n- [ ] code\n```\n> * [X] c\n- [~] never\n- [ ]\n[ ] no item';
  expect(taskLines(text).map(({ line_number, checked, text: what }) => [line_number, checked, what])).toEqual([
    [2, false, 'a'],
    [3, true, 'b'],
    [7, true, 'c'],
  ]);
});
