/** JSON of milestones. */
import type { Static } from 'typebox';
import type { Milestone as MilestoneRow } from '../../../kernel/db/rows.ts';
import {
  Count,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';

export const milestoneStates = ['active', 'closed'] as const;

export const Milestone = Entity('Milestone', {
  id: Id(),
  iid: Id({ description: 'Number within the project or group' }),
  project_id: Sometimes(Id({ description: 'Where it is one of a project' })),
  group_id: Sometimes(Id({ description: 'Where it is one of a group' })),
  title: Text(),
  description: Nullable(Text()),
  description_html: Sometimes(Nullable(Text({ description: 'With `render_html`' }))),
  state: Word(milestoneStates),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  due_date: Nullable(Day()),
  start_date: Nullable(Day()),
  expired: Flag({ description: 'Whether the day it was due is over' }),
  web_url: Text(),
  issue_stats: Sometimes(
    Fields(
      { total: Count(), closed: Count() },
      { description: 'With `with_counts`: issues planned for it, of those that the caller sees here' },
    ),
  ),
  merge_request_stats: Sometimes(
    Fields(
      { total: Count(), closed: Count({ description: 'Merged or closed' }) },
      { description: 'With `with_counts`: merge requests planned for it, of those that the caller sees here' },
    ),
  ),
});
export type MilestoneJson = Static<typeof Milestone>;

interface Planned {
  readonly total: number;
  readonly closed: number;
}
/** How many are planned for a milestone, and how many of these are done. */
export interface MilestoneStats {
  readonly issues: Planned;
  readonly requests: Planned;
}

/** A milestone with where it is. */
export interface PlacedMilestone extends MilestoneRow {
  /** Full path of the project or group. */
  readonly place_path: string;
}

/** Days are those of UTC, as the database's. */
export const milestoneExpired = (dueDate: string | null, now = new Date()): boolean =>
  dueDate !== null && dueDate < now.toISOString().slice(0, 10);

/** Path of its page. */
export const milestonePath = (row: PlacedMilestone): string =>
  `${row.project_id === null ? '/groups' : ''}/${row.place_path}/-/milestones/${row.iid}`;

/** With `stats` also how far it is. */
export function milestoneJson(row: PlacedMilestone, externalUrl: string, stats?: MilestoneStats): MilestoneJson {
  return {
    id: row.id,
    iid: row.iid,
    ...(row.project_id === null ? {} : { project_id: row.project_id }),
    ...(row.namespace_id === null ? {} : { group_id: row.namespace_id }),
    title: row.title,
    description: row.description,
    state: row.state,
    created_at: row.created_at,
    updated_at: row.updated_at,
    due_date: row.due_date,
    start_date: row.start_date,
    expired: milestoneExpired(row.due_date),
    web_url: `${externalUrl}${milestonePath(row)}`,
    ...(stats ? { issue_stats: stats.issues, merge_request_stats: stats.requests } : {}),
  };
}
