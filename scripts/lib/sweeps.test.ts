/** Which part of a sweep a run takes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isDrawn, partOf, sweepFiles, sweepParts, sweepsLine, sweepsOf } from './sweeps.ts';

const now = () => 1_700_000_005_000;
const indexes = Array.from({ length: 4000 }, (_, index) => index);

test('every item is in the part of exactly one of as many seeds in a row as there are parts', () => {
  const drawn = Array.from({ length: sweepParts }, (_, at) =>
    indexes.filter((index) => isDrawn({ whole: false, exhaustive: false, seed: 123_456 + at }, index)),
  );
  expect(drawn.flat().sort((a, b) => a - b)).toEqual(indexes);
  for (const part of drawn) expect(Math.abs(part.length - indexes.length / sweepParts)).toBeLessThan(100);
  // No rhythm: of items that come in fours, as values of one parameter do, each part has every kind.
  for (const part of drawn) expect(new Set(part.map((index) => index % 4)).size).toBe(4);
});

test('a whole sweep takes every item, whatever its seed', () => {
  expect(indexes.every((index) => isDrawn({ whole: true, exhaustive: false, seed: 7 }, index))).toBe(true);
});

test('the seed changes with the clock, is told, and can be given', () => {
  const sampled = sweepsOf({}, now);
  expect(sampled).toEqual({ whole: false, exhaustive: false, seed: 5 });
  expect(partOf(sweepsOf({}, () => now() + 1000))).toBe(6);
  expect(sweepsLine(sampled)).toContain('part 6 of 8 (SWEEP_SEED=5 ');
  expect(sweepsOf({ SWEEP_SEED: '123' }, now)).toEqual({ whole: false, exhaustive: false, seed: 123 });
  expect(sweepsLine(sweepsOf({ SWEEPS: 'whole' }, now))).toBe('sweeps: whole');
  const exhaustive = sweepsOf({ SWEEPS: 'exhaustive' }, now);
  expect([exhaustive.whole, sweepsLine(exhaustive)]).toEqual([true, 'sweeps: exhaustive']);
});

test('a setting that is none is refused', () => {
  expect(() => sweepsOf({ SWEEPS: 'all' }, now)).toThrow('SWEEPS is sampled, whole or exhaustive');
  for (const seed of ['x', '1.5', '-1']) expect(() => sweepsOf({ SWEEP_SEED: seed }, now)).toThrow('SWEEP_SEED');
});

test('the list of sweeps is that of the files that draw', () => {
  const root = join(import.meta.dirname, '../..');
  const drawing = readdirSync(join(root, 'server/src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `server/src/${name}`)
    .filter((path) => {
      // Asking several at once draws nothing.
      const taken = /import \{([^}]*)\} from '[^']*test\/sampling\.ts'/.exec(
        readFileSync(join(root, path), 'utf8'),
      )?.[1];
      return (taken ?? '').split(',').some((name) => !['', 'severalAtOnce'].includes(name.trim()));
    });
  expect(sweepFiles).toEqual(drawing.sort());
});
