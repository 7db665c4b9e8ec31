/** Epics as the API shows them. */
import Type, { type Static } from 'typebox';
import type { Epic as EpicRow, Label } from '../../../kernel/db/rows.ts';
import {
  Count,
  Day,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Sometimes,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { LabelBasic, labelBasicJson, type Responses, textColorOn } from '../../collaboration/index.ts';
import { TimeStats, timeStatsJson } from '../../collaboration/time-tracking/index.ts';
import { UserReference, userReference } from '../../identity/index.ts';
import type { Person } from '../issues/issues.queries.ts';

const inherited = 'From milestones of its issues and dates of the epics below';
const basic = {
  id: Id(),
  iid: Id({ description: 'Number within the group' }),
  color: Text(),
  text_color: Text({ description: 'Readable on `color`' }),
  group_id: Id({ description: 'Id of the group' }),
  parent_id: Nullable(Id({ description: 'Id of the epic above' })),
  parent_iid: Nullable(Id({ description: 'Its number' })),
  title: Text(),
  description: Nullable(Text()),
  confidential: Flag({ description: 'Whether only its author and members from planners on see it' }),
  discussion_locked: Flag({ description: 'Whether only members may comment' }),
  health_status: Nullable(Word(['on_track', 'needs_attention', 'at_risk'])),
  time_stats: TimeStats,
  author: UserReference,
  start_date: Nullable(Day({ description: 'The fixed or the inherited one' })),
  start_date_is_fixed: Flag(),
  start_date_fixed: Nullable(Day()),
  start_date_from_inherited_source: Nullable(Day({ description: inherited })),
  start_date_from_milestones: Nullable(
    Day({ deprecated: true, description: 'Use `start_date_from_inherited_source`' }),
  ),
  end_date: Nullable(Day({ deprecated: true, description: 'Use `due_date`' })),
  due_date: Nullable(Day({ description: 'The fixed or the inherited one' })),
  due_date_is_fixed: Flag(),
  due_date_fixed: Nullable(Day()),
  due_date_from_inherited_source: Nullable(Day({ description: inherited })),
  due_date_from_milestones: Nullable(Day({ deprecated: true, description: 'Use `due_date_from_inherited_source`' })),
  state: Word(['opened', 'closed']),
  web_url: Text(),
  reference: Text({ deprecated: true, description: 'Use `references`' }),
  references: Fields({ short: Text(), relative: Text(), full: Text() }),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  closed_at: Nullable(Timestamp()),
  labels: ListOf(Text(), { description: 'Titles' }),
  upvotes: Count(),
  downvotes: Count(),
  _links: Fields({ self: Text(), epic_issues: Text(), group: Text(), parent: Nullable(Text()) }),
};

export const Epic = Entity('Epic', { ...basic, subscribed: Sometimes(Flag()) });
export type EpicJson = Static<typeof Epic>;

/** As lists show it: with `with_labels_details`, labels are more than their titles. */
export const ListedEpic = Entity('ListedEpic', {
  ...basic,
  labels: Type.Union([ListOf(Text(), { description: 'Titles' }), ListOf(LabelBasic)]),
});

export interface LoadedEpic {
  readonly row: EpicRow;
  readonly author: Person;
  readonly groupPath: string;
  readonly parent: Pick<EpicRow, 'id' | 'iid' | 'namespace_id'> | null;
  readonly labels: readonly Label[];
  readonly inheritedStart: string | null;
  readonly inheritedDue: string | null;
  readonly responses: Responses;
}

/** Row to JSON, as seen from a group. */
export function epicJson(loaded: LoadedEpic, base: string, groupId: number): EpicJson {
  const { row, parent, groupPath, inheritedStart, inheritedDue } = loaded;
  const api = `${base}/api/v4/groups`;
  const short = `&${row.iid}`;
  const full = `${groupPath}${short}`;
  const start = row.start_date_is_fixed ? row.start_date_fixed : inheritedStart;
  const due = row.due_date_is_fixed ? row.due_date_fixed : inheritedDue;
  return {
    id: row.id,
    iid: row.iid,
    color: row.color,
    text_color: textColorOn(row.color),
    group_id: row.namespace_id,
    parent_id: row.parent_id,
    parent_iid: parent?.iid ?? null,
    title: row.title,
    description: row.description,
    confidential: row.confidential,
    discussion_locked: row.discussion_locked,
    health_status: row.health_status,
    time_stats: timeStatsJson(row),
    author: userReference(loaded.author, base),
    start_date: start,
    start_date_is_fixed: row.start_date_is_fixed,
    start_date_fixed: row.start_date_fixed,
    start_date_from_inherited_source: inheritedStart,
    start_date_from_milestones: inheritedStart,
    end_date: due,
    due_date: due,
    due_date_is_fixed: row.due_date_is_fixed,
    due_date_fixed: row.due_date_fixed,
    due_date_from_inherited_source: inheritedDue,
    due_date_from_milestones: inheritedDue,
    state: row.state,
    web_url: `${base}/groups/${groupPath}/-/epics/${row.iid}`,
    reference: short,
    references: { short, relative: row.namespace_id === groupId ? short : full, full },
    created_at: row.created_at,
    updated_at: row.updated_at,
    closed_at: row.closed_at,
    labels: loaded.labels.map(({ title }) => title),
    upvotes: loaded.responses.upvotes,
    downvotes: loaded.responses.downvotes,
    _links: {
      self: `${api}/${row.namespace_id}/epics/${row.iid}`,
      epic_issues: `${api}/${row.namespace_id}/epics/${row.iid}/issues`,
      group: `${api}/${row.namespace_id}`,
      parent: parent && `${api}/${parent.namespace_id}/epics/${parent.iid}`,
    },
  };
}

/** The same for a list, with details of labels where they were asked for. */
export const listedEpicJson = (
  loaded: LoadedEpic,
  base: string,
  groupId: number,
  labelDetails: boolean,
): Static<typeof ListedEpic> => ({
  ...epicJson(loaded, base, groupId),
  ...(labelDetails ? { labels: loaded.labels.map(labelBasicJson) } : {}),
});
