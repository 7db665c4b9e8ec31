/** Where the relative links and images of a document in a repository, a wiki, a project or a group lead. Pure. */
import { isImageData } from './html/allowed.ts';
import type { Addresses } from './html/sanitise.ts';
import { placeOf } from './places.ts';
import type { Reference, ReferenceFormat, ReferenceKindName } from './references.ts';

/** The folder of a repository that a document lies in; descriptions and comments lie at its top. */
export interface RepositoryBase {
  readonly kind: 'repository';
  /** Full path of the project. */
  readonly project: string;
  readonly ref: string;
  /** Without a slash at either end; empty at the top. */
  readonly folder: string;
}

/** The page of a wiki that a text is of. */
export interface WikiBase {
  readonly kind: 'wiki';
  readonly of: 'project' | 'group';
  /** Full path of the project or group. */
  readonly path: string;
  /** Slug of the page. */
  readonly page: string;
}

/** A text of a group: it has no files but uploads. */
export interface GroupBase {
  readonly kind: 'group';
  readonly group: string;
}

export type DocumentBase = RepositoryBase | WikiBase | GroupBase;

const elsewhere = /^(?:[a-z][a-z0-9+.-]*:|[/\\]{2})/i;

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

const apiOf = (base: DocumentBase): string => {
  if (base.kind === 'wiki') return `/api/v4/${base.of}s/${encodeURIComponent(base.path)}`;
  return base.kind === 'group'
    ? `/api/v4/groups/${encodeURIComponent(base.group)}`
    : `/api/v4/projects/${encodeURIComponent(base.project)}`;
};

/** Where a file is that was uploaded for the texts of a project or group; null for every other address. */
function uploadAddress(source: string, base: DocumentBase): string | null {
  const [, secret = '', name = ''] = /^\/uploads\/([0-9a-f]{32})\/([^/?#]+)$/.exec(source) ?? [];
  return name === '' ? null : `${apiOf(base)}/uploads/${secret}/${encodeURIComponent(decoded(name))}`;
}

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
  const at = `${base.of === 'group' ? '/groups' : ''}/${base.path}/-/wikis`;
  return attachmentAddress(target, base) ?? `${at}${slug === '' ? '' : `/${encoded(slug)}`}${tail}`;
}

/** The address of a link. */
export function linkAddress(href: string, base: DocumentBase | null): string {
  if (base === null || href === '' || href.startsWith('#') || elsewhere.test(href)) return href;
  const upload = uploadAddress(href, base);
  if (upload !== null) return upload;
  if (base.kind === 'group') return href;
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
  if (base.kind === 'wiki') return wikiLink(path, tail, base) ?? href;
  const target = join(base.folder, decoded(path));
  if (target === null) return href;
  const kind = target === '' || path.endsWith('/') ? 'tree' : 'blob';
  return `/${base.project}/-/${kind}/${encoded(target === '' ? base.ref : `${base.ref}/${target}`)}${tail}`;
}

/** The address of an image of the repository, wiki, project or group; null for one from elsewhere, or from nowhere. */
export function imageAddress(source: string, base: DocumentBase | null): string | null {
  if (isImageData(source)) return source;
  if (base === null || elsewhere.test(source)) return null;
  const upload = uploadAddress(source, base);
  if (upload !== null) return upload;
  const path = source.replace(/[?#].*$/s, '');
  if (base.kind === 'group') return null;
  if (base.kind === 'wiki') return attachmentAddress(inWiki(path, base) ?? '', base);
  const target = join(base.folder, decoded(path));
  return target ? `/${base.project}/-/raw/${encoded(`${base.ref}/${target}`)}` : null;
}

export interface AddressOptions {
  readonly base: DocumentBase | null;
  /** The instance's own URL, without a slash at its end. */
  readonly externalUrl: string;
  /** Whether addresses of this instance begin with its URL: for those who show the result elsewhere. */
  readonly absolute: boolean;
}

/** By the part of the path before it: the kind of thing, and the sign that texts write. */
const pages: Readonly<Record<string, readonly [ReferenceKindName, string]>> = {
  issues: ['issue', '#'],
  merge_requests: ['merge_request', '!'],
  snippets: ['snippet', '$'],
  epics: ['epic', '&'],
  commit: ['commit', '@'],
  compare: ['commit_range', '@'],
};
const page =
  /^\/(groups\/)?([\w.-]+(?:\/[\w.-]+)*)\/-\/(?:(epics|issues|merge_requests|snippets)\/(\d{1,9})(\+s?)?|(commit)\/([0-9a-f]{7,64})|(compare)\/([0-9a-f]{7,64}\.{2,3}[0-9a-f]{7,64}))(#note_(\d{1,15}))?$/;

/** What a path of a page of this instance names, in the shortest words that a text of the base has for it. */
function namedBy(
  path: string,
  base: DocumentBase | null,
): { reference: Omit<Reference, 'start' | 'end'>; anchor: string } | null {
  const [, group, place = '', many, number, format, one, sha, two, range, anchor = '', note] = page.exec(path) ?? [];
  const [kind, sign] = pages[many ?? one ?? two ?? ''] ?? [];
  if (kind === undefined || sign === undefined || (kind === 'epic') !== (group !== undefined)) return null;
  const own = placeOf(base);
  const here = place === (kind === 'epic' ? own.group : own.project);
  const value = number ?? sha ?? range ?? '';
  const short = value.replaceAll(/[0-9a-f]{9,}/g, (hash) => hash.slice(0, 8));
  const written = `${here ? '' : place}${here && sign === '@' ? '' : sign}${number ?? short}`;
  if (format !== undefined && note === undefined) {
    const text = `${written}${format}`;
    return { reference: { kind, text, place, value, format: format as ReferenceFormat }, anchor };
  }
  const text = note === undefined ? written : `${written} (comment ${note})`;
  return { reference: { kind, text, place, value }, anchor };
}

export function documentAddresses({ base, externalUrl, absolute }: AddressOptions): Addresses {
  const { origin, protocol } = new URL(externalUrl);
  const here = (address: string) => (absolute && /^\/(?![/\\])/.test(address) ? `${externalUrl}${address}` : address);
  return {
    link: (href) => here(linkAddress(href, base)),
    image: (source) => {
      const own = imageAddress(source, base);
      if (own !== null) return { address: here(own) };
      if (!elsewhere.test(source)) return null;
      const absoluteSource = URL.parse(source, `${protocol}//nowhere`);
      return absoluteSource ? { elsewhere: absoluteSource.href } : null;
    },
    leaves: (address) => {
      if (!elsewhere.test(address)) return false;
      return URL.parse(address, externalUrl)?.origin !== origin;
    },
    named: (address) =>
      address.startsWith(`${externalUrl}/`) ? namedBy(address.slice(externalUrl.length), base) : null,
  };
}
