/** Logs of jobs as a terminal would show them. */
import { describe, expect, it } from 'vitest';
import { parseLog } from './log.ts';

const esc = '\u001b';
const texts = (log: string) => parseLog(log).lines.map((line) => line.spans.map((span) => span.text).join(''));

describe('job logs', () => {
  it('styles text and keeps the style over lines', () => {
    const { lines } = parseLog(`${esc}[32;1m$ echo hi${esc}[0;m\n${esc}[31mred\nstill red${esc}[0m plain\n`);
    expect(lines[0]?.spans[0]).toMatchObject({ text: '$ echo hi', style: { color: 2, bold: true } });
    expect(lines[2]?.spans.map((span) => [span.text, span.style.color])).toEqual([
      ['still red', 1],
      [' plain', null],
    ]);
  });

  it('reads 256 colours, bright ones and resets of one attribute', () => {
    const [line] = parseLog(`${esc}[38;5;208ma${esc}[39;94mb${esc}[1mc${esc}[22md`).lines;
    expect(line?.spans.map((span) => [span.style.color, span.style.bold])).toEqual([
      [208, false],
      [12, false],
      [12, true],
      [12, false],
    ]);
  });

  it('shows only what a carriage return left', () => {
    expect(texts('10%\r50%\r100%\ndone\r\n')).toEqual(['100%', 'done']);
  });

  it('nests sections, takes their times and drops their marks', () => {
    const log = `section_start:100:build[collapsed=true]\r${esc}[0Kbuilding\nstep\nsection_end:107:build\r${esc}[0K\nafter\n`;
    const { lines, sections } = parseLog(log);
    expect(lines.map((line) => [line.spans[0]?.text, line.sections, line.opens])).toEqual([
      ['building', ['build'], 'build'],
      ['step', ['build'], null],
      ['after', [], null],
    ]);
    expect(sections.get('build')).toEqual({ name: 'build', startedAt: 100, endedAt: 107, collapsed: true });
  });

  it('a section that never ends stays open', () => {
    expect(parseLog('section_start:1:x\rgo\nmore').lines.at(-1)?.sections).toEqual(['x']);
  });

  it('joins lines that official runners wrote in pieces, and keeps their times', () => {
    const at = (text: string, kind = '00O ') => `2026-11-27T03:15:06.098722Z ${kind}${text}\n`;
    const log =
      at(`${esc}[0KRunning`) +
      at(`section_start:100:script\r${esc}[0K`) +
      at(`${esc}[0K${esc}[36;1mExecuting${esc}[0;m`, '00O+') +
      at('$ make', '01O ') +
      at('no continuation of another stream', '02E+') +
      at(`section_end:104:script\r${esc}[0K`) +
      at('Job succeeded');
    const { lines, sections } = parseLog(log);
    expect(lines.map((line) => [line.number, line.spans.map(({ text }) => text).join(''), line.opens])).toEqual([
      [1, 'Running', null],
      [2, 'Executing', 'script'],
      [3, '$ make', null],
      [4, 'no continuation of another stream', null],
      [5, 'Job succeeded', null],
    ]);
    expect(lines[0]?.at).toBe('2026-11-27T03:15:06.098722Z');
    expect(sections.get('script')).toMatchObject({ startedAt: 100, endedAt: 104 });
    // A part of a log that begins inside of a line.
    expect(parseLog(at('rest', '01O+') + at('next', '01O '), 10).lines.map(({ number }) => number)).toEqual([9, 10]);
  });
});
