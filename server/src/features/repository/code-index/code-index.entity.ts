/** How far the index of code is, as administrators see it. */
import { Count, Entity, Fields, Id, ListOf, Nullable, Text, Timestamp, Word } from '../../../kernel/http/entity.ts';

const indexStates = ['pending', 'running', 'failed', 'ready'] as const;

export const CodeIndexes = Entity('CodeIndexes', {
  repositories: Count({ description: 'Default branches of projects and their wikis' }),
  ready: Count({ description: 'Those that are indexed' }),
  failed: Count(),
  files: Count(),
  bytes: Count({ description: 'Of text that is searched' }),
  unfinished: ListOf(
    Fields({
      project_id: Nullable(Id({ description: 'Null for the wiki of a group' })),
      group_id: Nullable(Id({ description: 'Of the wiki of a group, else null' })),
      project_path: Text({ description: 'Full path of the project or group' }),
      kind: Word(['code', 'wiki']),
      state: Word(indexStates),
      done: Count({ description: 'Contents that are stored, of the run under way' }),
      total: Count({ description: '0 before they are counted, and where there are few' }),
      error: Nullable(Text({ description: 'Why it failed' })),
      started_at: Nullable(Timestamp()),
    }),
    { description: 'At most 20 that run, wait or have failed' },
  ),
});
