/** Where the relative links and pictures of a document in a repository lead. Pure. */

/** The folder of a repository that a document lies in. */
export interface DocumentBase {
  /** Full path of the project. */
  readonly project: string;
  readonly ref: string;
  /** Without a slash at either end; empty at the top. */
  readonly folder: string;
}

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

/** The address of a link. */
export function linkAddress(href: string, base: DocumentBase | null): string {
  if (base === null || href === '' || href.startsWith('#') || elsewhere.test(href)) return href;
  const [, path = '', tail = ''] = /^([^?#]*)(.*)$/s.exec(href) ?? [];
  const target = join(base.folder, decoded(path));
  if (target === null) return href;
  const kind = target === '' || path.endsWith('/') ? 'tree' : 'blob';
  return `/${base.project}/-/${kind}/${encoded(target === '' ? base.ref : `${base.ref}/${target}`)}${tail}`;
}

/** The address of a picture in the repository; null for one from elsewhere. */
export function pictureAddress(source: string, base: DocumentBase | null): string | null {
  if (/^data:image\/(png|gif|jpeg|webp);/i.test(source)) return source;
  if (base === null || elsewhere.test(source)) return null;
  const target = join(base.folder, decoded(source.replace(/[?#].*$/s, '')));
  if (!target) return null;
  return `/api/v4/projects/${encodeURIComponent(base.project)}/repository/files/${encodeURIComponent(target)}/raw?ref=${encodeURIComponent(base.ref)}`;
}
