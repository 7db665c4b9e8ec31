/** Tables in text. */
import { describe, expect, test } from 'vitest';
import { readTable, separatorOf } from './tables.ts';

describe('tables in text', () => {
  test.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a,b\r\n1,',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    ['"a, ""b""","c\nd"\n', [['a, "b"', 'c\nd']]],
    ['"open,1\n2', [['open,1\n2']]],
    ['', []],
    ['a"b,c', [['a"b', 'c']]],
  ])('%j', (text, rows) => {
    expect(readTable(text, ',')).toEqual({ rows, more: false });
  });

  test('no more than a thousand rows and a hundred columns', () => {
    const long = readTable('x\n'.repeat(1_001), ',');
    expect([long.rows.length, long.more]).toEqual([1_000, true]);
    expect(readTable('x\n'.repeat(1_000), ',').more).toBe(false);
    const wide = readTable(','.repeat(200), ',');
    expect([wide.rows[0]?.length, wide.more]).toEqual([100, true]);
  });

  test('separators', () => {
    expect(separatorOf('a.tsv', '')).toBe('\t');
    expect(separatorOf('a.CSV', 'a;b,c;d\n')).toBe(';');
    expect(separatorOf('a.csv', 'a,b\n;;;;')).toBe(',');
    expect(separatorOf('a.txt', 'a,b')).toBeNull();
  });
});
