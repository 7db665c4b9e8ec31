/** Pages of lists: offset with Link headers and totals, and keyset with an opaque cursor. One implementation each. */
import type { TProperties } from 'typebox';
import { HttpError, invalidParameters } from './errors.ts';
import { Int, OneOf, Optional, Str } from './params/schema.ts';

/**
 * `offset`: pages by number; `keyset`: cursor only; `both`: offset unless `pagination=keyset` is asked; `token`: the
 * same for lists of a repository, which clients continue with `page_token` instead of `cursor`.
 */
export type PagingStyle = 'offset' | 'keyset' | 'both' | 'token';

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
  /** Where a list of a repository continues, as the client gave it. */
  readonly token: string | null;
}

/** One page of a list, made by `offsetPage`, `keysetPage` or `tokenPage`. */
export interface Paged<T = unknown> {
  readonly items: readonly T[];
  readonly total: number | null;
  readonly hasNext: boolean;
  /** The parameters with which the next keyset page is asked for. */
  readonly next: Readonly<Record<string, string>> | null;
}

const defaultPerPage = 20;
const maximumPerPage = 100;
/** Beyond this many rows neither totals nor the last page are told, because counting them costs more than the page. */
export const countLimit = 10_000;

const pagedResults = new WeakSet<object>();

function made<T>(value: Paged<T>): Paged<T> {
  pagedResults.add(value);
  return value;
}

/** The rows that are shown, of those that were read. */
export const firstOf = <T>(page: Page, rows: readonly T[]) =>
  rows.length > page.perPage ? rows.slice(0, page.perPage) : rows;

/**
 * An offset page from `limit` fetched rows. `total` is the exact number of rows, null when unknown or above
 * `countLimit`; give `countLimit + 1` rows' count as it is, it is dropped here.
 */
export function offsetPage<T>(page: Page, rows: readonly T[], total: number | null): Paged<T> {
  return made({
    items: firstOf(page, rows),
    total: total !== null && total <= countLimit ? total : null,
    hasNext: rows.length > page.perPage,
    next: null,
  });
}

/** The total that a page itself tells: it ends before it is full, so nothing has to be counted. */
export function totalOfLastPage(page: Page, rows: readonly unknown[]): number | null {
  const last = rows.length <= page.perPage && (rows.length > 0 || page.offset === 0);
  return last ? page.offset + rows.length : null;
}

/** An offset page of a list that is wholly in memory. */
export function slicePage<T>(page: Page, all: readonly T[]): Paged<T> {
  return offsetPage(page, all.slice(page.offset, page.offset + page.limit), all.length);
}

function continued<T>(page: Page, rows: readonly T[], next: (last: T) => Record<string, string>): Paged<T> {
  const items = firstOf(page, rows);
  const hasNext = rows.length > page.perPage;
  const last = items.at(-1);
  return made({ items, total: null, hasNext, next: hasNext && last !== undefined ? next(last) : null });
}

/** A keyset page from `limit` fetched rows; `cursorOf` names the order's values of a row. */
export function keysetPage<T>(page: Page, rows: readonly T[], cursorOf: (row: T) => CursorValues): Paged<T> {
  return continued(page, rows, (last) => ({ cursor: encodeCursor(cursorOf(last)) }));
}

/** A keyset page of a list that clients continue with `page_token`, as those of a repository. */
export function tokenPage<T>(page: Page, rows: readonly T[], tokenOf: (row: T) => string): Paged<T> {
  return continued(page, rows, (last) => ({ page_token: tokenOf(last) }));
}

/** The same page with other items in their place. */
export const withItems = <T>(page: Paged, items: readonly T[]): Paged<T> => made({ ...page, items });

/** The same page with each item mapped, for entities. */
export const mapPage = <T, U>(page: Paged<T>, map: (item: T) => U): Paged<U> => withItems(page, page.items.map(map));

/** The same page without the items that the map has nothing for: removed by somebody between two reads. */
export const mapPresent = <T, U extends object>(page: Paged<T>, map: (item: T) => U | undefined): Paged<U> =>
  withItems(
    page,
    page.items.flatMap((item) => map(item) ?? []),
  );

/** The same page with each item mapped by something that waits; the items of a page are few. */
export const mapPageAsync = async <T, U>(page: Paged<T>, map: (item: T) => Promise<U>): Promise<Paged<U>> =>
  withItems(page, await Promise.all(page.items.map(map)));

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
    pagination: Optional(OneOf(['keyset', 'offset', 'legacy'], { description: 'Set to `keyset` to page by cursor' })),
    ...(style === 'token'
      ? { page_token: Optional(Str({ description: 'Position from the `next` link of the page before' })) }
      : { cursor: Optional(Str({ description: 'Position from the `next` link of the page before' })) }),
  };
}

/** An opaque text of a position, and back. */
export const encodeCursor = (values: CursorValues): string => Buffer.from(JSON.stringify(values)).toString('base64url');

/** The position that a text stands for; null where it is not one. What the values may be is the list's to check. */
export function decodeCursor(text: string): CursorValues | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as CursorValues;
  } catch {
    // Falls through to the one answer for every bad cursor.
  }
  return null;
}

/** 405: the list has keyset pages, but not in this order. */
export const keysetUnavailable = () =>
  new HttpError(405, { error: 'Keyset pagination is not yet available for this type of request' });

/** What the instance allows, and what the list is of, for the refusal. */
export interface PageLimits {
  /** Highest last row of an offset page; 0 for no limit. */
  readonly maximumOffset: number;
  readonly noun: string;
}

function refused(style: PagingStyle, { maximumOffset, noun }: PageLimits): HttpError {
  const hint = style === 'offset' ? '' : ' Remaining records can be retrieved using keyset pagination.';
  const why =
    style === 'keyset'
      ? 'Offset pagination is not available'
      : `Offset pagination has a maximum allowed offset of ${maximumOffset}`;
  const name = style === 'keyset' ? '' : ' (offset_pagination_limit)';
  return new HttpError(405, { error: `${why} for requests that return objects of type ${noun}${name}.${hint}` });
}

/** The window that the validated paging parameters ask for. */
export function pageOf(style: PagingStyle, params: Readonly<Record<string, unknown>>, limits: PageLimits): Page {
  const perPage = Math.min(Number(params.per_page ?? defaultPerPage), maximumPerPage);
  const page = Number(params.page ?? 1);
  if (style === 'keyset' || (style !== 'offset' && params.pagination === 'keyset')) {
    if (style === 'keyset' && page > 1) throw refused(style, limits);
    const { cursor, page_token } = params;
    const after = typeof cursor === 'string' ? decodeCursor(cursor) : null;
    if (after === null && cursor !== undefined) throw invalidParameters(['cursor is invalid']);
    const token = typeof page_token === 'string' && page_token !== '' ? page_token : null;
    return { style: 'keyset', page: 1, perPage, offset: 0, limit: perPage + 1, after, token };
  }
  if (limits.maximumOffset > 0 && page * perPage > limits.maximumOffset) throw refused(style, limits);
  return { style: 'offset', page, perPage, offset: (page - 1) * perPage, limit: perPage + 1, after: null, token: null };
}
