/** Why a merge request can or cannot be merged, in words. */

export interface Reason {
  readonly text: string;
  /** What helps. */
  readonly help?: string;
  readonly mergeable: boolean;
  /** Waiting for its pipeline makes sense. */
  readonly waits?: boolean;
}

const reasons: Readonly<Record<string, Reason>> = {
  mergeable: { text: 'Ready to be merged', mergeable: true },
  not_open: { text: 'Not open', mergeable: false },
  checking: { text: 'Checking whether it can be merged', mergeable: false },
  unchecked: { text: 'Checking whether it can be merged', mergeable: false },
  preparing: { text: 'Being prepared', mergeable: false },
  draft_status: { text: 'Still a draft', help: 'Mark as ready before merging.', mergeable: false },
  conflict: {
    text: 'Conflicts with the target branch',
    help: 'Merge or rebase onto the target branch on your computer, resolve the conflicts, then push.',
    mergeable: false,
  },
  broken_status: {
    text: 'A branch is missing, or the branches cannot be merged',
    help: 'Push the source branch again or choose another target.',
    mergeable: false,
  },
  need_rebase: {
    text: 'Behind its target branch',
    help: 'This project only allows fast-forward merges. Rebase the source branch.',
    mergeable: false,
  },
  title_regex: {
    text: 'The title does not match the required pattern',
    help: 'Change the title.',
    mergeable: false,
  },
  merge_request_blocked: {
    text: 'Blocked by other merge requests',
    help: 'Merge its dependencies first.',
    mergeable: false,
  },
  ci_must_pass: { text: 'The pipeline must succeed first', mergeable: false, waits: false },
  ci_still_running: { text: 'The pipeline is still running', mergeable: false, waits: true },
  status_checks_must_pass: { text: 'External status checks must pass first', mergeable: false },
  locked_paths: {
    text: 'Changes files locked by others',
    help: 'Only the owner of the lock can unlock it or merge (see Code > Locks).',
    mergeable: false,
  },
  locked_lfs_files: {
    text: 'Changes Git LFS files locked by others',
    help: 'Only the owners of the locks can unlock them or merge (see Code > Locks).',
    mergeable: false,
  },
  discussions_not_resolved: { text: 'Open threads must be resolved first', mergeable: false },
  requested_changes: {
    text: 'A reviewer has requested changes',
    help: 'The merge is blocked until they approve, or somebody who may merge bypasses it.',
    mergeable: false,
  },
  merge_time: {
    text: 'Scheduled merge',
    help: 'It cannot be merged before its scheduled time.',
    mergeable: false,
    waits: true,
  },
  not_approved: { text: 'Approvals are missing', mergeable: false },
};

export const reasonOf = (status: string): Reason =>
  reasons[status] ?? { text: `Cannot be merged: ${status.replaceAll('_', ' ')}`, mergeable: false };
