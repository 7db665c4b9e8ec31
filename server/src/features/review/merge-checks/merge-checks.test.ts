/** The list of merge checks over facts: which refusal comes first, what auto-merge may wait for, what later domains add. */
import { describe, expect, it } from 'vitest';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { mergeCheckList } from './list.ts';
import {
  type FactSource,
  firstRefusal,
  type MergeCandidate,
  type MergeCheck,
  type MergeRules,
  mergeFacts,
  refusedAs,
  type TrialMerge,
} from './merge-check.ts';

interface Situation {
  readonly row: Partial<MergeRequest>;
  readonly rules: Partial<MergeRules>;
  readonly heads: MergeCandidate['heads'];
  readonly pipelineStatus: string | null;
  readonly trial: TrialMerge | null;
  readonly behind: number;
  readonly statusChecks: boolean;
  readonly approvals: boolean;
  readonly threads: boolean;
  readonly lock: { readonly lfs: boolean; readonly reason: string } | null;
}

const ready: Situation = {
  row: { state: 'opened', title: 'x', merge_after: null },
  rules: {
    merge_method: 'merge',
    merge_request_title_regex: null,
    only_allow_merge_if_all_status_checks_passed: false,
    pipeline: { required: false, skippedAllowed: false },
    hasApprovalRules: true,
    only_allow_merge_if_all_discussions_are_resolved: true,
  },
  heads: { head: 'a', target: 'b' },
  pipelineStatus: null,
  trial: { hasConflicts: false, empty: false },
  behind: 0,
  statusChecks: true,
  approvals: true,
  threads: true,
  lock: null,
};

function judged(situation: Situation, further: readonly MergeCheck[] = []) {
  const { trial, behind, statusChecks, approvals, threads, lock, ...known } = {
    ...situation,
    row: { ...ready.row, ...situation.row },
    rules: { ...ready.rules, ...situation.rules },
  };
  const checks = mergeCheckList(
    {
      approvals: async () => approvals,
      threads: async () => threads,
      divergence: async () => ({ ahead: 1, behind }),
      statusChecks: async () => statusChecks,
      lock: async () => lock,
    },
    further,
  );
  const candidate = { ...known, subject: {} as ProjectSubject, caller: {} as Caller, hasLocks: true };
  const facts = mergeFacts(candidate as MergeCandidate, async () => trial);
  return { facts, checks };
}
const refusalOf = async (situation: Situation, further?: readonly MergeCheck[]) => {
  const { facts, checks } = judged(situation, further);
  return await firstRefusal(facts, checks);
};

const required = (skippedAllowed = false) => ({ pipeline: { required: true, skippedAllowed } });
const lock = { lfs: false, reason: 'The path is locked.' };

describe('the first refusal', () => {
  it.each<[string, Partial<Situation>]>([
    ['mergeable', {}],
    ['mergeable', { trial: null }],
    ['not_open', { row: { state: 'merged' }, heads: null }],
    ['broken_status', { heads: null }],
    ['broken_status', { trial: { hasConflicts: false, empty: true } }],
    ['conflict', { trial: { hasConflicts: true, empty: false }, row: { state: 'opened', title: 'Draft: x' } }],
    ['draft_status', { row: { state: 'opened', title: 'Draft: x' }, rules: { merge_request_title_regex: '^PRJ' } }],
    ['title_regex', { rules: { merge_request_title_regex: '^PRJ-\\d+' } }],
    ['title_regex', { rules: { merge_request_title_regex: '(' } }],
    ['mergeable', { rules: { merge_request_title_regex: '^x$' } }],
    ['merge_time', { row: { merge_after: new Date('9999-01-01') }, threads: false }],
    ['mergeable', { row: { merge_after: new Date(0) } }],
    ['discussions_not_resolved', { threads: false, approvals: false }],
    ['not_approved', { approvals: false, rules: { merge_method: 'ff', ...required() }, behind: 1 }],
    ['mergeable', { approvals: false, rules: { hasApprovalRules: false } }],
    ['need_rebase', { rules: { merge_method: 'ff', ...required() }, behind: 1 }],
    ['mergeable', { behind: 1 }],
    ['ci_must_pass', { rules: required() }],
    ['ci_must_pass', { rules: { ...required() }, pipelineStatus: 'failed' }],
    ['ci_must_pass', { rules: { ...required() }, pipelineStatus: 'skipped' }],
    ['mergeable', { rules: { ...required(true) }, pipelineStatus: 'skipped' }],
    ['mergeable', { rules: { ...required() }, pipelineStatus: 'success' }],
    ['ci_still_running', { rules: { ...required() }, pipelineStatus: 'running' }],
    ['mergeable', { statusChecks: false }],
    [
      'status_checks_must_pass',
      { rules: { only_allow_merge_if_all_status_checks_passed: true }, statusChecks: false, lock },
    ],
    ['locked_paths', { lock }],
    ['locked_lfs_files', { lock: { ...lock, lfs: true } }],
  ])('%s', async (expected, change) => {
    expect((await refusalOf({ ...ready, ...change }))?.status ?? 'mergeable').toBe(expected);
  });

  it('answers a merge with the status and message that clients know', async () => {
    expect((await refusalOf({ ...ready, trial: { hasConflicts: true, empty: false } }))?.error).toMatchObject({
      status: 422,
      body: { message: 'Branch cannot be merged' },
    });
    expect((await refusalOf({ ...ready, lock }))?.error).toMatchObject({ status: 400, body: { message: lock.reason } });
    expect((await refusalOf({ ...ready, heads: null }))?.error).toMatchObject({
      status: 405,
      body: { message: '405 Method Not Allowed' },
    });
  });
});

it('auto-merge waits for what may still come, not for a closed request, a missing branch or a draft', async () => {
  const blocked: Situation = {
    ...ready,
    rules: { ...required(), merge_method: 'ff', merge_request_title_regex: '^y' },
    trial: { hasConflicts: true, empty: false },
    behind: 1,
    lock,
  };
  const { facts, checks } = judged(blocked);
  const immediate = checks.filter(({ awaitable }) => !awaitable);
  expect(await firstRefusal(facts, immediate)).toBeNull();
  for (const change of [{ row: { ...ready.row, title: 'Draft: x' } }, { heads: null }, { row: { state: 'closed' } }])
    expect(await firstRefusal(judged({ ...blocked, ...change } as Situation).facts, immediate)).not.toBeNull();
});

it('a check of a later domain comes last; its facts are loaded once, and only when nothing else refuses', async () => {
  let loads = 0;
  const policy: FactSource<{ readonly blocked: boolean }> = async (_candidate, { head }) => {
    loads += 1;
    return { blocked: head === 'a' };
  };
  const check: MergeCheck = {
    awaitable: true,
    refusal: async ({ heads, get }) =>
      heads && (await get(policy, heads)).blocked ? refusedAs('status_checks_must_pass') : null,
  };
  expect(await refusalOf({ ...ready, lock }, [check])).toMatchObject({ status: 'locked_paths' });
  expect(loads).toBe(0);
  const { facts, checks } = judged(ready, [check, check]);
  expect(await firstRefusal(facts, checks)).toMatchObject({ status: 'status_checks_must_pass' });
  expect(await firstRefusal(facts, checks)).toMatchObject({ status: 'status_checks_must_pass' });
  expect(loads).toBe(1);
});
