/** JSON of comments and of the threads that they make. */
import type { Static } from 'typebox';
import type { Note as NoteRow } from '../../../kernel/db/rows.ts';
import {
  AnyJson,
  Count,
  Decimal,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
} from '../../../kernel/http/entity.ts';
import { type ReferenceRow, UserReference, userReference } from '../../identity/index.ts';
import type { NoteableType } from './kinds.ts';
import type { Position } from './positions.ts';

const NotePosition = Entity('NotePosition', {
  base_sha: Text({ description: 'Commit that the change is counted from' }),
  start_sha: Text(),
  head_sha: Text({ description: 'Commit with the change' }),
  old_path: Nullable(Text()),
  new_path: Nullable(Text()),
  position_type: Text({ description: '`text`, `image` or `file`' }),
  old_line: Sometimes(Nullable(Count({ description: 'Line before the change' }))),
  new_line: Sometimes(Nullable(Count({ description: 'Line after the change' }))),
  line_range: Sometimes(AnyJson({ description: 'First and last of several lines, or null' })),
  width: Sometimes(Nullable(Count())),
  height: Sometimes(Nullable(Count())),
  x: Sometimes(Nullable(Decimal({ description: 'Where in the picture, from the left' }))),
  y: Sometimes(Nullable(Decimal({ description: 'Where in the picture, from above' }))),
});

export const Suggestion = Entity('Suggestion', {
  id: Id(),
  from_line: Count(),
  to_line: Count(),
  applicable: Flag({ description: 'Whether it can be applied now' }),
  appliable: Flag({ description: 'The same as `applicable`' }),
  applied: Flag(),
  from_content: Text({ description: 'The lines that it is for' }),
  to_content: Text({ description: 'The lines in place of them' }),
});
export type SuggestionJson = Static<typeof Suggestion>;

export const Note = Entity('Note', {
  id: Id(),
  type: Nullable(Text({ description: '`DiscussionNote` or `DiffNote` in threads; null for a comment of its own' })),
  body: Text({ description: 'Markdown' }),
  body_html: Sometimes(Text({ description: 'With `render_html`' })),
  award_emoji: Sometimes(
    ListOf(Fields({ id: Id(), name: Text({ description: 'Name of the emoji' }), user: UserReference }), {
      description: 'Reactions, with `render_html`',
    }),
  ),
  attachment: Nullable(Fields({}), { description: 'Always null: files are linked in the text' }),
  author: UserReference,
  created_at: Timestamp(),
  updated_at: Timestamp(),
  system: Flag({ description: 'Written by the service, of what happened' }),
  noteable_id: Nullable(Id({ description: 'Id of what it is about; null for commits' })),
  noteable_type: Text({ description: '`Commit`, `Issue`, `MergeRequest`, `Snippet` or `Epic`' }),
  noteable_iid: Nullable(Id()),
  project_id: Nullable(Id({ description: 'Null for what groups have' })),
  commit_id: Sometimes(
    Nullable(Text({ description: 'The commit that it is about; on lines of merge requests null without one' })),
  ),
  position: Sometimes(NotePosition),
  original_position: Sometimes(NotePosition),
  outdated: Sometimes(Flag({ description: 'On a line: whether that is gone from the change' })),
  suggestions: Sometimes(ListOf(Suggestion, { description: 'What it proposes in place of lines of a merge request' })),
  resolvable: Flag(),
  resolved: Sometimes(Flag()),
  resolved_by: Sometimes(Nullable(UserReference)),
  resolved_at: Sometimes(Nullable(Timestamp())),
  confidential: Flag({ description: 'The same as `internal`' }),
  internal: Flag({ description: 'Only for members, from reporters on' }),
  imported: Flag(),
  imported_from: Text(),
  commands_changes: AnyJson({ description: 'What quick actions in the text changed' }),
  summary: Sometimes(
    ListOf(Text(), { description: 'What became of each quick action, in words; where the text just had some' }),
  ),
});

