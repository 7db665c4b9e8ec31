/** Quick actions that pages offer, as docs/user/quick-actions.md lists them; a test compares both. */
import type { Discussed } from '../../lib/comments.ts';

export type CommandTarget = Exclude<Discussed['kind'], 'commit'>;

interface QuickAction {
  readonly name: string;
  /** What is inserted after the name: where the argument begins. */
  readonly argument?: string;
  readonly what: string;
  readonly on: 'all' | readonly CommandTarget[];
}

const both = ['issue', 'merge_request'] as const;

export const quickActions: readonly QuickAction[] = [
  { name: 'close', what: 'Close', on: 'all' },
  { name: 'reopen', what: 'Reopen', on: 'all' },
  { name: 'title', argument: ' ', what: 'Change the title', on: 'all' },
  { name: 'label', argument: ' ~', what: 'Add labels', on: 'all' },
  { name: 'unlabel', argument: ' ~', what: 'Remove labels, or all of them', on: 'all' },
  { name: 'relabel', argument: ' ~', what: 'Replace all labels', on: 'all' },
  { name: 'assign', argument: ' @', what: 'Assign', on: both },
  { name: 'unassign', argument: ' @', what: 'Remove assignees, or all of them', on: both },
  { name: 'reassign', argument: ' @', what: 'Replace the assignees', on: both },
  { name: 'assign_reviewer', argument: ' @', what: 'Request a review', on: ['merge_request'] },
  { name: 'unassign_reviewer', argument: ' @', what: 'Remove reviewers, or all of them', on: ['merge_request'] },
  { name: 'request_review', argument: ' @', what: 'Ask for a review, or for another one', on: ['merge_request'] },
  { name: 'reassign_reviewer', argument: ' @', what: 'Replace the reviewers', on: ['merge_request'] },
  { name: 'milestone', argument: ' %', what: 'Set the milestone', on: both },
  { name: 'remove_milestone', what: 'Remove the milestone', on: both },
  { name: 'due', argument: ' ', what: 'Set the due date', on: ['issue', 'epic'] },
  { name: 'remove_due_date', what: 'Remove the due date', on: ['issue', 'epic'] },
  { name: 'estimate', argument: ' ', what: 'Set the time estimate', on: both },
  { name: 'remove_estimate', what: 'Remove the time estimate', on: both },
  { name: 'spend', argument: ' ', what: 'Add or subtract spent time', on: both },
  { name: 'remove_time_spent', what: 'Remove the spent time', on: both },
  { name: 'weight', argument: ' ', what: 'Set the weight', on: ['issue'] },
  { name: 'clear_weight', what: 'Clear the weight', on: ['issue'] },
  { name: 'epic', argument: ' &', what: 'Add to an epic', on: ['issue'] },
  { name: 'remove_epic', what: 'Remove from its epic', on: ['issue'] },
  { name: 'iteration', argument: ' *iteration:', what: 'Set the iteration', on: ['issue'] },
  { name: 'remove_iteration', what: 'Remove from its iteration', on: ['issue'] },
  { name: 'health_status', argument: ' ', what: 'Set the health status', on: ['issue'] },
  { name: 'clear_health_status', what: 'Clear the health status', on: ['issue'] },
  { name: 'severity', argument: ' ', what: 'Set the severity', on: ['issue'] },
  { name: 'relate', argument: ' #', what: 'Link a related issue', on: ['issue'] },
  { name: 'blocks', argument: ' #', what: 'Mark as blocking another issue', on: ['issue'] },
  { name: 'blocked_by', argument: ' #', what: 'Mark as blocked by another issue', on: ['issue'] },
  { name: 'unlink', argument: ' #', what: 'Remove a link to an issue', on: ['issue'] },
  { name: 'duplicate', argument: ' #', what: 'Close as a duplicate of an issue', on: ['issue'] },
  { name: 'move', argument: ' ', what: 'Move to another project', on: ['issue'] },
  { name: 'clone', argument: ' ', what: 'Clone, to another project if named', on: ['issue'] },
  { name: 'promote', what: 'Promote to an epic', on: ['issue'] },
  { name: 'promote_to_incident', what: 'Make an incident of it', on: ['issue'] },
  { name: 'promote_to', argument: ' ', what: 'Promote to an epic or an incident', on: ['issue'] },
  { name: 'type', argument: ' ', what: 'Change the type', on: ['issue'] },
  { name: 'board_move', argument: ' ~', what: 'Move to a column of the board', on: ['issue'] },
  { name: 'create_merge_request', argument: ' ', what: 'Create a branch and a merge request', on: ['issue'] },
  { name: 'add_child', argument: ' &', what: 'Add epics or issues below it', on: ['epic'] },
  { name: 'remove_child', argument: ' &', what: 'Remove epics or issues from below it', on: ['epic'] },
  { name: 'set_parent', argument: ' &', what: 'Set the parent epic', on: ['epic'] },
  { name: 'remove_parent', what: 'Remove the parent epic', on: ['epic'] },
  { name: 'confidential', what: 'Make confidential', on: ['issue', 'epic'] },
  { name: 'copy_metadata', argument: ' ', what: 'Copy labels and milestone', on: 'all' },
  { name: 'lock', what: 'Lock the discussion', on: both },
  { name: 'unlock', what: 'Unlock the discussion', on: both },
  { name: 'draft', what: 'Mark as draft', on: ['merge_request'] },
  { name: 'ready', what: 'Mark as ready', on: ['merge_request'] },
  { name: 'target_branch', argument: ' ', what: 'Change the target branch', on: ['merge_request'] },
  { name: 'approve', what: 'Approve', on: ['merge_request'] },
  { name: 'unapprove', what: 'Revoke your approval', on: ['merge_request'] },
  { name: 'request_changes', what: 'Request changes', on: ['merge_request'] },
  { name: 'submit_review', argument: ' ', what: 'Submit your review', on: ['merge_request'] },
  { name: 'rebase', what: 'Rebase the source branch', on: ['merge_request'] },
  { name: 'merge', what: 'Merge when checks pass', on: ['merge_request'] },
  { name: 'run_pipeline', what: 'Run a pipeline', on: ['merge_request'] },
  { name: 'ship', what: 'Run a pipeline, and merge when it succeeds', on: ['merge_request'] },
  { name: 'todo', what: 'Add a to-do', on: 'all' },
  { name: 'done', what: 'Mark your to-do as done', on: 'all' },
  { name: 'subscribe', what: 'Subscribe to notifications', on: 'all' },
  { name: 'unsubscribe', what: 'Unsubscribe from notifications', on: 'all' },
  { name: 'award', argument: ' :', what: 'Toggle a reaction', on: 'all' },
  { name: 'shrug', what: 'Append ¯\\_(ツ)_/¯', on: 'all' },
  { name: 'tableflip', what: 'Append (╯°□°)╯︵ ┻━┻', on: 'all' },
];

export const quickActionsFor = (target: CommandTarget): readonly QuickAction[] =>
  quickActions.filter(({ on }) => on === 'all' || on.includes(target));
