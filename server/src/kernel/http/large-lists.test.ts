/** Long lists that are remembered. */
import { expect, test } from 'vitest';
import { createLargeLists } from './large-lists.ts';

const open = { from: null, until: null };
const day = (day: number) => new Date(Date.UTC(2026, 0, day));

test('a list that was found to be long is known for a minute, and only that one', () => {
  let time = 0;
  const lists = createLargeLists<true>(() => time);
  expect(lists.get('a', [open])).toBeUndefined();
  lists.set('a', true, [open]);
  time = 59_999;
  expect(lists.get('a', [open])).toBe(true);
  expect(lists.get('b', [open])).toBeUndefined();
  time = 65_000;
  expect(lists.get('a', [open])).toBeUndefined();
  expect(lists.get('a', [open])).toBeUndefined();
});

test('of those who ask at the end of the minute one counts again, the others hear what was known for a moment', () => {
  let time = 0;
  const lists = createLargeLists<string>(() => time);
  lists.set('a', 'long');
  lists.set('b', 'long');
  time = 60_000;
  expect(['a', 'a', 'b', 'b'].map((key) => lists.get(key))).toEqual([undefined, 'long', undefined, 'long']);
  lists.set('b', 'longer');
  time = 65_000;
  expect(['a', 'a', 'b', 'b'].map((key) => lists.get(key))).toEqual([undefined, undefined, 'longer', 'longer']);
});

test('a list is long where the same one within a narrower range is, and unknown within a wider one', () => {
  const lists = createLargeLists<true>(() => 0);
  lists.set('a', true, [{ from: day(5), until: day(10) }, open]);
  expect(lists.get('a', [{ from: day(4), until: day(10) }, open])).toBe(true);
  expect(lists.get('a', [{ from: null, until: day(11) }, open])).toBe(true);
  expect(lists.get('a', [{ from: day(6), until: null }, open])).toBeUndefined();
  expect(lists.get('a', [{ from: null, until: day(9) }, open])).toBeUndefined();
  expect(lists.get('a', [open, { from: day(1), until: null }])).toBeUndefined();
});

test('the lists that were found longest ago are forgotten first', () => {
  const lists = createLargeLists<true>(() => 0);
  for (let at = 0; at <= 2000; at += 1) lists.set(String(at), true);
  expect(lists.get('0')).toBeUndefined();
  expect(lists.get('1')).toBe(true);
  expect(lists.get('2000')).toBe(true);
});
