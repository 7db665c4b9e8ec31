/** Where the relative links and pictures of a document in a repository or a wiki lead. Pure. */

/** The folder of a repository that a document lies in. */
export interface RepositoryBase {
  /** Full path of the project. */
  readonly project: string;
  readonly ref: string;
  /** Without a slash at either end; empty at the top. */
  readonly folder: string;
}

/** The page of a wiki that a text is of. */
export interface WikiBase {
  readonly wiki: 'project' | 'group';
  /** Full path of the project or group. */
  readonly place: string;
  /** Slug of the page. */
  readonly page: string;
}

export type DocumentBase = RepositoryBase | WikiBase;

const elsewhere = /^([a-z][a-z0-9+.-]*:|\/\/)/i;

/** Folder and relative path to a path of the repository; null when it leaves it. */
function join(folder: string, relative: string): string | null {
  const parts = relative.startsWith('/') || folder === '' ? [] : folder.split('/');
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

const encoded = (path: string) => path.split('/').map(encodeURIComponent).join('/');

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Where a file is that was uploaded for the texts of a project or group; null for every other address. */
function uploadAddress(source: string, base: DocumentBase): string | null {
  const [, secret = '', name = ''] = /^\/uploads\/([0-9a-f]{32})\/([^/?#]+)$/.exec(source) ?? [];
  if (name === '') return null;
  const place = 'wiki' in base ? apiOf(base) : `/api/v4/projects/${encodeURIComponent(base.project)}`;
  return `${place}/uploads/${secret}/${encodeURIComponent(decoded(name))}`;
}

const apiOf = ({ wiki, place }: WikiBase) => `/api/v4/${wiki}s/${encodeURIComponent(place)}`;

/**
 * A path in a wiki: links are from its top, with `./` or `../` in front from the folder of the page. Null when it leaves
 * the wiki.
 */
const inWiki = (path: string, { page }: WikiBase): string | null =>
  join(/^\.\.?(\/|$)/.test(path) ? page.split('/').slice(0, -1).join('/') : '', decoded(path));

/** A file that is attached to the wiki itself. */
function attachmentAddress(target: string, base: WikiBase): string | null {
  const [, secret = '', name = ''] = /^uploads\/([0-9a-f]{32})\/([^/]+)$/.exec(target) ?? [];
  return name === '' ? null : `${apiOf(base)}/wikis/attachments/${secret}/${encodeURIComponent(name)}`;
}

/** A link to another page, or to a file of the wiki. */
function wikiLink(path: string, tail: string, base: WikiBase): string | null {
  const target = inWiki(path, base);
  if (target === null) return null;
  const slug = target.replace(/\.(md|markdown)$/i, '').replaceAll(/\s+/g, '-');
  const at = `${base.wiki === 'group' ? '/groups' : ''}/${base.place}/-/wikis`;
  return attachmentAddress(target, base) ?? `${at}${slug === '' ? '' : `/${encoded(slug)}`}${tail}`;
}

/** The address of a link. */
export function linkAddress(href: string, base: DocumentBase | null): string {
  if (base === null || href === '' || href.startsWith('#') || elsewhere.test(href)) return href;
  const upload = uploadAddress(href, base);
  if (upload !== null) return upload;
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
  if ('wiki' in base) return wikiLink(path, tail, base) ?? href;
  const target = join(base.folder, decoded(path));
  if (target === null) return href;
  const kind = target === '' || path.endsWith('/') ? 'tree' : 'blob';
  return `/${base.project}/-/${kind}/${encoded(target === '' ? base.ref : `${base.ref}/${target}`)}${tail}`;
}

/** The address of a picture in the repository; null for one from elsewhere. */
export function pictureAddress(source: string, base: DocumentBase | null): string | null {
  if (/^data:image\/(png|gif|jpeg|webp);/i.test(source)) return source;
  if (base === null || elsewhere.test(source)) return null;
  const upload = uploadAddress(source, base);
  if (upload !== null) return upload;
  const path = source.replace(/[?#].*$/s, '');
  if ('wiki' in base) return attachmentAddress(inWiki(path, base) ?? '', base);
  const target = join(base.folder, decoded(path));
  if (!target) return null;
  return `/api/v4/projects/${encodeURIComponent(base.project)}/repository/files/${encodeURIComponent(target)}/raw?ref=${encodeURIComponent(base.ref)}`;
}
