/** The variables that runners get: sorted by use, expanded but for what only the runner can. */
import { expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../limits.ts';
import { expandForRunner } from './for-runner.ts';

type Given = { key: string; value: string; raw?: boolean; file?: boolean };
const given = (...pairs: (string | Given)[]): Given[] =>
  pairs.map((pair) => {
    if (typeof pair !== 'string') return pair;
    const [key = '', ...rest] = pair.split('=');
    return { key, value: rest.join('=') };
  });
const shown = (list: Given[]) => list.map(({ key, value }) => `${key}=${value}`);
const result = (...pairs: (string | Given)[]) => shown(expandForRunner(given(...pairs)));

const wanted: [what: string, given: (string | Given)[], expected: string[]][] = [
  ['nothing', [], []],
  ['each after those that it names', ['A=$B', `B=$\{C}`, 'C=x'], ['C=x', 'B=x', 'A=x']],
  ['names between percent signs', ['A=%B%', 'B=x'], ['B=x', 'A=x']],
  ['unknown ones as written', [`A=$NO $\{NO} %NO%`], [`A=$NO $\{NO} %NO%`]],
  ['no escaped ones', [`A=$$B %%B%% $\{}`, 'B=x'], [`A=$$B %%B%% $\{}`, 'B=x']],
  ['no raw ones', ['A=$R', { key: 'R', value: '$B', raw: true }, 'B=x'], ['R=$B', 'A=$R', 'B=x']],
  ['no files', ['A=$F', { key: 'F', value: '$B', file: true }, 'B=x'], ['B=x', 'F=x', 'A=$F']],
  ['the last of one name', ['A=$B', 'B=1', 'B=2'], ['B=1', 'B=2', 'A=2']],
  ['one of its own name by that of before', ['A=1', 'A=$A-2'], ['A=1', 'A=1-2']],
  ['one of its own name by that of behind', ['A=$A-1', 'A=2'], ['A=2', 'A=2-1']],
  ['one of its own name alone, as written', ['A=$A-1'], ['A=$A-1']],
  ['nothing of a circle', ['A=$B', 'B=$A', 'C=$D', 'D=x'], ['A=$B', 'B=$A', 'C=$D', 'D=x']],
  ['the same one several times', ['A=$C$B', 'B=$C', 'C=x'], ['C=x', 'B=x', 'A=xx']],
];
it.each(wanted)('[20/4] expands %s', (_what, list, expected) => {
  expect(result(...list)).toEqual(expected);
});

it('keeps what else belongs to a variable', () => {
  const list = [
    { key: 'A', value: '$B', masked: true },
    { key: 'B', value: 'x', masked: false },
  ];
  expect(expandForRunner(list)).toEqual([list[1], { key: 'A', value: 'x', masked: true }]);
});

it('[security 10] leaves values as they are written that would grow past a limit', () => {
  const levels = Array.from({ length: 30 }, (_, level) => `V${level}=${`$V${level + 1}`.repeat(10)}`);
  const list = result(...levels, 'V30=0123456789');
  expect(Math.max(...list.map((text) => text.length))).toBeLessThanOrEqual(DEFAULT_LIMITS.variableBytes + 4);
  const chain = Array.from({ length: 20_000 }, (_, link) => `C${link}=$C${link + 1}`);
  expect(result(...chain, 'C20000=end').at(-1)).toBe('C0=end');
  const many = Array.from({ length: 500 }, (_, link) => `M${link}=$L`);
  expect(result(...many, `L=${'x'.repeat(50_000)}`).join('').length).toBeLessThan(1_200_000);
});
