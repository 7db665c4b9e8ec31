/** Epics for the search: of all groups, or of a group and those below it. */
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { mapPresent, offsetPage, type Page, type Paged } from '../../../kernel/http/pagination.ts';
import { countEpics, type EpicList, listEpics } from './epics.queries.ts';
import type { PresentEpics } from './presenting.ts';

export type FindEpics = (
  caller: Caller,
  place: GroupSubject | null,
  filter: Pick<EpicList, 'search' | 'state' | 'confidential' | 'sort'>,
  page: Page,
) => Promise<Paged>;

export const epicFinder =
  (db: Db, present: PresentEpics): FindEpics =>
  async (caller, place, filter, page) => {
    const list: EpicList = {
      ...filter,
      caller,
      group: place?.group ?? null,
      ancestors: false,
      descendants: true,
      orderBy: 'created_at',
    };
    const [rows, total] = await Promise.all([listEpics(db, list, page), countEpics(db, list)]);
    const shown = await present.many(rows);
    return mapPresent(offsetPage(page, rows, total), ({ id }) => shown.get(id));
  };
