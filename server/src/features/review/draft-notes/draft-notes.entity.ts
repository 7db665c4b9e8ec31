/** Draft notes as the API shows them, to their authors. */
import type { Static } from 'typebox';
import {
  AnyJson,
  Count,
  Decimal,
  Entity,
  Fields,
  Flag,
  Id,
  Nullable,
  Sometimes,
  Text,
} from '../../../kernel/http/entity.ts';
import type { Position } from '../../collaboration/notes/index.ts';
import type { DraftNote } from './draft-notes.queries.ts';

const DraftPosition = Fields(
  {
    base_sha: Nullable(Text()),
    start_sha: Nullable(Text()),
    head_sha: Nullable(Text()),
    old_path: Nullable(Text()),
    new_path: Nullable(Text()),
    position_type: Text({ description: '`text`, `image` or `file`' }),
    old_line: Nullable(Count()),
    new_line: Nullable(Count()),
    line_range: AnyJson({ description: 'First and last of several lines, or null' }),
    width: Sometimes(Nullable(Count())),
    height: Sometimes(Nullable(Count())),
    x: Sometimes(Nullable(Decimal())),
    y: Sometimes(Nullable(Decimal())),
  },
  { description: 'Where in the change it stands; its members are null where it stands nowhere' },
);

export const DraftNoteEntity = Entity('DraftNote', {
  id: Id(),
  author_id: Id(),
  merge_request_id: Id(),
  resolve_discussion: Flag({ description: 'Whether publishing it resolves the thread' }),
  discussion_id: Nullable(Text({ description: 'The thread that it replies to' })),
  note: Text({ description: 'Markdown' }),
  commit_id: Nullable(Text()),
  line_code: Nullable(Text()),
  position: DraftPosition,
});

export function draftNoteJson(draft: DraftNote): Static<typeof DraftNoteEntity> {
  const position = draft.position as Position | null;
  const { width, height, x, y } = position ?? {};
  return {
    id: draft.id,
    author_id: draft.author_id,
    merge_request_id: draft.merge_request_id,
    resolve_discussion: draft.resolve_discussion,
    discussion_id: draft.discussion_id,
    note: draft.body,
    commit_id: draft.commit_id,
    line_code: draft.line_code,
    position: {
      base_sha: position?.base_sha ?? null,
      start_sha: position?.start_sha ?? null,
      head_sha: position?.head_sha ?? null,
      old_path: position?.old_path ?? null,
      new_path: position?.new_path ?? null,
      position_type: position?.position_type ?? 'text',
      old_line: position?.old_line ?? null,
      new_line: position?.new_line ?? null,
      line_range: position?.line_range ?? null,
      ...(position?.position_type === 'image'
        ? { width: width ?? null, height: height ?? null, x: x ?? null, y: y ?? null }
        : {}),
    },
  };
}
