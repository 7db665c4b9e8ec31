/** What the lists of projects have in common. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { HttpError, invalidParameters } from '../../../kernel/http/errors.ts';
import { keysetPage, offsetPage, type Page, type Paged } from '../../../kernel/http/pagination.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { countProjects, listProjects, type ProjectFilter, type ProjectOrder } from './listing.queries.ts';
import type { PresentOptions, PresentProjects } from './presenter.ts';

export interface ListOptions extends PresentOptions {
  readonly order?: ProjectOrder | undefined;
  readonly direction?: 'asc' | 'desc' | undefined;
}

function afterIdOf(page: Page): number | null {
  if (!page.after) return null;
  const { id } = page.after;
  if (!Number.isSafeInteger(id)) throw invalidParameters(['cursor is invalid']);
  return id as number;
}

/** The same page with other items. */
const withItems = (paged: Paged, page: Page, items: readonly unknown[]): Paged => {
  if (page.style === 'keyset') {
    const next = paged.next;
    return keysetPage(page, next ? [...items, undefined] : items, () => next ?? {});
  }
  return offsetPage(page, paged.hasNext ? [...items, undefined] : items, paged.total);
};

export function projectLister(deps: NamespacesDependencies, present: PresentProjects) {
  return async (caller: Caller, page: Page, filter: ProjectFilter, options: ListOptions): Promise<Paged> => {
    const keyset = page.style === 'keyset';
    const order = options.order ?? (keyset ? 'id' : 'created_at');
    if (keyset && order !== 'id')
      throw new HttpError(405, { error: 'Keyset pagination is not yet available for this type of request' });
    const { limit, offset } = page;
    const window = { order, direction: options.direction ?? 'desc', limit, offset, afterId: afterIdOf(page) } as const;
    const [rows, total] = await Promise.all([
      listProjects(deps.db, caller, filter, window),
      keyset ? null : countProjects(deps.db, caller, filter),
    ]);
    const found = keyset
      ? keysetPage(page, rows, ({ project }) => ({ id: project.id }))
      : offsetPage(page, rows, total);
    return withItems(found, page, await present(found.items, caller, options));
  };
}

export type ListProjects = ReturnType<typeof projectLister>;
