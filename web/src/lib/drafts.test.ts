/** Drafts as commits. */
import { describe, expect, it } from 'vitest';
import { actionsOf, type Draft, messageOf } from './drafts.ts';

const file = { previous: 'a.ts', path: 'a.ts', content: 'x', lastCommit: 'c1' };

describe('drafts', () => {
  it('become one action for each file, with the commit that was seen', () => {
    const draft: Draft = {
      base: 'c2',
      files: {
        'a.ts': file,
        'b.ts': { ...file, previous: 'b.ts', path: 'c.ts' },
        '': { ...file, previous: null, path: 'd.ts', lastCommit: null },
      },
    };
    expect(actionsOf(draft)).toEqual([
      { action: 'update', file_path: 'a.ts', content: 'x', last_commit_id: 'c1' },
      { action: 'move', file_path: 'c.ts', previous_path: 'b.ts', content: 'x', last_commit_id: 'c1' },
      { action: 'create', file_path: 'd.ts', content: 'x' },
    ]);
    expect(messageOf(draft)).toBe('Change 3 files');
  });

  it('are called by what happens to their only file', () => {
    const one = (path: string, previous: string | null) =>
      messageOf({ base: null, files: { x: { ...file, path, previous } } });
    expect([one('a.ts', 'a.ts'), one('b.ts', 'a.ts'), one('b.ts', null)]).toEqual([
      'Update a.ts',
      'Move a.ts to b.ts',
      'Add b.ts',
    ]);
  });
});
