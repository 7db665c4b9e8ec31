/** Pages of a wiki by the paths of their files: slugs, titles, formats. Pure. */

export const formats = ['markdown', 'rdoc', 'asciidoc', 'org'] as const;
export type PageFormat = (typeof formats)[number];

/** The first ending of each format is the one that new pages get. */
const endings: Readonly<Record<PageFormat, readonly string[]>> = {
  markdown: ['md', 'mkdn?', 'mdown', 'markdown'],
  rdoc: ['rdoc'],
  asciidoc: ['asciidoc', 'adoc', 'asc'],
  org: ['org'],
};
const patterns = formats.map(
  (format) => [format, new RegExp(`^(.+)\\.(?:${endings[format].join('|')})$`, 'is')] as const,
);

/** Where attachments lie: nothing in it is a page. */
export const attachmentsFolder = 'uploads';

/** Bytes of the last part of a slug, and of each folder before it. */
const longestName = 245;
const longestFolder = 255;

export interface PagePlace {
  readonly path: string;
  /** The path without the ending. */
  readonly slug: string;
  readonly format: PageFormat;
}

/** The page that a file is; null for files that are none. */
export function pageAt(path: string): PagePlace | null {
  if (path.startsWith(`${attachmentsFolder}/`)) return null;
  for (const [format, pattern] of patterns) {
    const slug = pattern.exec(path)?.[1];
    if (slug !== undefined && !slug.endsWith('/')) return { path, slug, format };
  }
  return null;
}

export const pathOf = (slug: string, format: PageFormat): string =>
  `${slug}.${(endings[format][0] ?? '').replace('?', '')}`;

/** What a page is called by its file: the last part, with blanks for hyphens. */
export const titleOf = (slug: string): string => (slug.split('/').at(-1) ?? slug).replaceAll(/-+/g, ' ');

/** Folder of a slug, without a slash at the end. */
export const folderOf = (slug: string): string => slug.split('/').slice(0, -1).join('/');

/**
 * The slug for a title that somebody gave: parts without blanks around them, hyphens for blanks inside, `.` and `..` taken
 * away. A title without a folder stays in the one of the page that it is for; a slash in front of it leaves all folders.
 */
export function slugFor(title: string, folder = ''): string {
  const given = title.includes('/') || folder === '' ? title : `${folder}/${title}`;
  const parts: string[] = [];
  for (const part of given.split('/')) {
    const plain = part.trim().replaceAll(/\s+/g, '-');
    if (plain === '' || plain === '.') continue;
    if (plain === '..') parts.pop();
    else parts.push(plain);
  }
  return parts.join('/');
}

/** What is wrong with the lengths of a slug's parts. */
export function lengthProblems(slug: string): string[] {
  const parts = slug.split('/');
  const name = parts.pop() ?? '';
  const long = parts.filter((part) => Buffer.byteLength(part) > longestFolder);
  return [
    ...(Buffer.byteLength(name) > longestName ? [`exceeds the limit of ${longestName} bytes`] : []),
    ...long.map((part) => `exceeds the limit of ${longestFolder} bytes for directory name "${part}"`),
  ];
}

/** The order of lists: what is in no folder first, then folder by folder. */
export function inOrder<T extends { readonly slug: string }>(pages: readonly T[]): T[] {
  const key = ({ slug }: T) => [folderOf(slug), slug] as const;
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  return [...pages].sort((a, b) => compare(key(a)[0], key(b)[0]) || compare(key(a)[1], key(b)[1]));
}

export interface FrontMatter {
  readonly title?: string;
}

/** What a text says of itself between two lines of `---` at its beginning. */
export function frontMatterOf(text: string): FrontMatter {
  const [, block = ''] = /^---[ \t]*\r?\n(.{0,8192}?)\r?\n---[ \t]*(?:\r?\n|$)/s.exec(text) ?? [];
  const [, given = ''] = /^title:[ \t]*(.*?)[ \t]*$/m.exec(block) ?? [];
  const title = /^(["'])(.*)\1$/.exec(given)?.[2] ?? given;
  return title === '' ? {} : { title };
}

/** A text without what it says of itself. */
export const bodyOf = (text: string): string =>
  text.replace(/^---[ \t]*\r?\n(?:.{0,8192}?\r?\n)?---[ \t]*(?:\r?\n|$)/s, '');
