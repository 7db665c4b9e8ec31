/** What a form of a release changes of its links. */
import { expect, test } from 'vitest';
import { releaseAddress } from '../features/releases/address.ts';
import { linkChanges } from './releases.ts';

const link = (id: number, name: string) => ({
  ...{ id, name, url: `https://files.example/${name}`, link_type: 'other' as const },
  direct_asset_url: '',
});

test('links that are gone, changed and new are told apart; the others are left alone', () => {
  const stored = [link(1, 'a'), link(2, 'b'), link(3, 'c')];
  const { id: _, ...fresh } = link(0, 'd');
  const drafts = [link(1, 'a'), { ...link(3, 'c'), link_type: 'package' as const }, fresh];
  expect(linkChanges(stored, drafts)).toEqual({ removed: [2], changed: [drafts[1]], added: [fresh] });
  expect(linkChanges(stored, stored)).toEqual({ removed: [], changed: [], added: [] });
});

test('addresses of releases', () => {
  expect(['', 'new', 'v1', 'a/b', 'a/b/edit'].map(releaseAddress)).toEqual([
    { kind: 'list', tag: '' },
    { kind: 'new', tag: '' },
    { kind: 'one', tag: 'v1' },
    { kind: 'one', tag: 'a/b' },
    { kind: 'edit', tag: 'a/b' },
  ]);
});
