/** Addresses of files of snippets as pages have them: `/-/snippets/7/raw/main/a.txt`, the same below a project. */

const pattern = /^(?:\/(.+?))?\/-\/snippets\/(\d{1,15})\/raw(?:\/([^/]+)\/(.+))?\/?$/;

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/** The address in the API of a file that an address of a page names; other addresses as they are. */
export function rewriteSnippetUrl(url: string): string {
  if (!url.includes('/-/snippets/') || url.startsWith('/api/')) return url;
  const [path = '/', ...query] = url.split('?');
  const found = pattern.exec(path);
  if (!found) return url;
  const [, project, id, ref, file] = found;
  const parts = [project ?? '', ref ?? '', file ?? ''].map(decoded);
  const [place, revision, name] = parts;
  if (parts.includes(null)) return url;
  const base = place ? `/api/v4/projects/${encodeURIComponent(place)}/snippets/${id}` : `/api/v4/snippets/${id}`;
  const target = revision
    ? `${base}/files/${encodeURIComponent(revision)}/${encodeURIComponent(name ?? '')}/raw`
    : `${base}/raw`;
  return [target, ...query].join('?');
}
