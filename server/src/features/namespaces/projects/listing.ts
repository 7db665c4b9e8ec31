/** What the lists of projects have in common. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import {
  keysetPage,
  keysetUnavailable,
  offsetPage,
  type Page,
  type Paged,
  withItems,
} from '../../../kernel/http/pagination.ts';
import type { NamespacesDependencies } from '../deps.ts';
import { listProjects, type ProjectFilter, type ProjectOrder, projectIdOrder } from './listing.queries.ts';
import type { PresentOptions, PresentProjects } from './presenter.ts';

export interface ListOptions extends PresentOptions {
  readonly order?: ProjectOrder | undefined;
  readonly direction?: 'asc' | 'desc' | undefined;
}

export function projectLister(deps: NamespacesDependencies, present: PresentProjects) {
  return async (caller: Caller, page: Page, filter: ProjectFilter, options: ListOptions): Promise<Paged> => {
    const keyset = page.style === 'keyset';
    const order = options.order ?? (keyset ? 'id' : 'created_at');
    if (keyset && order !== 'id') throw keysetUnavailable();
    const { limit, offset, after } = page;
    const hiddenAfterDays = filter.includePendingDelete
      ? undefined
      : (await deps.settings.read()).deletion_adjourned_period;
    const wanted = { ...filter, hiddenAfterDays };
    const window = { order, direction: options.direction ?? 'desc', limit, offset, after } as const;
    const { items: rows, total } = await listProjects(deps.db, caller, wanted, window, { counted: !keyset });
    const { cursorOf } = projectIdOrder(window.direction);
    const found = keyset ? keysetPage(page, rows, ({ project }) => cursorOf(project)) : offsetPage(page, rows, total);
    return withItems(found, await present(found.items, caller, options));
  };
}

export type ListProjects = ReturnType<typeof projectLister>;
