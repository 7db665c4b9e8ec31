/** Ticking one check box of a text. */
import { expect, it } from 'vitest';
import { changedTask, tasksOf, withTask } from './tasks.ts';

const text = 'Plan\n\n- [ ] first\n- [x] second\n  1. [ ] third\n> - [ ] quoted';
const tick = (from: string, line_number: number, line_source: string, checked = true) =>
  withTask(from, { line_number, line_source, checked });

it.each([
  [3, '- [ ] first', true, text.replace('- [ ] first', '- [x] first')],
  [4, '- [x] second', false, text.replace('- [x] second', '- [ ] second')],
  [5, '  1. [ ] third', true, text.replace('1. [ ] third', '1. [x] third')],
  [6, '> - [ ] quoted', true, text.replace('> - [ ] quoted', '> - [x] quoted')],
] as const)('line %i, %s', (number, source, checked, after) => {
  expect(tick(text, number, source, checked)).toBe(after);
});

it('a line that moved is found by its text; one that others changed is a conflict', () => {
  expect(tick(`New first line\n${text}`, 3, '- [ ] first')).toContain('- [x] first');
  expect(() => tick(text, 3, '- [ ] other')).toThrow('changed by somebody else');
  expect(() => tick('- [ ] a\n- [ ] a', 3, '- [ ] a')).toThrow('changed by somebody else');
  expect(tick('- [ ] a\n- [ ] a', 2, '- [ ] a')).toBe('- [ ] a\n- [x] a');
  expect(() => tick(text, 1, 'Plan')).toThrow('not a checklist item');
});

it('keeps the ends of lines', () => {
  const windows = text.replaceAll('\n', '\r\n');
  expect(tick(windows, 3, '- [ ] first')).toBe(windows.replace('- [ ] first', '- [x] first'));
});

it('tells a ticked box from other changes', () => {
  const after = tick(text, 3, '- [ ] first');
  expect(changedTask(text, after)).toEqual({ text: 'first', checked: true });
  expect(changedTask(after, text)).toEqual({ text: 'first', checked: false });
  for (const other of [`${text}\n`, text.replace('first', 'First'), text, null])
    expect(changedTask(text, other)).toBeNull();
  expect(tasksOf(after)).toEqual({ count: 4, completed_count: 2 });
});
