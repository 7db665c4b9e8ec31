/** Lists of epics of a group, as its own route and its boards show them. */
import type { Db } from '../../../kernel/db/index.ts';
import { offsetPage, type Page, totalOfLastPage, withItems } from '../../../kernel/http/pagination.ts';
import { beginningsOf } from '../beginnings.ts';
import { listedEpicJson } from './epics.entity.ts';
import { countEpics, type EpicList, listEpics, withDetails } from './epics.queries.ts';

interface Shown {
  /** The group that they are seen from. */
  readonly groupId: number;
  /** Whether labels are more than their titles. */
  readonly details: boolean;
}

export function epicLists(db: Db, base: string) {
  return {
    async page(list: EpicList, { groupId, details }: Shown, page: Page) {
      const rows = await listEpics(db, list, page);
      const found = offsetPage(page, rows, totalOfLastPage(page, rows) ?? (await countEpics(db, list)));
      const loaded = await withDetails(db, found.items);
      return withItems(
        found,
        loaded.map((each) => listedEpicJson(each, base, groupId, details)),
      );
    },
    /** The first of each list. */
    beginnings: (lists: readonly EpicList[], { groupId, details }: Shown, perList: number) =>
      beginningsOf(lists, perList, {
        rows: (list, page) => listEpics(db, list, page),
        count: (list) => countEpics(db, list),
        async show(rows) {
          const loaded = await withDetails(db, rows);
          return new Map(loaded.map((each) => [each.row.id, listedEpicJson(each, base, groupId, details)]));
        },
      }),
  };
}

export type EpicLists = ReturnType<typeof epicLists>;
