/** A commit tells once of each place that refers to it. */
import type { Migration } from './index.ts';

const once = `
create unique index notes_commit_source_key on notes
  (project_id, commit_id, source_type, coalesce(source_id, source_project_id), coalesce(source_sha, ''))
  where noteable_type = 'commit' and source_type is not null;
`;

export const commitReferencesMigration: Migration = { name: '0710-commit-references', statements: [once] };
