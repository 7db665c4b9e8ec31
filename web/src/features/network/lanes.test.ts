/** Lines of histories. */
import { expect, test } from 'vitest';
import { lanesOf, widthOf } from './lanes.ts';

const history = (text: string) =>
  text.split(' ').map((each) => {
    const [id = '', parents = ''] = each.split(':');
    return { id, parent_ids: parents === '' ? [] : parents.split(',') };
  });
const told = (text: string) =>
  lanesOf(history(text)).map(
    ({ column, links }) => `${column} ${links.map(({ from, to }) => `${from}>${to}`).join(' ')}`,
  );

test('one line stays in its column and ends with its first commit', () => {
  expect(told('c:b b:a a:')).toEqual(['0 0>0', '0 0>0', '0 ']);
});

test('a merge opens a column for its second parent, which ends where the two parted', () => {
  expect(told('m:b,d d:a b:a a:')).toEqual(['0 0>0 0>1', '1 0>0 1>1', '0 1>1 0>1', '1 ']);
  expect(widthOf(lanesOf(history('m:b,d d:a b:a a:')))).toBe(2);
});

test('heads of several branches have columns of their own, and free ones are used again', () => {
  expect(told('x:a y:a a: z:')).toEqual(['0 0>0', '1 0>0 1>0', '0 ', '0 ']);
});

test('three parents, a parent named twice, and parents that are not there', () => {
  expect(told('o:a,b,c')).toEqual(['0 0>0 0>1 0>2']);
  expect(told('o:a,a a:gone')).toEqual(['0 0>0', '0 0>0']);
  expect(lanesOf([])).toEqual([]);
  expect(widthOf([])).toBe(1);
});
