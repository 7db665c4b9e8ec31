/** Rows of snippets as the API shows them, one by one and in lists. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Snippet as SnippetRow } from '../../../kernel/db/rows.ts';
import { offsetPage, type Page, type Paged, withItems } from '../../../kernel/http/pagination.ts';
import { findReferences } from '../../identity/index.ts';
import { snippetJson } from './snippets.entity.ts';
import { listSnippets, projectPaths, type SnippetFilter } from './snippets.queries.ts';

interface Shown {
  readonly db: Db;
  readonly externalUrl: string;
  readonly sshPrefix: () => string | null;
}

export function snippetPresenter(deps: Shown) {
  const { db } = deps;
  return async (rows: readonly SnippetRow[]) => {
    const [authors, paths] = await Promise.all([
      findReferences(
        db,
        rows.map(({ author_id }) => author_id),
      ),
      projectPaths(
        db,
        rows.flatMap(({ project_id }) => project_id ?? []),
      ),
    ]);
    return rows.flatMap((row) => {
      const author = authors.get(row.author_id);
      const place = row.project_id === null ? null : paths.get(row.project_id);
      // Removed between two reads, and the snippet with it.
      return author && place !== undefined ? [snippetJson(row, author, place, deps)] : [];
    });
  };
}

export function snippetLists(deps: Shown) {
  const shown = snippetPresenter(deps);
  return async (caller: Caller, filter: SnippetFilter, page: Page): Promise<Paged> => {
    const { rows, total } = await listSnippets(deps.db, caller, filter, page);
    const found = offsetPage(page, rows, total);
    return withItems(found, await shown(found.items));
  };
}
export type SnippetLists = ReturnType<typeof snippetLists>;
