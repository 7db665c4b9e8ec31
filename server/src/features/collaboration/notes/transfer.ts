/** Comments in archives: of commits, issues and merge requests of projects, and of epics of groups. */
import { createHash } from 'node:crypto';
import Type, { type Static, type TObject } from 'typebox';
import type { Db } from '../../../kernel/db/index.ts';
import { Bool, DateTimeParam, Int, OneOf, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import {
  type GroupRelation,
  groupRelation,
  type ImportTarget,
  importedFrom,
  type Relation,
  relation,
  rewritingTexts,
} from '../../namespaces/index.ts';
import { awardLines, takeAwards } from '../award-emoji/transfer.ts';
import { type ArchivedNote, insertNote, insertNotes } from './notes.queries.ts';
import {
  epicNumbered,
  idsNumbered,
  notesOfGroup,
  notesOfProject,
  removeNotesOfGroup,
  removeNotesOfProject,
} from './transfer.queries.ts';

const sha = Str({ pattern: '^[0-9a-f]{40}$' });
const path = OrNull(Str({ maxLength: 4096 }));
const number = Optional(OrNull(Int({ minimum: 0, maximum: 2_147_483_647 })));
const person = Optional(OrNull(Str({ maxLength: 255 })));
const time = Optional(OrNull(DateTimeParam()));
const iid = Optional(OrNull(Int({ minimum: 1, maximum: 2_147_483_647 })));
/** One end of the lines that a comment is about. */
const end = Type.Object({
  line_code: Optional(OrNull(Str({ maxLength: 100 }))),
  type: Optional(OrNull(Str({ maxLength: 10 }))),
  old_line: number,
  new_line: number,
});

const position = Optional(
  OrNull(
    Type.Object({
      base_sha: sha,
      start_sha: sha,
      head_sha: sha,
      old_path: path,
      new_path: path,
      position_type: OneOf(['text', 'image', 'file']),
      old_line: number,
      new_line: number,
      line_range: Optional(OrNull(Type.Object({ start: end, end }))),
      width: number,
      height: number,
      x: number,
      y: number,
    }),
  ),
);

const said = {
  discussion_id: sha,
  kind: Optional(OrNull(OneOf(['discussion', 'diff']))),
  author: person,
  body: Str({ minLength: 1, maxLength: 1_000_000 }),
  system: Bool(),
  internal: Bool(),
  action: Optional(OrNull(Str({ maxLength: 50 }))),
  resolvable: Bool(),
  resolved_at: time,
  resolved_by: person,
  last_edited_at: time,
  last_edited_by: person,
  created_at: DateTimeParam(),
  updated_at: DateTimeParam(),
  award_emoji: awardLines,
};

/** A thread in the place that it comes to: those of different places are never the same, whatever an archive says. */
export const importedThread = (place: string | number, id: string): string =>
  createHash('sha1').update(`${place}:${id}`).digest('hex');

/** Columns that say who said what, as far as names are known here. */
async function saidColumns(
  row: Static<TObject<typeof said>>,
  /** What threads are told apart by. */
  place: string | number,
  { person, importerId, trusted }: Pick<ImportTarget, 'person' | 'importerId' | 'trusted'>,
) {
  const author = await person(row.author);
  return {
    discussion_id: importedThread(place, row.discussion_id),
    kind: row.kind ?? null,
    author_id: author ?? importerId,
    body: author === null && row.author ? `*By ${row.author}*\n\n${row.body}` : row.body,
    // Only who administers can know what the service has said.
    system: row.system && trusted,
    internal: row.internal,
    action: row.system && trusted ? (row.action ?? null) : null,
    resolvable: row.resolvable,
    resolved_at: row.resolvable ? (row.resolved_at ?? null) : null,
    resolved_by_id: row.resolvable && row.resolved_at ? await person(row.resolved_by) : null,
    last_edited_at: row.last_edited_at ?? null,
    last_edited_by_id: await person(row.last_edited_by),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
}

async function keep(
  tx: Db,
  values: Parameters<typeof insertNote>[1],
  awards: Static<typeof awardLines> | undefined,
  target: Pick<ImportTarget, 'person'>,
): Promise<null> {
  const { id, noteable_type: type } = await insertNote(tx, values);
  await takeAwards(tx, [{ type, note_id: id, lines: awards }], target);
  return null;
}

const projectNote = Type.Object({
  commit_id: Optional(OrNull(sha)),
  /** Number of the merge request. */
  merge_request: iid,
  /** Number of the issue. */
  issue: iid,
  ...said,
  position,
  original_position: position,
  outdated: Optional(Bool()),
  line_code: Optional(OrNull(Str({ maxLength: 100 }))),
});

/** Puts comments in with few statements: projects have very many. */
async function takeNotes(
  tx: Db,
  rows: readonly Static<typeof projectNote>[],
  target: ImportTarget,
): Promise<readonly (string | null)[]> {
  const { projectId } = target;
  const requests = rows.flatMap((row) => row.merge_request ?? []);
  const issues = rows.flatMap((row) => (row.merge_request ? [] : (row.issue ?? [])));
  const known = {
    merge_request: await idsNumbered(tx, projectId, 'merge_request', requests),
    issue: await idsNumbered(tx, projectId, 'issue', issues),
  };
  const imported_from = await importedFrom(tx, projectId);
  const reasons: (string | null)[] = [];
  const taken: { readonly values: ArchivedNote; readonly awards: Static<typeof awardLines> | undefined }[] = [];
  for (const row of rows) {
    const about = row.merge_request
      ? { noteable_type: 'merge_request' as const, noteable_iid: row.merge_request }
      : row.issue
        ? { noteable_type: 'issue' as const, noteable_iid: row.issue }
        : null;
    const id = about && known[about.noteable_type].get(about.noteable_iid);
    const reason = problemOf(row, about ? id !== undefined : await target.hasCommit(row.commit_id));
    reasons.push(reason);
    if (reason !== null) continue;
    const values = {
      project_id: projectId,
      ...(about === null
        ? { noteable_type: 'commit' as const, commit_id: row.commit_id ?? null }
        : { ...about, noteable_id: id ?? null }),
      ...(await saidColumns(row, projectId, target)),
      position: row.position ?? null,
      original_position: row.original_position ?? null,
      outdated: row.outdated === true,
      line_code: row.line_code ?? null,
      imported_from,
    };
    taken.push({ values, awards: row.award_emoji });
  }
  const ids = await insertNotes(
    tx,
    taken.map(({ values }) => values),
  );
  const awarded = taken.map(({ values, awards }, at) => ({
    ...{ type: values.noteable_type, note_id: ids[at] ?? 0 },
    lines: awards,
  }));
  await takeAwards(tx, awarded, target);
  return reasons;
}

/** Why a comment cannot be there; null where it can. */
function problemOf(
  row: Static<TObject<typeof said>> & Partial<Pick<Static<typeof projectNote>, 'position' | 'issue'>>,
  there: boolean,
): string | null {
  if (!there) return 'is about something that the archive does not have';
  if (row.body.trim() === '') return 'says nothing';
  const placed = (row.kind === 'diff') === Boolean(row.position) && !(row.kind === 'diff' && row.issue);
  return placed ? null : 'stands on no line';
}

export const noteRelation: Relation = relation({
  name: 'notes',
  schema: projectNote,
  rows: notesOfProject,
  insert: async (tx, row, target) => (await takeNotes(tx, [row], target))[0] ?? null,
  insertMany: takeNotes,
  texts: rewritingTexts('notes', 'body'),
  remove: removeNotesOfProject,
});

/** Of snippets, whose ids by their numbers in the archive are known when the files are there. */
export const snippetNotes = (ids: ReadonlyMap<number, number>) => ({
  name: 'snippet_notes',
  schema: Type.Object({ snippet: Int({ minimum: 1, maximum: 999_999_999 }), ...said }),
  async insert(
    tx: Db,
    row: Static<TObject<typeof said>> & { readonly snippet: number },
    target: ImportTarget,
  ): Promise<string | null> {
    const id = ids.get(row.snippet);
    const reason = problemOf(row, id !== undefined);
    if (reason !== null) return reason;
    const about = { project_id: target.projectId, noteable_type: 'snippet' as const, noteable_id: id ?? null };
    return await keep(tx, { ...about, ...(await saidColumns(row, target.projectId, target)) }, row.award_emoji, target);
  },
});

/** Of epics. */
export const groupNoteRelation: GroupRelation = groupRelation({
  name: 'notes',
  schema: Type.Object({ epic: Int({ minimum: 1, maximum: 2_147_483_647 }), ...said }),
  rows: notesOfGroup,
  insert: async (tx, row, target) => {
    const { groupId } = target;
    const id = await epicNumbered(tx, groupId, row.epic);
    const reason = problemOf(row, id !== null);
    if (reason !== null) return reason;
    const about = { namespace_id: groupId, noteable_type: 'epic' as const, noteable_id: id, noteable_iid: row.epic };
    const values = { ...about, ...(await saidColumns(row, `group ${groupId}`, target)) };
    return await keep(tx, values, row.award_emoji, target);
  },
  remove: removeNotesOfGroup,
});
