/** Windows, links and cursors. */
import { describe, expect, it } from 'vitest';
import { HttpError } from './errors.ts';
import { keysetPage, offsetPage, pageHeaders, pageOf, slicePage } from './pagination.ts';

const url = (query = '') => new URL(`http://forge.test/api/v4/projects${query}`);

describe('offset pages', () => {
  it('[1/limits.pagination/3 prev] [1/limits.pagination/3 next] [1/limits.pagination/3 first] [1/limits.pagination/3 last] links keep every parameter', () => {
    const page = pageOf('offset', { page: 2, per_page: 2 }, 50_000);
    const headers = pageHeaders(page, slicePage(page, ['a', 'b', 'c', 'd', 'e']), url('?search=x&page=2&per_page=2'));
    expect(headers.Link).toBe(
      [
        '<http://forge.test/api/v4/projects?search=x&page=1&per_page=2>; rel="prev"',
        '<http://forge.test/api/v4/projects?search=x&page=3&per_page=2>; rel="next"',
        '<http://forge.test/api/v4/projects?search=x&page=1&per_page=2>; rel="first"',
        '<http://forge.test/api/v4/projects?search=x&page=3&per_page=2>; rel="last"',
      ].join(', '),
    );
    expect(headers).toMatchObject({
      'X-Total': '5',
      'X-Total-Pages': '3',
      'X-Page': '2',
      'X-Per-Page': '2',
      'X-Next-Page': '3',
      'X-Prev-Page': '1',
    });
  });

  it('[1/limits.pagination/2 per_page] defaults to 20 and counts more than 100 as 100', () => {
    expect(pageOf('offset', {}, 50_000)).toMatchObject({ page: 1, perPage: 20, offset: 0, limit: 21 });
    expect(pageOf('offset', { per_page: 1000 }, 50_000).perPage).toBe(100);
  });

  it('leaves totals and the last page out beyond 10,000 rows', () => {
    const page = pageOf('offset', {}, 50_000);
    const rows = Array.from({ length: 21 }, (_, index) => index);
    const headers = pageHeaders(page, offsetPage(page, rows, 10_001), url());
    expect(headers).not.toHaveProperty('X-Total');
    expect(headers.Link).not.toContain('rel="last"');
    expect(headers.Link).toContain('rel="next"');
  });

  it('[1/limits.pagination/4] refuses offsets past the maximum with a hint to keyset pagination', () => {
    expect(() => pageOf('offset', { page: 502, per_page: 100 }, 50_000)).toThrowError(HttpError);
    expect(pageOf('offset', { page: 501, per_page: 100 }, 50_000).offset).toBe(50_000);
  });
});

describe('keyset pages', () => {
  it('[1/limits.pagination/5] carry a cursor in the next link only', () => {
    const page = pageOf('both', { pagination: 'keyset', per_page: 2 }, 50_000);
    const paged = keysetPage(page, [{ id: 3 }, { id: 2 }, { id: 1 }], (row) => ({ id: row.id }));
    const { Link } = pageHeaders(page, paged, url('?pagination=keyset&per_page=2'));
    const next = new URL(/<([^>]+)>; rel="next"$/.exec(Link ?? '')?.[1] ?? '');
    const following = pageOf('both', Object.fromEntries(next.searchParams), 50_000);
    expect(following).toMatchObject({ style: 'keyset', perPage: 2, after: { id: 2 } });
    expect(
      pageHeaders(
        following,
        keysetPage(following, [{ id: 1 }], (row) => ({ id: row.id })),
        url(),
      ),
    ).not.toHaveProperty('Link');
  });

  it('refuses a cursor that it did not make', () => {
    expect(() => pageOf('keyset', { cursor: '!!' }, 50_000)).toThrowError(HttpError);
  });
});
