/** Commit messages from templates, and what may be merged when. */
import { describe, expect, it } from 'vitest';
import { isDraft, taskStatus } from './merge-requests.entity.ts';
import { detailedStatus, type MergeFacts } from './mergeability.ts';
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

describe('mergeability', () => {
  const base: MergeFacts = {
    row: { state: 'opened', title: 'x', merge_status: 'can_be_merged', has_conflicts: false, head_sha: 'a' },
    project: {
      merge_method: 'merge',
      merge_request_title_regex: null,
    },
    pipelineRule: { required: false, skippedWillDo: false },
    pipelineStatus: null,
    branchesExist: true,
    checksAllow: true,
    locked: null,
    upToDate: true,
  };
  const mustPass = { pipelineRule: { required: true, skippedWillDo: false } };
  it.each<[string, Partial<MergeFacts>]>([
    ['mergeable', {}],
    ['locked_paths', { locked: 'locked_paths' }],
    ['locked_lfs_files', { locked: 'locked_lfs_files' }],
    ['status_checks_must_pass', { checksAllow: false, locked: 'locked_paths' }],
    ['not_open', { row: { ...base.row, state: 'merged' } }],
    ['broken_status', { branchesExist: false }],
    ['unchecked', { row: { ...base.row, merge_status: 'unchecked' } }],
    ['conflict', { row: { ...base.row, has_conflicts: true, merge_status: 'cannot_be_merged' } }],
    ['draft_status', { row: { ...base.row, title: 'Draft: x' } }],
    ['title_regex', { project: { ...base.project, merge_request_title_regex: '^PRJ-\\d+' } }],
    ['mergeable', { project: { ...base.project, merge_request_title_regex: '^x$' } }],
    ['need_rebase', { project: { ...base.project, merge_method: 'ff' }, upToDate: false }],
    ['ci_must_pass', { ...mustPass, pipelineStatus: 'failed' }],
    ['ci_must_pass', mustPass],
    ['status_checks_must_pass', { checksAllow: false }],
    ['ci_still_running', { ...mustPass, pipelineStatus: 'running' }],
    ['ci_must_pass', { ...mustPass, pipelineStatus: 'skipped' }],
    ['mergeable', { pipelineRule: { required: true, skippedWillDo: true }, pipelineStatus: 'skipped' }],
  ])('%s', (expected, change) => {
    expect(detailedStatus({ ...base, ...change })).toBe(expected);
  });
});
