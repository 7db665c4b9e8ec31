/** What the address of a wiki asks for, and the order in which its pages are shown. Pure. */

export type WikiView =
  | { readonly kind: 'page' | 'edit' | 'history'; readonly slug: string }
  | { readonly kind: 'new' }
  | { readonly kind: 'empty' };

interface Listed {
  readonly slug: string;
  readonly title: string;
}

const isHome = ({ slug }: Listed): boolean => slug.toLowerCase() === 'home';

/** The page that opens first: `home`, or the first there is. */
const firstPage = (pages: readonly Listed[]): string | null => (pages.find(isHome) ?? pages[0])?.slug ?? null;

/**
 * What is behind the address below `wikis`. A page that is called so comes before the ecosystem's `new`, `.../edit` and
 * `.../history`.
 */
export function viewOf(splat: string, view: string | undefined, pages: readonly Listed[]): WikiView {
  const known = (slug: string) => pages.some((page) => page.slug === slug);
  if (splat === '') {
    if (view === 'new') return { kind: 'new' };
    const slug = firstPage(pages);
    return slug === null ? { kind: 'empty' } : { kind: 'page', slug };
  }
  if (view === 'edit' || view === 'history') return { kind: view, slug: splat };
  if (known(splat)) return { kind: 'page', slug: splat };
  if (splat === 'new') return { kind: 'new' };
  const [, slug = '', last = ''] = /^(.+)\/(edit|history)$/.exec(splat) ?? [];
  if (known(slug)) return { kind: last as 'edit' | 'history', slug };
  return { kind: 'page', slug: splat };
}

export type OutlineEntry<T> =
  | { readonly kind: 'folder'; readonly path: string; readonly name: string; readonly depth: number }
  | { readonly kind: 'page'; readonly page: T; readonly depth: number };

/** Pages below their folders, both by name, after the home; a folder whose own page exists is that page. */
export function outline<T extends Listed>(pages: readonly T[]): OutlineEntry<T>[] {
  const segments = (slug: string) => slug.split('/');
  const sorted = [...pages].sort((a, b) => {
    if (isHome(a) !== isHome(b)) return isHome(a) ? -1 : 1;
    const [one, other] = [segments(a.slug), segments(b.slug)];
    for (let at = 0; at < Math.min(one.length, other.length); at += 1) {
      const order = (one[at] ?? '').localeCompare(other[at] ?? '');
      if (order !== 0) return order;
    }
    return one.length - other.length;
  });
  const slugs = new Set(pages.map(({ slug }) => slug));
  const named = new Set<string>();
  const entries: OutlineEntry<T>[] = [];
  for (const page of sorted) {
    const parts = segments(page.slug);
    for (let depth = 0; depth < parts.length - 1; depth += 1) {
      const path = parts.slice(0, depth + 1).join('/');
      if (named.has(path) || slugs.has(path)) continue;
      named.add(path);
      entries.push({ kind: 'folder', path, name: (parts[depth] ?? '').replaceAll('-', ' '), depth });
    }
    entries.push({ kind: 'page', page, depth: parts.length - 1 });
  }
  return entries;
}

/** What a title of a page in a form is: with its folders, blanks for hyphens. */
export const titleOf = (slug: string): string => slug.replaceAll('-', ' ');
