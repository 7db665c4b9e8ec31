/** Keyset pages of lists that are read from git as a whole: a page starts after a position, not at an index. */
import { invalidParameters } from '../../../kernel/http/errors.ts';
import {
  type CursorValues,
  decodeCursor,
  encodeCursor,
  type Page,
  type Paged,
  slicePage,
  tokenPage,
} from '../../../kernel/http/pagination.ts';
import type { RefData, TreeItem } from './reader.ts';

/** How a list is ordered, and what its `page_token` says. */
export interface ListOrder<T, P> {
  positionOf(item: T): P;
  compare(a: P, b: P): number;
  tokenOf(position: P): string;
  /** Null for a token that says nothing. */
  read(token: string): P | null;
}

/**
 * One page of a list that is already in its order. What came or went between two pages moves nothing else: a position
 * does not have to exist any more.
 */
export function pageOfList<T, P>(page: Page, ordered: readonly T[], order: ListOrder<T, P>): Paged<T> {
  if (page.style === 'offset') return slicePage(page, ordered);
  let rest = ordered;
  if (page.token !== null) {
    const position = order.read(page.token);
    if (position === null) throw invalidParameters(['page_token is invalid']);
    const start = ordered.findIndex((item) => order.compare(order.positionOf(item), position) > 0);
    rest = start === -1 ? [] : ordered.slice(start, start + page.limit);
  }
  return tokenPage(page, rest, (item) => order.tokenOf(order.positionOf(item)));
}

const nothing: CursorValues = {};

interface RefPosition {
  readonly name: string;
  /** Milliseconds, where the list is in the order of dates. */
  readonly at: number;
}

const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Refs by name: the token is the name itself, as clients build it. */
export function byName(direction: 1 | -1, compare: (a: string, b: string) => number): ListOrder<RefData, string> {
  return {
    positionOf: (ref) => ref.name,
    // Names that count as equal, like v1 and v01, still need one order.
    compare: (a, b) => direction * (compare(a, b) || byCode(a, b)),
    tokenOf: (name) => name,
    read: (token) => token,
  };
}

/** Refs by date, then by name. A token may also be the name of a ref in the list. */
export function byDate(
  times: ReadonlyMap<string, number>,
  direction: { readonly date: 1 | -1; readonly name: 1 | -1 },
): ListOrder<RefData, RefPosition> {
  const positionOf = (name: string): RefPosition => ({ name, at: times.get(name) ?? 0 });
  return {
    positionOf: (ref) => positionOf(ref.name),
    compare: (a, b) => direction.date * (a.at - b.at) || direction.name * byCode(a.name, b.name),
    tokenOf: ({ at, name }) => encodeCursor({ at, name }),
    read(token) {
      if (times.has(token)) return positionOf(token);
      const { at, name } = decodeCursor(token) ?? nothing;
      return typeof name === 'string' && typeof at === 'number' ? { at, name } : null;
    },
  };
}

interface EntryPosition {
  readonly path: string;
  readonly tree: boolean;
}

/** git sorts a directory as if its name ended in a slash, by bytes. */
const gitKey = ({ path, tree }: EntryPosition) => Buffer.from(tree ? `${path}/` : path);

/** Entries of a tree. A token may also be the id of an entry, which the ecosystem's documentation names. */
export function byPath(entries: readonly TreeItem[], directoriesFirst: boolean): ListOrder<TreeItem, EntryPosition> {
  const positionOf = ({ path, type }: TreeItem): EntryPosition => ({ path, tree: type === 'tree' });
  return {
    positionOf,
    compare: (a, b) =>
      directoriesFirst && a.tree !== b.tree ? (a.tree ? -1 : 1) : Buffer.compare(gitKey(a), gitKey(b)),
    tokenOf: ({ path, tree }) => encodeCursor({ path, tree: tree ? 1 : 0 }),
    read(token) {
      const named = /^[0-9a-f]{40}([0-9a-f]{24})?$/.test(token) ? entries.find(({ id }) => id === token) : undefined;
      if (named) return positionOf(named);
      const { path, tree } = decodeCursor(token) ?? nothing;
      return typeof path === 'string' && (tree === 0 || tree === 1) ? { path, tree: tree === 1 } : null;
    },
  };
}
