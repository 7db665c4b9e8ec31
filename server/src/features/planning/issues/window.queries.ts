/** Pages of lists over many projects, looked for among the next issues of their order before all that match are gathered. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import { createLargeLists, type LargeLists, type SharedRuns, sharedRuns } from '../../../kernel/http/large-lists.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import type { KeysetOrder } from '../../../kernel/http/paging.queries.ts';
import { allOf, type Sql } from '../../namespaces/index.ts';
import { type IssueQuery, isCommon, issueConditions } from './filter.queries.ts';
import type { ListedRow } from './walks.queries.ts';

type Window = Pick<Page, 'limit' | 'offset' | 'after'>;

/** Issues that are looked at one by one. */
const most = 4000;
/** Texts take longer to look through. */
const mostTexts = 1000;
/** Where a group is known to have the first of them, more of these are its own. */
const mostTextsOfGroup = 4000;

const looksInTexts = ({ filter }: IssueQuery) => filter.search !== undefined;

function worthwhile(query: IssueQuery, { limit, offset }: Window): boolean {
  if (limit + offset > most / 4) return false;
  if (looksInTexts(query))
    return query.place.kind !== 'project' && isCommon({ ...query, filter: { ...query.filter, search: undefined } });
  if (!isCommon(query)) return false;
  // In one project the numbers that are kept of its issues tell well enough what is cheaper, but not who has certain labels, a
  // milestone of a group or a weight.
  const { titled, weight } = query.filter;
  return (
    query.place.kind !== 'project' ||
    (titled !== undefined && (titled.labels.length > 0 || !titled.ownMilestones)) ||
    /^\d+$/.test(weight ?? '')
  );
}

/** Lists whose page was not found so, for a while: it is not tried again. */
export interface FarLists extends LargeLists<true> {
  /** Pages that are being found. */
  readonly found: SharedRuns<{ readonly rows: ListedRow[]; readonly total: number } | null>;
}
export const farLists = (): FarLists => ({ ...createLargeLists<true>(), found: sharedRuns() });

export interface IndexedOrder {
  readonly order: KeysetOrder<ListedRow>;
  /** What it compares before the id. */
  readonly by: Sql;
  readonly direction: 'asc' | 'desc';
}

/**
 * A page, or null where the next issues of the order do not fill it. Where those of everything did not fill one of a group, this
 * is known by its name for a while, and only what begins with the first of the group is looked through.
 */
export async function pageNearby(
  db: Db,
  query: IssueQuery,
  { order, by, direction }: IndexedOrder,
  page: Window,
  known?: { readonly far: FarLists; readonly name: string },
): Promise<ListedRow[] | null> {
  if (!worthwhile(query, page)) return null;
  const found = issueConditions(query, 'near');
  if (!found) return [];
  const { place } = query;
  const after = order.after(page.after);
  const way = sql.raw(direction);
  const looked = async (begin: Sql | null, rows: number): Promise<ListedRow[] | null> => {
    const within = [
      ...(place.kind === 'project' ? [sql`i.project_id = ${place.subject.project.id}`] : []),
      ...(begin ? [begin] : []),
      ...(after ? [after] : []),
    ];
    // In the same words inside and outside: the rows are not sorted again, and no more are read than fill the page.
    const { rows: listed } = await sql<ListedRow>`${found.with}
      select i.*, null::int as first, null::int as second
      from (select i.*, ${by} as compared from issues i where ${allOf(within)}
        order by compared ${way}, i.id ${way} limit ${rows}) i
      where ${found.where} order by i.compared ${way}, i.id ${way} limit ${page.limit} offset ${page.offset}`.execute(
      db,
    );
    return listed.length === page.limit ? listed : null;
  };
  const texts = looksInTexts(query);
  const behind = known && `${known.name} behind others`;
  const near = behind && known.far.get(behind) ? null : await looked(null, texts ? mostTexts : most);
  if (near || place.kind !== 'group') return near;
  if (behind && !page.after) known.far.set(behind, true);
  // The issues of a group may all be far from the first ones of everything: those before its own first one are left out.
  const ofGroup = issueConditions(query, 'merged');
  const begin = sql`${by} ${sql.raw(direction === 'asc' ? '>=' : '<=')} (select h.compared from projects p
    cross join lateral (select ${by} as compared from issues i where i.project_id = p.id
      order by ${by} ${way}, i.id ${way} limit 1) h
    where ${ofGroup?.projects ?? sql`false`} order by h.compared ${way} limit 1)`;
  return await looked(begin, texts ? mostTextsOfGroup : most);
}
