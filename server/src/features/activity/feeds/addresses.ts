/** Addresses of feeds: paths of any depth with `.atom` or `.ics` behind them, or with `format=atom`, and their routes. Pure. */

/** Of events. */
export const eventFeeds = '/-/feeds';
/** Of lists: `/NOUN/FORMAT/KIND/PLACE`, and what is below the list, each in one segment. */
export const listFeeds = '/-/list-feeds';

const listPath =
  /^\/(?:(dashboard)|(groups\/)?(.+?)\/-)\/(issues|merge_requests|commits|tags|releases)(?:\/(.+?))?(?:\.(atom|ics))?$/;

/** Which places have a list as a feed. */
const placesOf: Readonly<Record<string, readonly string[]>> = {
  issues: ['dashboard', 'group', 'project'],
  merge_requests: ['dashboard', 'group', 'project'],
  commits: ['project'],
  tags: ['project'],
  releases: ['project'],
};

/** As one segment of a path; null for what is not valid. */
function segment(encoded: string): string | null {
  try {
    const text = decodeURIComponent(encoded);
    return text === '' ? null : encodeURIComponent(text);
  } catch {
    return null;
  }
}

function listRoute(path: string, query: string | undefined): string | null {
  const [, mine, group, place = '', noun = '', below, suffix] = listPath.exec(path) ?? [];
  const format = suffix ?? (/(?:^|&)format=atom(?:&|$)/.test(query ?? '') ? 'atom' : undefined);
  const kind = mine ?? (group === undefined ? 'project' : 'group');
  if (format === undefined || !placesOf[noun]?.includes(kind)) return null;
  if ((format === 'ics' && noun !== 'issues') || (below !== undefined && noun !== 'commits')) return null;
  const parts = [noun, format, kind, segment(mine ?? place), ...(below === undefined ? [] : [segment(below)])];
  return parts.includes(null) ? null : [listFeeds, ...parts].join('/');
}

function eventRoute(path: string): string | null {
  const [, name = ''] = /^\/(.+)\.atom$/.exec(path) ?? [];
  const place = path.startsWith('/-/') || path.includes('/-/') ? null : segment(name);
  return place === null ? null : `${eventFeeds}/${place}`;
}

/** Maps the address of a feed onto its route; what is not valid stays as it is, and is refused where all such addresses are. */
export function rewriteFeedUrl(url: string): string {
  const [path = '/', query] = url.split('?', 2) as [string, string | undefined];
  const route = path.startsWith('/api/') ? null : (listRoute(path, query) ?? eventRoute(path));
  return route === null ? url : `${route}${query === undefined ? '' : `?${query}`}`;
}
