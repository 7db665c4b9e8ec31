/** Addresses of wikis, and the order of their pages. */
import { describe, expect, it } from 'vitest';
import { outline, viewOf } from './pages.ts';

const page = (slug: string) => ({ slug, title: slug });

describe('what an address asks for', () => {
  const pages = ['about', 'guide/history', 'home', 'guide'].map(page);
  it.each([
    ['', undefined, { kind: 'page', slug: 'home' }],
    ['', 'new', { kind: 'new' }],
    ['new', undefined, { kind: 'new' }],
    ['guide', 'edit', { kind: 'edit', slug: 'guide' }],
    ['guide/edit', undefined, { kind: 'edit', slug: 'guide' }],
    ['guide/history', undefined, { kind: 'page', slug: 'guide/history' }],
    ['guide/history/history', undefined, { kind: 'history', slug: 'guide/history' }],
    ['missing/edit', undefined, { kind: 'page', slug: 'missing/edit' }],
  ])('%s %s', (splat, view, expected) => {
    expect(viewOf(splat, view, pages)).toEqual(expected);
  });
  it('without a home, without pages, and with a page that is called new', () => {
    expect(viewOf('', undefined, [page('z')])).toEqual({ kind: 'page', slug: 'z' });
    expect(viewOf('', undefined, [])).toEqual({ kind: 'empty' });
    expect(viewOf('new', undefined, [page('new')])).toEqual({ kind: 'page', slug: 'new' });
  });
});

it('pages stand below their folders, and a folder with a page is that page', () => {
  const entries = outline(['home', 'guide/install/Linux', 'guide-b', 'guide/A', 'api', 'api/v4'].map(page));
  expect(entries.map((entry) => [entry.kind === 'page' ? entry.page.slug : `${entry.path}/`, entry.depth])).toEqual([
    ['home', 0],
    ['api', 0],
    ['api/v4', 1],
    ['guide/', 0],
    ['guide/A', 1],
    ['guide/install/', 1],
    ['guide/install/Linux', 2],
    ['guide-b', 0],
  ]);
});
