/**
 * Addresses people see, and the router's. Full paths of groups and projects have any depth: outside they are
 * `/group/sub/project/-/pipelines/1`, inside `/p/group~sub~project/pipelines/1`, one segment each.
 */

/** First segments that are pages of their own and never names of groups or people. */
const ownPages = new Set([
  '',
  '-',
  'admin',
  'api',
  'assets',
  'dashboard',
  'explore',
  'help',
  'import',
  'oauth',
  'profile',
  'projects',
  'search',
  'snippets',
  'u',
  'users',
  'p',
  'g',
  'o',
]);

const join = (segments: readonly string[]) => segments.join('~');
const split = (name: string) => name.replaceAll('~', '/');

/** The router's path of an address. */
export function internalPath(pathname: string): string {
  const segments = pathname.replace(/^\/+|\/+$/g, '').split('/');
  const first = segments[0] ?? '';
  if (first === 'groups') {
    if (segments.length === 1 || segments[1] === 'new') return pathname;
    const dash = segments.indexOf('-');
    if (dash === -1) return `/g/${join(segments.slice(1))}`;
    return `/g/${join(segments.slice(1, dash))}/${segments.slice(dash + 1).join('/')}`;
  }
  if (ownPages.has(first)) return pathname;
  const dash = segments.indexOf('-');
  if (dash === -1) return `/o/${join(segments)}`;
  return `/p/${join(segments.slice(0, dash))}/${segments.slice(dash + 1).join('/')}`;
}

/** The address of a path of the router. */
export function externalPath(pathname: string): string {
  const match = /^\/([pgo])\/([^/]+)(?:\/(.*))?$/.exec(pathname);
  if (!match) return pathname;
  const [, kind, name = '', rest] = match;
  const full = split(name);
  const tail = rest ? `/-/${rest}` : '';
  return kind === 'g' ? `/groups/${full}${tail}` : `/${full}${tail}`;
}

/** The router's segment of the project that the address of one of its pages is below. */
export const projectSegment = (webUrl: string): string => internalPath(new URL(webUrl).pathname).split('/')[2] ?? '';

/** Where the bytes of a file of a repository are. */
export const rawAddress = (project: string, ref: string, path: string): string =>
  `/${project}/-/raw/${`${ref}/${path}`.split('/').map(encodeURIComponent).join('/')}`;

/** Where the archive of a ref of a repository is. */
export const archiveAddress = (project: string, ref: string, format: string): string =>
  `/api/v4/projects/${encodeURIComponent(project)}/repository/archive.${format}?sha=${encodeURIComponent(ref)}`;

const files = [
  /^\/(?:api|assets|uploads)\//,
  /^\/-\/(?!snippets(?:\/(?:new|\d+(?:\/edit)?))?$)/,
  /\/-\/(?:raw|archive)\//,
  /\/-\/(?:commit\/[0-9a-f]+|merge_requests\/\d+)\.(?:diff|patch)$/,
  /\/-\/jobs\/\d+\/raw$/,
  /\/-\/releases\/.+\/downloads\//,
  /\/badges\/.+\.svg$/,
];

/** Whether an address of this instance is that of a file: the browser asks the server for it, the router knows none. */
export function isFileAddress(href: string): boolean {
  const path = href.split(/[?#]/, 1)[0] ?? '';
  return files.some((pattern) => pattern.test(path));
}

/** A path to go to after something was done; one that leads elsewhere would make this page a springboard. */
export const ownPath = (path: string | undefined, otherwise = '/'): string =>
  path && /^\/(?![/\\])/.test(path) ? path : otherwise;

/** A full path as one segment of the router, and back. */
export const toSegment = (fullPath: string): string => fullPath.replaceAll('/', '~');
export const fromSegment = (segment: string): string => split(segment);

/** Splits `feature/x/src/main.ts` into a known ref and the path after it; the longest ref wins, as in the ecosystem. */
export function splitRef(text: string, refs: readonly string[]): { ref: string; path: string } {
  const known = refs.filter((ref) => text === ref || text.startsWith(`${ref}/`)).sort((a, b) => b.length - a.length)[0];
  if (known !== undefined) return { ref: known, path: text.slice(known.length + 1) };
  const slash = text.indexOf('/');
  return slash === -1 ? { ref: text, path: '' } : { ref: text.slice(0, slash), path: text.slice(slash + 1) };
}

/** Full path of the project that an issue is in, or that a merge request goes into. */
export const pathOfReferenced = (of: { readonly references: { readonly full: string } }): string =>
  of.references.full.replace(/[#!]\d+$/, '');
