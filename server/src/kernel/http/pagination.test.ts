/** Windows, links and cursors. */
import { describe, expect, it } from 'vitest';
import { HttpError } from './errors.ts';
import { pageHeaders } from './page-links.ts';
import { encodeCursor, keysetPage, offsetPage, pageOf, slicePage, tokenPage } from './pagination.ts';

const limits = { maximumOffset: 50_000, noun: 'Project' };
const at = (query = '', path = '/api/v4/projects') => ({ externalUrl: 'http://forge.test', target: path + query });
const linksOf = (header: string | undefined) =>
  Object.fromEntries([...(header ?? '').matchAll(/<([^>]+)>; rel="([^"]+)"/g)].map(([, url, rel]) => [rel, url]));

function refusal(work: () => unknown): { status: number; body: unknown } {
  try {
    work();
  } catch (error) {
    if (error instanceof HttpError) return { status: error.status, body: error.body };
    throw error;
  }
  throw new Error('it was not refused');
}

describe('offset pages', () => {
  it('[1/limits.pagination/3 Link, rel, prev, next, first, last] links keep every parameter', () => {
    const page = pageOf('offset', { page: 2, per_page: 2 }, limits);
    const headers = pageHeaders(page, slicePage(page, ['a', 'b', 'c', 'd', 'e']), at('?search=x&page=2&per_page=2'));
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

  it('[1/limits.pagination/3] arrays, hashes and encodings stay as they came, in their order; separators of the header are encoded', () => {
    const page = pageOf('offset', {}, limits);
    const query = '?topic[]=b&topic[]=a&filter%5Bscope%5D=%2A&search=a+b%20c%26d&in=x,y;z&empty=&flag&name=>"ü<';
    const { next } = linksOf(pageHeaders(page, offsetPage(page, Array(21).fill(0), 40), at(query)).Link);
    const url = new URL(next ?? '');
    expect(next).not.toMatch(/[,;<>"\s]/);
    expect([...url.searchParams]).toEqual([
      ['topic[]', 'b'],
      ['topic[]', 'a'],
      ['filter[scope]', '*'],
      ['search', 'a b c&d'],
      ['in', 'x,y;z'],
      ['empty', ''],
      ['flag', ''],
      ['name', '>"ü<'],
      ['page', '2'],
      ['per_page', '20'],
    ]);
  });

  it('security 23: tokens of the query are not echoed, sudo is kept', () => {
    const query =
      '?private_token=s3cret&a=1&access_token=s3cret&job%5Ftoken=s3cret&feed_token=s3cret&private_token[]=s3cret&sudo=ann';
    for (const style of ['offset', 'both'] as const) {
      const page = pageOf(style, style === 'both' ? { pagination: 'keyset', per_page: 1 } : { per_page: 1 }, limits);
      const paged = style === 'both' ? keysetPage(page, [{ id: 2 }, { id: 1 }], (row) => row) : slicePage(page, [2, 1]);
      const { Link } = pageHeaders(page, paged, at(query));
      expect(Link).toContain('rel="next"');
      expect(Link).not.toContain('s3cret');
      expect(new URL(linksOf(Link).next ?? '').searchParams.get('sudo')).toBe('ann');
    }
  });

  it('links start with the external URL, whatever host the request names', () => {
    const page = pageOf('offset', {}, limits);
    for (const [externalUrl, target] of [
      ['https://forge.test/base', '/api/v4/projects/a%2Fb%2Ec/jobs?x=1'],
      ['https://forge.test/base', 'http://evil.test/api/v4/projects/a%2Fb%2Ec/jobs?x=1'],
    ] as const) {
      const { first } = linksOf(pageHeaders(page, slicePage(page, []), { externalUrl, target }).Link);
      expect(first).toBe('https://forge.test/base/api/v4/projects/a%2Fb%2Ec/jobs?x=1&page=1&per_page=20');
    }
  });

  it('[1/limits.pagination/2 per_page] [1/limits.pagination/6] defaults to 20 and counts more than 100 as 100', () => {
    expect(pageOf('offset', {}, limits)).toMatchObject({ page: 1, perPage: 20, offset: 0, limit: 21 });
    expect(pageOf('offset', { per_page: 1000 }, limits).perPage).toBe(100);
  });

  it('leaves totals and the last page out beyond 10,000 rows', () => {
    const page = pageOf('offset', {}, limits);
    const rows = Array.from({ length: 21 }, (_, index) => index);
    const headers = pageHeaders(page, offsetPage(page, rows, 10_001), at());
    expect(headers).not.toHaveProperty('X-Total');
    expect(headers).not.toHaveProperty('X-Total-Pages');
    expect(headers.Link).not.toContain('rel="last"');
    expect(headers.Link).toContain('rel="next"');
    expect(pageHeaders(page, offsetPage(page, rows, 10_000), at())).toMatchObject({ 'X-Total': '10000' });
  });

  it('[1/limits.pagination/3 last] the last page says that it is, also where the total is not known', () => {
    const linksAt = (number: number, rows: readonly string[]) => {
      const page = pageOf('offset', { page: number, per_page: 2 }, limits);
      const headers = pageHeaders(page, offsetPage(page, rows, null), at());
      expect(headers).not.toHaveProperty('X-Total-Pages');
      return linksOf(String(headers.Link));
    };
    expect(Object.keys(linksAt(1, ['a', 'b', 'c']))).toEqual(['next', 'first']);
    expect(linksAt(2, ['c']).last).toContain('page=2&');
    expect(linksAt(1, []).last).toContain('page=1&');
    expect(Object.keys(linksAt(5, []))).toEqual(['prev', 'first']);
  });

  it('beyond the end a page is empty and tells where the list is', () => {
    const headers = (number: number): { items: readonly string[]; [name: string]: unknown } => {
      const page = pageOf('offset', { page: number, per_page: 2 }, limits);
      const paged = slicePage(page, ['a', 'b', 'c']);
      return { items: paged.items, ...pageHeaders(page, paged, at()) };
    };
    expect(headers(3)).toMatchObject({ items: [], 'X-Total': '3', 'X-Total-Pages': '2', 'X-Prev-Page': '2' });
    const far = headers(9);
    expect(far).toMatchObject({ items: [], 'X-Page': '9', 'X-Prev-Page': '', 'X-Next-Page': '', 'X-Total': '3' });
    expect(Object.keys(linksOf(String(far.Link)))).toEqual(['first', 'last']);
  });

  it('[1/limits.pagination/4] refuses offsets past the maximum with a hint to keyset pagination; 0 is no maximum', () => {
    const deep = { page: 501, per_page: 100 };
    expect(refusal(() => pageOf('both', deep, limits))).toEqual({
      status: 405,
      body: {
        error:
          'Offset pagination has a maximum allowed offset of 50000 for requests that return objects of type Project (offset_pagination_limit). Remaining records can be retrieved using keyset pagination.',
      },
    });
    const withoutKeyset = JSON.stringify(refusal(() => pageOf('offset', deep, limits)).body);
    expect(withoutKeyset).toMatch(/maximum allowed offset of 50000 .*\(offset_pagination_limit\)\."}$/);
    expect(pageOf('offset', { page: 500, per_page: 100 }, limits).offset).toBe(49_900);
    expect(pageOf('both', { ...deep, pagination: 'keyset' }, limits).style).toBe('keyset');
    expect(pageOf('offset', { page: 1_000_000, per_page: 100 }, { ...limits, maximumOffset: 0 }).offset).toBe(
      99_999_900,
    );
  });
});

describe('keyset pages', () => {
  it('[1/limits.pagination/5] carry a cursor in the next link only', () => {
    const page = pageOf('both', { pagination: 'keyset', per_page: 2 }, limits);
    const paged = keysetPage(page, [{ id: 3 }, { id: 2 }, { id: 1 }], (row) => ({ id: row.id }));
    const headers = pageHeaders(page, paged, at('?page=1&search=x&pagination=keyset&per_page=2&cursor=old'));
    const { next, ...others } = linksOf(headers.Link);
    expect(others).toEqual({});
    const params = Object.fromEntries(new URL(next ?? '').searchParams);
    expect(params).toEqual({ search: 'x', pagination: 'keyset', per_page: '2', cursor: encodeCursor({ id: 2 }) });
    expect(headers).toEqual({ Link: headers.Link, 'X-Per-Page': '2', 'X-Next-Cursor': encodeCursor({ id: 2 }) });
    const following = pageOf('both', params, limits);
    expect(following).toMatchObject({ style: 'keyset', perPage: 2, after: { id: 2 } });
    const last = keysetPage(following, [{ id: 1 }], (row) => ({ id: row.id }));
    expect(pageHeaders(following, last, at())).toEqual({ 'X-Per-Page': '2' });
  });

  it('of repositories continue with page_token', () => {
    const page = pageOf('token', { pagination: 'keyset', per_page: 1 }, limits);
    const headers = pageHeaders(
      page,
      tokenPage(page, ['a&b', 'c'], (name) => name),
      at('?pagination=keyset&per_page=1'),
    );
    const params = Object.fromEntries(new URL(linksOf(headers.Link).next ?? '').searchParams);
    expect(params).toEqual({ pagination: 'keyset', per_page: '1', page_token: 'a&b' });
    expect(pageOf('token', params, limits).token).toBe('a&b');
  });

  it('[1/limits.pagination/1] a list with keyset pages only accepts page 1 and refuses others', () => {
    expect(pageOf('keyset', { page: 1 }, limits).style).toBe('keyset');
    expect(refusal(() => pageOf('keyset', { page: 2 }, limits))).toEqual({
      status: 405,
      body: {
        error:
          'Offset pagination is not available for requests that return objects of type Project. Remaining records can be retrieved using keyset pagination.',
      },
    });
  });

  it('refuses a cursor that is none', () => {
    for (const cursor of ['!!', '', 'W10', 'bnVsbA', Buffer.from('7').toString('base64url')])
      expect(refusal(() => pageOf('keyset', { cursor }, limits)).status).toBe(400);
  });
});
