/** Statuses as pages show them: icon, words, where they lead. Pure. */
import type { Static } from 'typebox';
import { Entity, Flag, MapOf, Nullable, Text } from '../../../kernel/http/entity.ts';
import type { JobStatus } from '../scheduling/job-states.ts';

export const DetailedStatus = Entity('DetailedStatus', {
  icon: Text(),
  text: Text(),
  label: Text(),
  group: Text({ description: 'Kind of status' }),
  tooltip: Text(),
  has_details: Flag({ description: 'Whether there is a page about it' }),
  details_path: Nullable(Text({ description: 'Page about it' })),
  illustration: Nullable(MapOf(Text())),
  favicon: Text(),
});
export type DetailedStatusJson = Static<typeof DetailedStatus>;

type Words = readonly [icon: string, text: string, label: string, group: string];

const words: Readonly<Record<JobStatus, Words>> = {
  created: ['status_created', 'Created', 'created', 'created'],
  waiting_for_resource: ['status_pending', 'Waiting', 'waiting for resource', 'waiting-for-resource'],
  preparing: ['status_preparing', 'Preparing', 'preparing', 'preparing'],
  pending: ['status_pending', 'Pending', 'pending', 'pending'],
  running: ['status_running', 'Running', 'running', 'running'],
  canceling: ['status_canceled', 'Canceling', 'canceling', 'canceling'],
  success: ['status_success', 'Passed', 'passed', 'success'],
  failed: ['status_failed', 'Failed', 'failed', 'failed'],
  canceled: ['status_canceled', 'Canceled', 'canceled', 'canceled'],
  skipped: ['status_skipped', 'Skipped', 'skipped', 'skipped'],
  manual: ['status_manual', 'Manual', 'manual action', 'manual'],
  scheduled: ['status_scheduled', 'Delayed', 'delayed', 'scheduled'],
};
const withWarnings: Words = ['status_warning', 'Warning', 'passed with warnings', 'success-with-warnings'];

/** `warnings`: it passed although something that may fail did. `details` is a path on this instance. */
export function detailedStatus(
  status: JobStatus,
  { warnings = false, details = null }: { warnings?: boolean; details?: string | null } = {},
): DetailedStatusJson {
  const [icon, text, label, group] = warnings && status === 'success' ? withWarnings : words[status];
  return {
    icon,
    text,
    label,
    group,
    tooltip: label,
    has_details: details !== null,
    details_path: details,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_${icon}.png`,
  };
}
