/** The bits beside texts: none of what a text holds is ever missing, and most of what it does not hold is. */
import { expect, it } from 'vitest';
import { gramsOf, soughtGrams } from './grams.ts';

const words = 'self name return const Übung 値 = ( ) . , _ \t getName setName é \u{1f600} 0x1F'.split(' ');
/** A repeatable text of many lines. */
function textOf(seed: number, lines: number): string {
  let state = seed;
  const next = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
  const line = () => Array.from({ length: 1 + next(9) }, () => words[next(words.length)]).join(next(2) ? ' ' : '');
  return Array.from({ length: lines }, line).join('\n');
}

const has = (grams: Buffer, hash: number) => {
  const bit = hash % (grams.length * 8);
  return ((grams[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
};
const mayHold = (grams: Buffer, text: string) => soughtGrams(text).every((hash) => has(grams, hash));

it('a text may hold each part of its lines, in whatever case', () => {
  for (const seed of [1, 2, 3]) {
    const text = textOf(seed, 40);
    const grams = gramsOf(text);
    for (const line of text.split('\n'))
      for (let at = 0; at < line.length; at += 3) {
        const part = line.slice(at, at + 4 + (at % 20));
        const swapped = part.replace(/[a-z]/gi, (letter) =>
          letter < 'a' ? letter.toLowerCase() : letter.toUpperCase(),
        );
        expect([part, mayHold(grams, part), mayHold(grams, swapped)]).toEqual([part, true, true]);
      }
  }
});

it('texts that it does not hold are mostly told, and short ones never', () => {
  const grams = gramsOf(textOf(4, 400));
  const others = Array.from({ length: 200 }, (_, at) => `name=${textOf(at + 10, 1)}self.${at}`);
  expect(others.filter((text) => mayHold(grams, text)).length).toBeLessThan(10);
  expect(soughtGrams('name')).toEqual([]);
  expect(soughtGrams('ab\ncd')).toEqual([]);
});

it('has so many bytes as the text needs, and no more than fit into a row', () => {
  expect(gramsOf('').length).toBe(16);
  expect(gramsOf(textOf(5, 20)).length).toBeLessThan(400);
  expect(gramsOf(textOf(6, 3_000)).length).toBe(1536);
});
