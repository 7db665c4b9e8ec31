/** How much a search finds in each scope, for the tabs above its results. */
import type { Static } from 'typebox';
import { Count, Entity, Fields, Flag, ListOf, Text } from '../../../kernel/http/entity.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { countLimit, type Page, type Paged } from '../../../kernel/http/pagination.ts';

export const SearchCounts = Entity('SearchCounts', {
  counts: ListOf(
    Fields({
      scope: Text(),
      count: Count({ description: 'Results, as far as they were counted' }),
      more: Flag({ description: 'Whether there are more than that' }),
    }),
  ),
});
type SearchCounts = Static<typeof SearchCounts>;

/** Found by reading repositories, which tells a total only where the first page ends it. */
const read: ReadonlySet<string> = new Set(['blobs', 'commits', 'wiki_blobs']);
const firstPage = (perPage: number): Page => ({
  ...{ style: 'offset', page: 1, perPage, offset: 0, limit: perPage + 1 },
  ...{ after: null, token: null },
});

/** One after the other, so that they take no more connections than the results did. Scopes that refuse are left out. */
export async function countEach(
  scopes: readonly string[],
  work: (scope: string, page: Page) => Promise<Paged> | undefined,
  signal: AbortSignal,
): Promise<SearchCounts> {
  const counts: SearchCounts['counts'] = [];
  for (const scope of scopes) {
    if (signal.aborted) break;
    try {
      const found = await work(scope, firstPage(read.has(scope) ? 100 : 1));
      if (!found) continue;
      const { items, total, hasNext } = found;
      if (total !== null) counts.push({ scope, count: total, more: false });
      else counts.push({ scope, count: read.has(scope) ? items.length : countLimit, more: hasNext });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
    }
  }
  return { counts };
}
