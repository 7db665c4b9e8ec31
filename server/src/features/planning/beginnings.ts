/** The first rows of several lists at once, as the columns of a board show them. */
import { countLimit, firstOf, type Page, totalOfLastPage } from '../../kernel/http/pagination.ts';

interface Reads<List, Row, Shown> {
  rows(list: List, page: Page): Promise<readonly Row[]>;
  count(list: List): Promise<number>;
  /** What is shown of rows, by id. What was removed meanwhile is left out. */
  show(rows: readonly Row[]): Promise<ReadonlyMap<number, Shown>>;
}

export interface Beginning<Shown> {
  /** Null above the limit that lists count up to. */
  readonly total: number | null;
  readonly more: boolean;
  readonly items: Shown[];
}

/** The beginnings of the lists, in their order; what their rows show is read once for all of them. */
export async function beginningsOf<List, Row extends { readonly id: number }, Shown>(
  lists: readonly List[],
  perList: number,
  reads: Reads<List, Row, Shown>,
): Promise<Beginning<Shown>[]> {
  const window = { style: 'offset', page: 1, perPage: perList, offset: 0, limit: perList + 1 } as const;
  const page: Page = { ...window, after: null, token: null };
  const found = await Promise.all(
    lists.map(async (list) => {
      const rows = await reads.rows(list, page);
      const total = totalOfLastPage(page, rows) ?? (await reads.count(list));
      return { rows: firstOf(page, rows), total: total > countLimit ? null : total, more: rows.length > perList };
    }),
  );
  const rows = new Map(found.flatMap((list) => list.rows.map((row) => [row.id, row] as const)));
  const shown = await reads.show([...rows.values()]);
  return found.map((list) => ({
    ...{ total: list.total, more: list.more },
    items: list.rows.flatMap(({ id }) => shown.get(id) ?? []),
  }));
}
