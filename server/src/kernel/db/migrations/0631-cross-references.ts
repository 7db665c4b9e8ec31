/** Where a reference was made that a note of the service tells of: only those who see that place read the note. */
import type { Migration } from './index.ts';

const notes = `
alter table notes
  add column source_type text check (source_type in ('issue', 'merge_request', 'epic', 'commit')),
  add column source_id bigint,
  -- Of commits.
  add column source_project_id bigint,
  add column source_sha text,
  add check (source_type is null or system),
  add check ((source_type is not distinct from 'commit') = (source_sha is not null and source_project_id is not null)),
  add check ((source_type is not null and source_type <> 'commit') = (source_id is not null));
-- A thing tells once of each place that refers to it.
create unique index notes_reference on notes
  (noteable_type, noteable_id, source_type, coalesce(source_id, source_project_id), coalesce(source_sha, ''))
  where source_type is not null;
create index notes_source on notes (source_type, source_id) where source_id is not null;
`;

export const crossReferencesMigration: Migration = { name: '0631-cross-references', statements: [notes] };
