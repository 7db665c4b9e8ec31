/** Rows of draft notes: always those of one author. */
import type { Selectable, Updateable } from 'kysely';
import type { Db } from '../../../kernel/db/index.ts';
import type { DraftNotesTable } from '../../../kernel/db/tables.ts';
import { countUpTo } from '../../../kernel/http/paging.queries.ts';

export type DraftNote = Selectable<DraftNotesTable>;

/** Whose drafts, about which merge request. */
export interface DraftOwner {
  readonly mergeRequestId: number;
  readonly authorId: number;
}

const of = (db: Db, { mergeRequestId, authorId }: DraftOwner) =>
  db.selectFrom('draft_notes').where('merge_request_id', '=', mergeRequestId).where('author_id', '=', authorId);

export const listDrafts = (
  db: Db,
  owner: DraftOwner,
  window: { readonly limit: number; readonly offset: number },
): Promise<DraftNote[]> => of(db, owner).selectAll().orderBy('id').limit(window.limit).offset(window.offset).execute();

export const countDrafts = (db: Db, owner: DraftOwner): Promise<number> => countUpTo(db, of(db, owner).select('id'));

export const findDraft = (db: Db, owner: DraftOwner, id: number): Promise<DraftNote | undefined> =>
  of(db, owner).selectAll().where('id', '=', id).executeTakeFirst();

export interface DraftValues {
  readonly discussion_id: string | null;
  readonly resolve_discussion: boolean;
  readonly commit_id: string | null;
  readonly body: string;
  readonly position: string | null;
  readonly line_code: string | null;
}

export const insertDraft = (tx: Db, owner: DraftOwner, values: DraftValues): Promise<DraftNote> =>
  tx
    .insertInto('draft_notes')
    .values({ merge_request_id: owner.mergeRequestId, author_id: owner.authorId, ...values })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateDraft = (
  tx: Db,
  owner: DraftOwner,
  id: number,
  values: Pick<Updateable<DraftNotesTable>, 'body' | 'position' | 'line_code'>,
): Promise<DraftNote | undefined> =>
  tx
    .updateTable('draft_notes')
    .set({ ...values, updated_at: new Date() })
    .where('id', '=', id)
    .where('merge_request_id', '=', owner.mergeRequestId)
    .where('author_id', '=', owner.authorId)
    .returningAll()
    .executeTakeFirst();

/** Takes drafts away, the oldest first, so that nobody publishes one twice: all of them, or the one of the id. */
export async function takeDrafts(tx: Db, owner: DraftOwner, id?: number): Promise<DraftNote[]> {
  const all = tx
    .deleteFrom('draft_notes')
    .where('merge_request_id', '=', owner.mergeRequestId)
    .where('author_id', '=', owner.authorId);
  const taken = await (id === undefined ? all : all.where('id', '=', id)).returningAll().execute();
  return taken.sort((a, b) => a.id - b.id);
}
