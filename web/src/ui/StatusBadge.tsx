/** The state of a job, pipeline, merge request or issue: icon and word, never colour alone. */
import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleDot,
  IconCircleX,
  IconClock,
  IconGitMerge,
  IconGitPullRequest,
  IconGitPullRequestClosed,
  IconHandStop,
  IconPlayerSkipForward,
  IconProgress,
} from '@tabler/icons-react';
import classes from './StatusBadge.module.css';

const looks = {
  success: ['Passed', IconCircleCheck, 'success'],
  failed: ['Failed', IconCircleX, 'failed'],
  warning: ['Passed with warnings', IconAlertTriangle, 'manual'],
  running: ['Running', IconProgress, 'running'],
  pending: ['Pending', IconClock, 'manual'],
  waiting_for_resource: ['Waiting', IconClock, 'manual'],
  preparing: ['Preparing', IconClock, 'manual'],
  scheduled: ['Delayed', IconClock, 'muted'],
  created: ['Created', IconCircleDashed, 'muted'],
  manual: ['Manual', IconHandStop, 'manual'],
  skipped: ['Skipped', IconPlayerSkipForward, 'muted'],
  canceling: ['Canceling', IconBan, 'muted'],
  canceled: ['Canceled', IconBan, 'muted'],
  opened: ['Open', IconGitPullRequest, 'success'],
  merged: ['Merged', IconGitMerge, 'running'],
  closed: ['Closed', IconGitPullRequestClosed, 'failed'],
  locked: ['Merging', IconProgress, 'running'],
  open_issue: ['Open', IconCircleDot, 'success'],
  closed_issue: ['Closed', IconCircleCheck, 'running'],
} as const;

export type StatusName = keyof typeof looks;

/** The state of an issue, which has icons of its own. */
export const issueStatus = (state: string): StatusName => (state === 'opened' ? 'open_issue' : 'closed_issue');

/** The states of pipelines and jobs in the order of a filter, with the words that badges have for them. */
export const statusChoices = (
  [
    ...['running', 'pending', 'success', 'failed', 'canceled', 'skipped', 'manual', 'scheduled'],
    ...['waiting_for_resource', 'preparing', 'created'],
  ] as StatusName[]
).map((value) => ({ value, label: looks[value][0] }));

/** The word that a badge has for a state. */
export const statusWord = (status: string): string => looks[status as StatusName]?.[0] ?? status;

/** Falls back to the plain word for a state that it does not know. */
export function StatusBadge({ status, compact = false }: { status: string; compact?: boolean }) {
  const [word, Icon, tone] = looks[status as StatusName] ?? [status, IconCircleDashed, 'muted'];
  return (
    <span
      className={classes.badge}
      data-tone={tone}
      data-compact={compact || undefined}
      title={compact ? word : undefined}
    >
      <Icon size={16} aria-hidden />
      <span className={compact ? classes.hidden : undefined}>{word}</span>
    </span>
  );
}