export const AppliedCommands = Entity('AppliedCommands', {
  commands_changes: AnyJson({ description: 'What the quick actions changed' }),
  summary: ListOf(Text(), { description: 'What each of them did, in words' }),
});
export type NoteJson = Static<typeof Note>;

export const Discussion = Entity('Discussion', {
  id: Text(),
  individual_note: Flag({ description: 'A single comment that is no thread' }),
  notes: ListOf(Note),
});

export type DiscussionJson = Static<typeof Discussion>;

/** A comment as the API of commits has it. */
export const CommitNote = Entity('CommitNote', {
  note: Text({ description: 'Markdown' }),
  path: Nullable(Text({ description: 'File that it is about' })),
  line: Nullable(Count({ description: 'Line of the file' })),
  line_type: Nullable(Text({ description: '`new` or `old`: in the file after or before the change' })),
  author: UserReference,
  created_at: Timestamp(),
});

/** A comment with who wrote and resolved it. */
export interface LoadedNote {
  readonly row: NoteRow;
  readonly author: ReferenceRow;
  readonly resolver: ReferenceRow | null;
  /** For a comment on lines, where it may propose others. */
  readonly suggestions?: readonly SuggestionJson[];
}

const kinds = { discussion: 'DiscussionNote', diff: 'DiffNote' } as const;
const noteables = {
  commit: 'Commit',
  issue: 'Issue',
  merge_request: 'MergeRequest',
  snippet: 'Snippet',
  epic: 'Epic',
} as const satisfies Record<NoteableType, string>;

/** The ecosystem's name of the kind of a comment. */
export const noteType = ({ kind }: Pick<NoteRow, 'kind'>) => (kind === null ? null : kinds[kind]);
/** The ecosystem's name of what it is about. */
export const noteableType = ({ noteable_type }: { readonly noteable_type: NoteableType }) => noteables[noteable_type];

export function noteJson(loaded: LoadedNote, externalUrl: string): NoteJson {
  const { row, author, resolver, suggestions } = loaded;
  const position = row.position as Position | null;
  return {
    id: row.id,
    type: noteType(row),
    body: row.body,
    attachment: null,
    author: userReference(author, externalUrl),
    created_at: row.created_at,
    updated_at: row.updated_at,
    system: row.system,
    noteable_id: row.noteable_id,
    noteable_type: noteableType(row),
    noteable_iid: row.noteable_iid,
    project_id: row.project_id,
    ...(row.commit_id === null && row.kind !== 'diff' ? {} : { commit_id: row.commit_id }),
    ...(position === null
      ? {}
      : {
          position: { ...position },
          original_position: { ...((row.original_position as Position | null) ?? position) },
          outdated: row.outdated,
        }),
    ...(suggestions === undefined ? {} : { suggestions: [...suggestions] }),
    resolvable: row.resolvable,
    ...(row.resolvable
      ? {
          resolved: row.resolved_at !== null,
          resolved_by: resolver && userReference(resolver, externalUrl),
          resolved_at: row.resolved_at,
        }
      : {}),
    confidential: row.internal,
    internal: row.internal,
    imported: row.imported_from !== 'none',
    imported_from: row.imported_from,
    commands_changes: {},
  };
}

export function commitNoteJson({ row, author }: LoadedNote, externalUrl: string): Static<typeof CommitNote> {
  const position = row.position as Position | null;
  const old = position !== null && position.new_line == null;
  return {
    note: row.body,
    path: position === null ? null : old ? position.old_path : position.new_path,
    line: (old ? position?.old_line : position?.new_line) ?? null,
    line_type: position === null || position.position_type !== 'text' ? null : old ? 'old' : 'new',
    author: userReference(author, externalUrl),
    created_at: row.created_at,
  };
}

/** The comments of a list as threads, in the order of the ids. */
export const discussionsJson = (ids: readonly string[], notes: readonly LoadedNote[], externalUrl: string) =>
  ids.flatMap((id) => {
    const own = notes.filter(({ row }) => row.discussion_id === id);
    const [first] = own;
    if (!first) return [];
    return [{ id, individual_note: first.row.kind === null, notes: own.map((note) => noteJson(note, externalUrl)) }];
  });
