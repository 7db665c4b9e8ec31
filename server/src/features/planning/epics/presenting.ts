/** Finding epics of a group and showing them. */
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Epic as EpicRow } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { IdOrPath, Int } from '../../../kernel/http/params/schema.ts';
import { isSubscribed } from '../../collaboration/index.ts';
import { type EpicJson, epicJson } from './epics.entity.ts';
import { findEpic, withDetails } from './epics.queries.ts';

export const epicRoute = { credentials: ['token', 'session'], tag: 'Epics' } as const;
export const readEpic = { on: 'group', ability: 'read_epic' } as const;
export const groupParam = { id: IdOrPath('Group') };
export const oneEpic = { ...groupParam, epic_iid: Int({ description: 'Number of the epic within the group' }) };

export function epicPresenter(db: Db, base: string) {
  return {
    async find({ group }: GroupSubject, caller: Caller, iid: number): Promise<EpicRow> {
      const row = await findEpic(db, group.id, caller, { iid });
      if (!row) throw notFound('Epic');
      return row;
    },
    /** As its own route shows it. */
    async one(row: EpicRow, caller: Caller): Promise<EpicJson> {
      const [loaded] = await withDetails(db, [row]);
      if (!loaded) throw notFound('Epic');
      const { user } = caller;
      const subscribed =
        user !== null && (await isSubscribed(db, { type: 'epic', id: row.id }, user.id, [row.author_id]));
      return { ...epicJson(loaded, base, row.namespace_id), subscribed };
    },
    /** As lists show them, by id; what was removed meanwhile is left out. */
    async many(rows: readonly EpicRow[], groupId?: number): Promise<Map<number, EpicJson>> {
      const loaded = await withDetails(db, rows);
      return new Map(loaded.map((each) => [each.row.id, epicJson(each, base, groupId ?? each.row.namespace_id)]));
    },
  };
}
export type PresentEpics = ReturnType<typeof epicPresenter>;
