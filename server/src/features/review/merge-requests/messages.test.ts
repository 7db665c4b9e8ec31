/** Commit messages from templates, and what titles and descriptions tell. */
import { describe, expect, it } from 'vitest';
import { isDraft, taskStatus } from './merge-requests.entity.ts';
import { commitMessage, defaultMergeTemplate } from './messages.ts';

const facts = {
  sourceBranch: 'topic',
  targetBranch: 'main',
  title: 'Add a wheel',
  description: '',
  reference: 'group/project!7',
  url: 'http://forge.test/group/project/-/merge_requests/7',
  author: { name: 'Ada', email: 'ada@example.com' },
  mergedBy: { name: 'Bob', email: 'bob@example.com' },
  commitMessages: ['first\n', 'second\n\nwith a body\n'],
};

describe('messages', () => {
  it('drop lines whose variables are empty', () => {
    expect(commitMessage(defaultMergeTemplate, facts)).toBe(
      "Merge branch 'topic' into 'main'\n\nAdd a wheel\n\nSee merge request group/project!7",
    );
    expect(commitMessage(defaultMergeTemplate, { ...facts, description: 'Closes #3 and #4' })).toContain(
      'Closes #3 and #4',
    );
  });

  it('fill every variable and leave unknown ones', () => {
    expect(
      commitMessage(
        '%{all_commits}|%{first_commit}|%{first_multiline_commit}|%{merged_by}|%{local_reference}|%{odd}',
        facts,
      ),
    ).toBe('* first\n\n* second\n\nwith a body|first|second\n\nwith a body|Bob <bob@example.com>|!7|%{odd}');
  });
});

describe('titles and descriptions', () => {
  it('tell drafts and tasks', () => {
    expect(['Draft: x', '[Draft] x', '(draft) x', 'draft - x'].every(isDraft)).toBe(true);
    expect(['Drafting x', 'x draft:', 'WIPE'].some(isDraft)).toBe(false);
    expect(taskStatus('- [ ] a\n* [x] b\n1. [X] c\n[x] d')).toEqual({ count: 3, completed_count: 2 });
  });
});
