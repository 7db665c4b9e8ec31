/** The headers of a page: links that clients follow as they are, and the numbers of offset pages. */
import type { Page, Paged } from './pagination.ts';

/** Where a list was asked for. */
export interface PageAddress {
  /** External URL without a trailing slash; every link starts with it. */
  readonly externalUrl: string;
  /** The request's target as it came. */
  readonly target: string;
}

/**
 * Parameters that carry a secret: never written into an answer, which logs and caches keep. Whoever sent the token in
 * the query sends it again, as with headers. `sudo` is no secret and stays: without it the next page would be another
 * user's.
 */
const secretNames = new Set(['private_token', 'access_token', 'job_token', 'feed_token', 'rss_token']);
const positionNames = ['page', 'per_page', 'pagination', 'cursor', 'page_token'];

function nameOf(pair: string): string {
  const equals = pair.indexOf('=');
  const name = equals === -1 ? pair : pair.slice(0, equals);
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** Simple clients split the header at commas and semicolons. */
const separated = (text: string) => text.replaceAll(',', '%2C').replaceAll(';', '%3B');

/** Makes links to the same list with other values of some parameters; the others keep their order and spelling. */
function linker({ externalUrl, target }: PageAddress): (change: Readonly<Record<string, string>>) => string {
  const question = target.indexOf('?');
  // A request may name a host in its first line: that is the client's claim, not our address.
  const path = (question === -1 ? target : target.slice(0, question)).replace(/^https?:\/\/[^/]*/i, '');
  const pairs = question === -1 ? [] : target.slice(question + 1).split('&');
  const kept = pairs.filter((pair) => pair !== '' && !secretNames.has(nameOf(pair).replace(/\[.*$/s, '')));
  return (change) => {
    const rest = kept.filter((pair) => !Object.hasOwn(change, nameOf(pair)));
    const url = new URL(externalUrl + path);
    const added = Object.entries(change).flatMap(([name, value]) =>
      value === '' ? [] : [`${name}=${encodeURIComponent(value)}`],
    );
    url.search = [...rest, ...added].join('&');
    return separated(url.href);
  };
}

function keysetHeaders(page: Page, { next }: Paged, link: ReturnType<typeof linker>): Record<string, string> {
  const perPage = { 'X-Per-Page': String(page.perPage) };
  if (!next) return perPage;
  const position = { ...Object.fromEntries(positionNames.map((name) => [name, ''])), ...next };
  const href = link({ ...position, pagination: 'keyset', per_page: String(page.perPage) });
  return {
    ...perPage,
    ...(next.cursor === undefined ? {} : { 'X-Next-Cursor': next.cursor }),
    Link: `<${href}>; rel="next"`,
  };
}

/** By the total; without one only the last page itself, or a first page that is all, knows that it is the last. */
function lastPageOf(page: Page, paged: Paged): number | null {
  if (paged.total !== null) return Math.max(1, Math.ceil(paged.total / page.perPage));
  const ends = !paged.hasNext && (paged.items.length > 0 || page.page === 1);
  return ends ? page.page : null;
}

/** Headers of a page of the list at an address. */
export function pageHeaders(page: Page, paged: Paged, address: PageAddress): Record<string, string> {
  const link = linker(address);
  if (page.style === 'keyset') return keysetHeaders(page, paged, link);
  const to = (rel: string, number: number) =>
    `<${link({ page: String(number), per_page: String(page.perPage) })}>; rel="${rel}"`;
  const lastPage = lastPageOf(page, paged);
  const previous = page.page > 1 && (lastPage === null || page.page - 1 <= lastPage) ? page.page - 1 : null;
  const next = paged.hasNext ? page.page + 1 : null;
  const links = [
    ...(previous === null ? [] : [to('prev', previous)]),
    ...(next === null ? [] : [to('next', next)]),
    to('first', 1),
    ...(lastPage === null ? [] : [to('last', lastPage)]),
  ];
  return {
    Link: links.join(', '),
    'X-Page': String(page.page),
    'X-Per-Page': String(page.perPage),
    'X-Prev-Page': String(previous ?? ''),
    'X-Next-Page': String(next ?? ''),
    ...(paged.total === null ? {} : { 'X-Total': String(paged.total), 'X-Total-Pages': String(lastPage) }),
  };
}
