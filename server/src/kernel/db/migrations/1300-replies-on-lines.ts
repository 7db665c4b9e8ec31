/** Answers to comments on lines stand on these lines, too. */
import type { Migration } from './index.ts';

const repliesOnLines = `
update notes r set kind = 'diff', position = f.position, original_position = f.original_position, line_code = f.line_code,
  outdated = f.outdated, commit_id = f.commit_id
from notes f
where f.discussion_id = r.discussion_id and f.kind = 'diff' and r.kind = 'discussion' and not r.system and f.id < r.id
  and not exists (select from notes o where o.discussion_id = f.discussion_id and o.id < f.id);
`;

export const repliesOnLinesMigration: Migration = { name: '1300-replies-on-lines', statements: [repliesOnLines] };
