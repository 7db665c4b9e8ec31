/** Whether a merge request can be merged now, and if not the one reason that clients switch on. Pure. */
import { RE2JS } from 're2js';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { isDraft } from './merge-requests.entity.ts';

/** The values of `detailed_merge_status` that are produced here. */
export type DetailedStatus =
  | 'mergeable'
  | 'not_open'
  | 'checking'
  | 'unchecked'
  | 'draft_status'
  | 'conflict'
  | 'broken_status'
  | 'need_rebase'
  | 'title_regex'
  | 'ci_must_pass'
  | 'ci_still_running'
  | 'status_checks_must_pass'
  | 'locked_paths'
  | 'locked_lfs_files';

/** What a project and the groups above it ask of pipelines, all of it together. */
export interface PipelineRule {
  /** Whether a merge needs a passed pipeline. */
  readonly required: boolean;
  /** Whether a skipped one will do, for everybody who requires one. */
  readonly skippedWillDo: boolean;
}

export interface MergeFacts {
  readonly row: Pick<MergeRequest, 'state' | 'title' | 'merge_status' | 'has_conflicts' | 'head_sha'>;
  readonly project: Pick<Project, 'merge_method' | 'merge_request_title_regex'>;
  readonly pipelineRule: PipelineRule;
  /** Status of the newest pipeline of the head commit; null when there is none. */
  readonly pipelineStatus: string | null;
  /** Whether both branches exist. */
  readonly branchesExist: boolean;
  /** Whether the project's rule about external status checks lets the merge happen. */
  readonly checksAllow: boolean;
  /** What others than its author and whoever asks have locked of what it changes. */
  readonly locked: 'locked_paths' | 'locked_lfs_files' | null;
  /** Whether the target's head is an ancestor of the source's. */
  readonly upToDate: boolean;
}

const finished = new Set(['success', 'failed', 'canceled', 'skipped']);

/** Whether the rule about pipelines lets the merge happen. */
export function pipelineAllows(rule: PipelineRule, status: string | null): boolean {
  if (!rule.required) return true;
  return status === 'success' || (status === 'skipped' && rule.skippedWillDo);
}

/** Whether a title is one that the project takes. A pattern that cannot be read takes none. */
export function titleAllowed(title: string, pattern: string | null): boolean {
  if (pattern === null || pattern === '') return true;
  try {
    return RE2JS.compile(pattern).matcher(title).find();
  } catch {
    return false;
  }
}

/** The first reason that stands in the way, in the order in which people would fix them. */
export function detailedStatus(facts: MergeFacts): DetailedStatus {
  if (facts.row.state !== 'opened') return 'not_open';
  if (!facts.branchesExist || facts.row.head_sha === null) return 'broken_status';
  if (facts.row.merge_status === 'unchecked') return 'unchecked';
  if (facts.row.merge_status === 'checking') return 'checking';
  if (facts.row.has_conflicts) return 'conflict';
  if (facts.row.merge_status === 'cannot_be_merged') return 'broken_status';
  if (isDraft(facts.row.title)) return 'draft_status';
  if (!titleAllowed(facts.row.title, facts.project.merge_request_title_regex)) return 'title_regex';
  if (facts.project.merge_method !== 'merge' && !facts.upToDate) return 'need_rebase';
  if (!pipelineAllows(facts.pipelineRule, facts.pipelineStatus)) {
    return facts.pipelineStatus !== null && !finished.has(facts.pipelineStatus) ? 'ci_still_running' : 'ci_must_pass';
  }
  if (!facts.checksAllow) return 'status_checks_must_pass';
  return facts.locked ?? 'mergeable';
}

/** Whether waiting for the head pipeline makes sense: it is still on its way. */
export const pipelineActive = (status: string | null): boolean =>
  status !== null && !finished.has(status) && status !== 'manual';

/** The status that a list can tell without asking the repository; a single read checks anew. */
export function listStatus(row: MergeRequest): string {
  if (row.state !== 'opened') return 'not_open';
  if (row.has_conflicts) return 'conflict';
  if (row.merge_status === 'can_be_merged') return 'mergeable';
  return row.merge_status === 'cannot_be_merged' ? 'broken_status' : row.merge_status;
}
