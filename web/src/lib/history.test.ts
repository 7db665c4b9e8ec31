/** The text of a comparison in addresses. */
import { expect, test } from 'vitest';
import { parseRange, rangeText } from './history.ts';

test('ranges of addresses are two refs and how they are compared', () => {
  expect(parseRange('main...feature/x')).toEqual({ from: 'main', to: 'feature/x', straight: false });
  expect(parseRange('v1.0..v1.1')).toEqual({ from: 'v1.0', to: 'v1.1', straight: true });
  expect([parseRange(''), parseRange('main'), parseRange('main...'), parseRange('..x')]).toEqual([
    null,
    null,
    null,
    null,
  ]);
  const range = parseRange(rangeText('a.b', 'c', true));
  expect(range).toEqual({ from: 'a.b', to: 'c', straight: true });
});
