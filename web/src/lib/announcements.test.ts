/** Where broadcast messages are shown, and the links in them. */
import { expect, it } from 'vitest';
import { coversPath, shownAt, withLinks } from './announcements.ts';
import type { BroadcastMessage } from './broadcast-messages.ts';

it.each([
  ['/group/project', '/Group/Project', true],
  ['/group/project', '/group/project/-/issues', false],
  ['/group/*', '/group/project/-/issues', true],
  ['*/-/issues', '/group/project/-/issues', true],
  ['/g*/-/*s', '/group/project/-/issues', true],
  ['/a*a', '/a', false],
  ['*b*b*', 'a-b-c', false],
])('%s covers %s: %s', (pattern, path, covered) => {
  expect(coversPath(pattern, path)).toBe(covered);
});

it('messages for roles are shown to those alone', () => {
  const message = (id: number, target_access_levels: number[], target_path: string | null = null) =>
    ({ id, target_access_levels, target_path }) as BroadcastMessage;
  const all = [message(1, []), message(2, [10, 30]), message(3, [40], '/g/*')];
  const ids = (path: string, own?: number) => shownAt(all, path, own).map(({ id }) => id);
  expect(ids('/')).toEqual([1]);
  expect(ids('/g/p', 30)).toEqual([1, 2]);
  expect(ids('/g/p', 40)).toEqual([1, 3]);
  expect(ids('/h/p', 40)).toEqual([1]);
});

it('links are those of the web alone', () => {
  expect(withLinks('See [status](https://status.example/a) or https://b.example/c. [x](javascript:1)')).toEqual([
    'See ',
    { text: 'status', href: 'https://status.example/a' },
    ' or ',
    { text: 'https://b.example/c', href: 'https://b.example/c' },
    '. [x](javascript:1)',
  ]);
});
