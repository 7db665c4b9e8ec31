/** Folding of a log's sections. */
import { expect, it } from 'vitest';
import { parseLog } from '../../lib/ansi/log.ts';
import { foldedSections, sameLines, visibleLines } from './visible.ts';

const log = parseLog(
  'start\nsection_start:1:get[collapsed=true]\rfetching\nobjects\nsection_end:2:get\r\nsection_start:2:run\rrunning\nstep\nsection_end:3:run\r\nend\n',
);
const shown = (turned: string[]) =>
  visibleLines(log, foldedSections(log, new Set(turned))).map((line) => line.spans[0]?.text);

it('a folded section keeps its first line', () => {
  expect(shown([])).toEqual(['start', 'fetching', 'running', 'step', 'end']);
  expect(shown(['get'])).toEqual(['start', 'fetching', 'objects', 'running', 'step', 'end']);
  expect(shown(['run'])).toEqual(['start', 'fetching', 'running', 'end']);
});

it('lines are compared by what they show', () => {
  const again = parseLog('start\nmore\n').lines;
  expect(sameLines(parseLog('start\nmore\n').lines, again)).toBe(true);
  expect(sameLines(parseLog('start\nless\n').lines, again)).toBe(false);
});
