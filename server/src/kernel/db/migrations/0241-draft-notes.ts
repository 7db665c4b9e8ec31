/** Draft notes, which their authors alone see until they publish them, and suggestions in comments on lines. */
import type { Migration } from './index.ts';

const drafts = `
create table draft_notes (
  id bigint generated always as identity primary key,
  merge_request_id bigint not null references merge_requests (id) on delete cascade,
  author_id bigint not null references users (id) on delete cascade,
  -- The thread that it replies to.
  discussion_id text,
  resolve_discussion boolean not null default false,
  commit_id text,
  body text not null check (body <> ''),
  position jsonb,
  line_code text,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now()
);
create index draft_notes_own on draft_notes (merge_request_id, author_id, id);
create index draft_notes_author on draft_notes (author_id);
`;

const suggestions = `
create table suggestions (
  id bigint generated always as identity primary key,
  note_id bigint not null references notes (id) on delete cascade,
  -- Which of the blocks of the comment it is.
  relative_order integer not null,
  -- Lines of the file at the commit of the comment's position.
  from_line integer not null check (from_line > 0),
  to_line integer not null,
  from_content text not null,
  to_content text not null,
  applied_at timestamptz(3),
  applied_by_id bigint references users (id) on delete set null,
  commit_id text,
  constraint suggestions_order_key unique (note_id, relative_order),
  check (to_line >= from_line)
);
create index suggestions_applied_by on suggestions (applied_by_id) where applied_by_id is not null;
`;

export const draftNotesMigration: Migration = { name: '0241-draft-notes', statements: [drafts, suggestions] };
