/** Suggestions of comments in archives of projects. */
import Type from 'typebox';
import { DateTimeParam, Int, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { idsNumbered, importedThread } from '../../collaboration/notes/index.ts';
import { type Relation, relation } from '../../namespaces/index.ts';
import { archivedSuggestionsOf, insertArchivedSuggestion, removeSuggestions } from './transfer.queries.ts';

const line = Int({ minimum: 1, maximum: 2_147_483_647 });
const sha = Str({ pattern: '^[0-9a-f]{40}$' });
/** As many as a file that may have suggestions is long. */
const lines = Str({ maxLength: 1_048_576 });

export const suggestionRelation: Relation = relation({
  name: 'suggestions',
  schema: Type.Object({
    merge_request: line,
    /** Thread and time of the comment, which has no number. */
    discussion_id: sha,
    note_created_at: DateTimeParam(),
    relative_order: Int({ minimum: 0, maximum: 1000 }),
    from_line: line,
    to_line: line,
    from_content: lines,
    to_content: lines,
    applied_at: Optional(OrNull(DateTimeParam())),
    applied_by: Optional(OrNull(Str({ maxLength: 255 }))),
    commit_id: Optional(OrNull(sha)),
  }),
  rows: archivedSuggestionsOf,
  insert: async (tx, row, target) => {
    const { merge_request: iid, discussion_id, note_created_at: createdAt, applied_by, commit_id, ...suggestion } = row;
    if (row.to_line < row.from_line) return 'ends before it begins';
    const request = (await idsNumbered(tx, target.projectId, 'merge_request', [iid])).get(iid);
    if (request === undefined) return 'is about a merge request that the archive does not have';
    const note = { request, thread: importedThread(target.projectId, discussion_id), createdAt };
    const applied = row.applied_at ?? null;
    const made = await insertArchivedSuggestion(tx, note, {
      ...suggestion,
      applied_at: applied,
      applied_by_id: applied === null ? null : await target.person(applied_by),
      commit_id: applied !== null && (await target.hasCommit(commit_id)) ? (commit_id ?? null) : null,
    });
    return made ? null : 'is there already, or is of a comment that the archive does not have';
  },
  remove: removeSuggestions,
});
