/**
 * Merge checks: what stands between a merge request and its merge. One ordered list answers for all: the status that is
 * shown, whether a merge is accepted, and once more under the repository's lock before a ref moves. Every check judges the
 * same facts, which are those of the commit that would be merged now. A new rule is one more check in the list.
 */
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest, Project } from '../../../kernel/db/rows.ts';
import { type HttpError, plainError } from '../../../kernel/http/errors.ts';
import { everyPort } from '../../../kernel/ports.ts';

/** The values of `detailed_merge_status` that are produced here. */
export type DetailedStatus =
  | 'mergeable'
  | 'not_open'
  | 'draft_status'
  | 'conflict'
  | 'broken_status'
  | 'need_rebase'
  | 'title_regex'
  | 'merge_time'
  | 'merge_request_blocked'
  | 'discussions_not_resolved'
  | 'requested_changes'
  | 'not_approved'
  | 'ci_must_pass'
  | 'ci_still_running'
  | 'status_checks_must_pass'
  | 'locked_paths'
  | 'locked_lfs_files';

/** What the project and the groups above it require of pipelines, all of it together. */
export interface PipelineRule {
  /** Whether a merge needs a passed pipeline. */
  readonly required: boolean;
  /** Whether a skipped one is enough for everybody who requires one. */
  readonly skippedAllowed: boolean;
}

/** Settings of the project that decide on merges, as they are now. */
export interface MergeRules
  extends Pick<
    Project,
    | 'merge_method'
    | 'squash_option'
    | 'merge_request_title_regex'
    | 'only_allow_merge_if_all_status_checks_passed'
    | 'merge_commit_template'
    | 'squash_commit_template'
  > {
  readonly pipeline: PipelineRule;
  /** Whether anything asks for approvals, of which the facts are loaded then. */
  readonly hasApprovalRules: boolean;
  /** Whether it waits for other merge requests that are not merged. */
  readonly hasOpenDependencies: boolean;
  /** Whether somebody requested changes, and nobody who may merge has bypassed that. */
  readonly hasRequestedChanges: boolean;
  /** By the project, or a group above it. */
  readonly only_allow_merge_if_all_discussions_are_resolved: boolean;
}

/** The commits that a merge would join. */
export interface LiveHeads {
  /** Of the source branch. */
  readonly head: string;
  /** Of the target branch. */
  readonly target: string;
}

/** Outcome of merging the two commits without keeping the result. */
export interface TrialMerge {
  readonly hasConflicts: boolean;
  /** Whether the source branch has no commits of its own. */
  readonly empty: boolean;
}

/** A merge request and the state of its branches now. */
export interface MergeCandidate {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  readonly row: MergeRequest;
  readonly rules: MergeRules;
  /** Null where one of the branches is gone. */
  readonly heads: LiveHeads | null;
  /** Status of the newest pipeline of the source's head; null where there is none. */
  readonly pipelineStatus: string | null;
  /** Whether anything in the project is locked. */
  readonly hasLocks: boolean;
}

/** Provides one fact for checks, of this domain or of a later one. `heads` are those of the candidate. */
export type FactSource<T> = (candidate: MergeCandidate, heads: LiveHeads) => Promise<T>;

/** What checks judge. */
export interface JudgedFacts extends Pick<MergeCandidate, 'row' | 'rules' | 'heads' | 'pipelineStatus'> {
  /** Null where the outcome is not known and this is not the time to try: whoever holds the lock will. */
  trial(heads: LiveHeads): Promise<TrialMerge | null>;
  /** The fact of a source; several checks may ask for it, the source is asked once. */
  get<T>(source: FactSource<T>, heads: LiveHeads): Promise<T>;
}

/** Of one request, whose facts are loaded when they are asked for. */
export interface MergeFacts extends MergeCandidate, JudgedFacts {}

export interface MergeRefusal {
  readonly status: DetailedStatus;
  /** The answer to whoever wants to merge. */
  readonly error: HttpError;
}

export interface MergeCheck {
  /** Whether a request may be set to auto-merge while this check refuses it; it is asked again before the merge. */
  readonly awaitable: boolean;
  /** Whether a merge train sees to it itself, by what it builds and tests. */
  readonly byTrain?: true;
  refusal(facts: JudgedFacts): Promise<MergeRefusal | null> | MergeRefusal | null;
}

/** Checks of later domains; they are asked after those of this one. */
export const laterMergeChecks = everyPort<{ mergeChecks(): readonly MergeCheck[] }>('merge checks');

/** The refusal that most checks answer with. */
export const refusedAs = (status: DetailedStatus): MergeRefusal => ({
  status,
  error: plainError(405, '405 Method Not Allowed'),
});

/** The first refusal in the order of the list. */
export async function firstRefusal(facts: JudgedFacts, checks: readonly MergeCheck[]): Promise<MergeRefusal | null> {
  for (const check of checks) {
    const found = await check.refusal(facts);
    if (found !== null) return found;
  }
  return null;
}

/** The candidate with its facts, each of which is loaded when the first check asks for it. */
export function mergeFacts(
  candidate: MergeCandidate,
  trial: (candidate: MergeCandidate, heads: LiveHeads) => Promise<TrialMerge | null>,
): MergeFacts {
  const loaded = new Map<FactSource<unknown>, Promise<unknown>>();
  const get = <T>(source: FactSource<T>, heads: LiveHeads): Promise<T> => {
    const asked = (loaded.get(source) as Promise<T> | undefined) ?? source(candidate, heads);
    loaded.set(source, asked);
    return asked;
  };
  return { ...candidate, get, trial: (heads) => get(trial, heads) };
}
