/** Files of releases and archives at the addresses of pages: what links of releases, and people, point to. */
import { sourceFormats } from './releases.entity.ts';

const download = /^\/(.+?)\/-\/releases\/([^/]+)\/downloads\/(.+)$/;
const newest = /^\/(.+?)\/-\/releases\/permalink\/latest\/(downloads\/.+)$/;
const evidence = /^\/(.+?)\/-\/releases\/([^/]+)\/evidences\/(\d{1,15})\.json$/;
const archive = /^\/(.+?)\/-\/archive\/(.+)\/([^/]+)$/;

const projectIn = (path: string): string | null => {
  try {
    return encodeURIComponent(decodeURIComponent(path));
  } catch {
    // What is not valid stays as it is, and is refused where all such addresses are.
    return null;
  }
};

function target(path: string): { readonly path: string; readonly query?: string } | null {
  const [, place = '', first = '', second = ''] =
    newest.exec(path) ?? download.exec(path) ?? evidence.exec(path) ?? archive.exec(path) ?? [];
  const project = projectIn(place);
  if (place === '' || project === null) return null;
  const base = `/api/v4/projects/${project}`;
  if (newest.test(path)) return { path: `${base}/releases/permalink/latest/${first}` };
  if (download.test(path)) return { path: `${base}/releases/${first}/downloads/${second}` };
  if (evidence.test(path)) return { path: `${base}/releases/${first}/evidences/${second}` };
  const ref = projectIn(first);
  const format = sourceFormats.find((each) => second.endsWith(`.${each}`));
  return ref === null || format === undefined
    ? null
    : { path: `${base}/repository/archive.${format}`, query: `sha=${ref}` };
}

/** The address in the API of a file that an address of a page names; other addresses as they are. */
export function rewriteReleaseUrl(url: string): string {
  if (!url.includes('/-/') || url.startsWith('/api/') || url.startsWith('/-/')) return url;
  const [path = '/', ...rest] = url.split('?');
  const found = target(path);
  if (found === null) return url;
  const query = [found.query, ...rest].filter((part) => part !== undefined && part !== '').join('&');
  return query === '' ? found.path : `${found.path}?${query}`;
}
