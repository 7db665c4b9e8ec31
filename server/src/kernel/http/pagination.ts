/** Pages of lists: offset with Link headers and totals, and keyset with an opaque cursor. One implementation each. */
import type { TProperties } from 'typebox';
import { HttpError, invalidParameters } from './errors.ts';
import { Int, OneOf, Optional, Str } from './params/schema.ts';

/** `offset`: pages by number; `keyset`: cursor only; `both`: offset unless `pagination=keyset` is asked. */
export type PagingStyle = 'offset' | 'keyset' | 'both';

/** A position in a keyset list: the values of the order's columns in the last row of the page before. */
export type CursorValues = Readonly<Record<string, string | number | null>>;

export interface Page {
  readonly style: 'offset' | 'keyset';
  readonly page: number;
  readonly perPage: number;
  /** Rows to skip; 0 for keyset. */
  readonly offset: number;
  /** Rows to fetch: one more than a page, so that the next page is known without counting. */
  readonly limit: number;
  readonly after: CursorValues | null;
}

/** One page of a list, made by `offsetPage` or `keysetPage`. */
export interface Paged<T = unknown> {
  readonly items: readonly T[];
  readonly total: number | null;
  readonly hasNext: boolean;
  readonly next: CursorValues | null;
}

const defaultPerPage = 20;
const maximumPerPage = 100;
/** Beyond this many rows neither totals nor the last page are told, because counting them costs more than the page. */
export const countLimit = 10_000;

const pagedResults = new WeakSet<object>();

/**
 * An offset page from `limit` fetched rows. `total` is the exact number of rows, null when unknown or above
 * `countLimit`; give `countLimit + 1` rows' count as it is, it is dropped here.
 */
export function offsetPage<T>(page: Page, rows: readonly T[], total: number | null): Paged<T> {
  const value: Paged<T> = {
    items: rows.length > page.perPage ? rows.slice(0, page.perPage) : rows,
    total: total !== null && total <= countLimit ? total : null,
    hasNext: rows.length > page.perPage,
    next: null,
  };
  pagedResults.add(value);
  return value;
}

/** An offset page of a list that is wholly in memory. */
export function slicePage<T>(page: Page, all: readonly T[]): Paged<T> {
  return offsetPage(page, all.slice(page.offset, page.offset + page.limit), all.length);
}

/** A keyset page from `limit` fetched rows; `cursorOf` names the order's values of a row. */
export function keysetPage<T>(page: Page, rows: readonly T[], cursorOf: (row: T) => CursorValues): Paged<T> {
  const items = rows.length > page.perPage ? rows.slice(0, page.perPage) : rows;
  const last = items.at(-1);
  const hasNext = rows.length > page.perPage;
  const value: Paged<T> = { items, total: null, hasNext, next: hasNext && last !== undefined ? cursorOf(last) : null };
  pagedResults.add(value);
  return value;
}

/** The same page with each item mapped, for entities. */
export function mapPage<T, U>(page: Paged<T>, map: (item: T) => U): Paged<U> {
  const value: Paged<U> = { ...page, items: page.items.map(map) };
  pagedResults.add(value);
  return value;
}

/** The same page with each item mapped by something that waits; the items of a page are few. */
export async function mapPageAsync<T, U>(page: Paged<T>, map: (item: T) => Promise<U>): Promise<Paged<U>> {
  const value: Paged<U> = { ...page, items: await Promise.all(page.items.map(map)) };
  pagedResults.add(value);
  return value;
}

export const isPaged = (value: unknown): value is Paged =>
  typeof value === 'object' && value !== null && pagedResults.has(value);

/** The parameters that a style of paging adds to a route. */
export function pagingParameters(style: PagingStyle): TProperties {
  const offset = {
    page: Optional(Int({ minimum: 1, default: 1, description: 'Page number, from 1' })),
    per_page: Optional(
      Int({ minimum: 1, default: defaultPerPage, description: `Items per page, at most ${maximumPerPage}` }),
    ),
  };
  if (style === 'offset') return offset;
  return {
    ...offset,
    pagination: Optional(OneOf(['keyset', 'legacy', 'none'], { description: 'Set to `keyset` to page by cursor' })),
    cursor: Optional(Str({ description: 'Position from the `next` link of the page before' })),
    id_after: Optional(Int({ description: 'Only items with an id above this' })),
    id_before: Optional(Int({ description: 'Only items with an id below this' })),
  };
}

const encodeCursor = (values: CursorValues) => Buffer.from(JSON.stringify(values)).toString('base64url');

function decodeCursor(text: string): CursorValues {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as CursorValues;
  } catch {
    // Falls through to the one error for every bad cursor.
  }
  throw invalidParameters(['cursor is invalid']);
}

/** The window that the validated paging parameters ask for. `maximumOffset` is the instance's limit. */
export function pageOf(style: PagingStyle, params: Readonly<Record<string, unknown>>, maximumOffset: number): Page {
  const perPage = Math.min(Number(params.per_page ?? defaultPerPage), maximumPerPage);
  const keyset = style === 'keyset' || (style === 'both' && params.pagination === 'keyset');
  if (keyset) {
    const after = typeof params.cursor === 'string' ? decodeCursor(params.cursor) : null;
    return { style: 'keyset', page: 1, perPage, offset: 0, limit: perPage + 1, after };
  }
  const page = Number(params.page ?? 1);
  const offset = (page - 1) * perPage;
  if (offset > maximumOffset) {
    throw new HttpError(405, {
      error: `Offset pagination has a maximum allowed offset of ${maximumOffset} for requests that return objects of this type. Remaining records can be retrieved using keyset pagination.`,
    });
  }
  return { style: 'offset', page, perPage, offset, limit: perPage + 1, after: null };
}

/** Headers of a page. `url` is the request's absolute URL; every query parameter of it is kept in the links. */
export function pageHeaders(page: Page, paged: Paged, url: URL): Record<string, string> {
  const link = (rel: string, change: (query: URLSearchParams) => void) => {
    const target = new URL(url);
    change(target.searchParams);
    return `<${target.href}>; rel="${rel}"`;
  };
  if (page.style === 'keyset') {
    const next = paged.next;
    if (!next) return { 'X-Per-Page': String(page.perPage) };
    const href = link('next', (query) => {
      query.delete('page');
      query.set('pagination', 'keyset');
      query.set('per_page', String(page.perPage));
      query.set('cursor', encodeCursor(next));
    });
    return { 'X-Per-Page': String(page.perPage), Link: href };
  }
  const numbered = (number: number) => (query: URLSearchParams) => {
    query.set('page', String(number));
    query.set('per_page', String(page.perPage));
  };
  const lastPage = paged.total === null ? null : Math.max(1, Math.ceil(paged.total / page.perPage));
  const links = [
    ...(page.page > 1 ? [link('prev', numbered(page.page - 1))] : []),
    ...(paged.hasNext ? [link('next', numbered(page.page + 1))] : []),
    link('first', numbered(1)),
    ...(lastPage === null ? [] : [link('last', numbered(lastPage))]),
  ];
  return {
    Link: links.join(', '),
    'X-Page': String(page.page),
    'X-Per-Page': String(page.perPage),
    'X-Prev-Page': page.page > 1 ? String(page.page - 1) : '',
    'X-Next-Page': paged.hasNext ? String(page.page + 1) : '',
    ...(paged.total === null ? {} : { 'X-Total': String(paged.total), 'X-Total-Pages': String(lastPage) }),
  };
}
