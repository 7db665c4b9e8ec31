/** Lines of logs are counted as the job page numbers them, however the log is cut into pieces. */
import { expect, it } from 'vitest';
import { keptBytes, type LogLine, lineScanner, visibleText, withVisibleText } from './line-scanner.ts';

const esc = String.fromCharCode(27);
const start = (name: string) => `section_start:1:${name}\r${esc}[0K`;
const end = (name: string) => `section_end:2:${name}\r${esc}[0K`;
const log = [
  'first',
  `${start('a')}Opens`,
  `${esc}[31mrot${esc}[0m`,
  `${end('a')}${start('b')}Next`,
  end('b'),
  'progress 1\rprogress 2\r',
  '',
  'last without end',
].join('\n');

function lines(pieces: readonly Buffer[]): LogLine[] {
  const found: LogLine[] = [];
  const scanner = lineScanner((line) => found.push(line));
  for (const piece of pieces) scanner.push(piece);
  scanner.end();
  return found;
}

it('numbers and bytes are the same for pieces of any size', () => {
  const whole = Buffer.from(log);
  const expected = lines([whole]).map(({ line, startByte, data }) => [line, startByte, visibleText(data.toString())]);
  expect(expected.map(([, , text]) => text)).toEqual([
    ...['first', 'Opens', 'rot', 'Next', 'progress 2', '', 'last without end'],
  ]);
  expect(expected.map(([line]) => line)).toEqual([1, 2, 3, 4, 5, 6, 7]);
  for (const [, at, text] of expected) expect(log.slice(at as number)).toContain(text);
  for (let size = 1; size < 40; size++) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, at) =>
      whole.subarray(at * size, (at + 1) * size),
    );
    expect(lines(pieces).map(({ line, startByte, data }) => [line, startByte, visibleText(data.toString())])).toEqual(
      expected,
    );
  }
});

it('blocks that are passed count as their lines do, and hold all that is visible in them', () => {
  const long = Array.from({ length: 20 }, () => log).join('\n');
  const stamped = `2026-11-27T03:15:06.098722Z 01O one\n2026-11-27T03:15:06.098722Z 01O+two\n`;
  const plain = 'plain\n'.repeat(12_000);
  const whole = Buffer.from(`${plain}${long}\n${stamped}${plain}${stamped}${long}`);
  const all = lines([whole]);
  for (const size of [100, 65_536, 70_001, whole.length]) {
    for (const pass of [true, false]) {
      let blocks = 0;
      const seen: LogLine[] = [];
      const scanner = lineScanner(
        (each) => seen.push(each),
        ({ line, startByte, lines: count, data }) => {
          const held = all.slice(line - 1, line - 1 + count);
          expect(held[0]?.startByte).toBe(startByte);
          expect(all[line - 1 + count]?.startByte ?? whole.length).toBeGreaterThanOrEqual(startByte + data.length);
          const text = withVisibleText(data.toString());
          expect(held.every(({ data: one }) => text.includes(visibleText(one.toString())))).toBe(true);
          blocks += 1;
          for (const each of held) if (pass) seen.push(each);
          return pass;
        },
      );
      for (let at = 0; at < whole.length; at += size) scanner.push(whole.subarray(at, at + size));
      expect(scanner.end()).toBe(all.length);
      expect(seen.map(({ line, startByte }) => [line, startByte])).toEqual(
        all.map(({ line, startByte }) => [line, startByte]),
      );
      expect(blocks).toBeGreaterThan(0);
    }
  }
});

it('a line without an end holds no more than its limit in memory', () => {
  const found = lines(Array.from({ length: 64 }, () => Buffer.alloc(16_384, 'x')));
  expect(found.map(({ line, data }) => [line, data.length])).toEqual([[1, keptBytes]]);
});

it('[3/api.runners/7] lines with times of the official runner are joined and shown without them', () => {
  const at = (text: string, kind = '00O ') => `2026-11-27T03:15:06.098722Z ${kind}${text}`;
  const stamped = [
    at(`${esc}[0KRunning with a runner${esc}[0;m`),
    at(start('prepare')),
    at(`${esc}[0K${esc}[36;1mPreparing${esc}[0;m`, '00O+'),
    at(end('prepare')),
    at(start('script'), '00O+'),
    at('Running', '00O+'),
    at('$ make', '01O '),
    at('another stream is no continuation', '02E+'),
    at('progress 1\rprogress 2\r', '01O '),
    at(end('script')),
    at('Job succeeded'),
    'without a time',
  ].join('\n');
  const whole = Buffer.from(stamped);
  const shown = (pieces: readonly Buffer[]) =>
    lines(pieces).map(({ line, startByte, data }) => [line, startByte, visibleText(data.toString())]);
  const expected = shown([whole]);
  expect(expected.map(([, , text]) => text)).toEqual([
    ...['Running with a runner', 'Preparing', 'Running', '$ make', 'another stream is no continuation'],
    ...['progress 2', 'Job succeeded', 'without a time'],
  ]);
  expect(expected.map(([line]) => line)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  const [, , third] = expected;
  expect(stamped.slice(third?.[1] as number)).toMatch(/^2026-11-27T03:15:06\.098722Z 00O section_end:2:prepare/);
  for (let size = 1; size < 40; size += 3) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
      whole.subarray(index * size, (index + 1) * size),
    );
    expect(shown(pieces)).toEqual(expected);
  }
});

it('what continues a line adds no more to it than its limit', () => {
  const pieces = Array.from({ length: 64 }, (_, index) =>
    Buffer.from(`2026-11-27T03:15:06.098722Z 01O${index === 0 ? ' ' : '+'}${'x'.repeat(16_384)}\n`),
  );
  expect(lines(pieces).map(({ line, data }) => [line, data.length])).toEqual([[1, keptBytes]]);
});
