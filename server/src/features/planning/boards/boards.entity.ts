/** Boards as the API shows them. */
import type { Static } from 'typebox';
import type { Board as BoardRow, Iteration, Label, BoardList as ListRow } from '../../../kernel/db/rows.ts';
import {
  Count,
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
import {
  LabelBasic,
  labelBasicJson,
  Milestone,
  milestoneJson,
  type PlacedMilestone,
} from '../../collaboration/index.ts';
import { type ReferenceRow, UserReference, userReference } from '../../identity/index.ts';
import type { Place } from '../../namespaces/index.ts';
import { ListedIssue } from '../issues/issues.entity.ts';
import { IterationReference, iterationJson } from '../iterations/iterations.entity.ts';

const listTypes = ['label', 'assignee', 'milestone', 'iteration'] as const;

export const BoardList = Entity('BoardList', {
  id: Id(),
  list_type: Word(listTypes),
  position: Count({ description: 'Place from the left, from 0' }),
  label: Sometimes(LabelBasic),
  assignee: Sometimes(UserReference),
  milestone: Sometimes(Milestone),
  iteration: Sometimes(IterationReference),
});

export const Board = Entity('Board', {
  id: Id(),
  name: Text(),
  hide_backlog_list: Flag({ description: 'Whether the column of issues of no list is hidden' }),
  hide_closed_list: Flag({ description: 'Whether the column of closed issues is hidden' }),
  project: Nullable(
    Fields({
      id: Id(),
      description: Nullable(Text()),
      name: Text(),
      name_with_namespace: Text(),
      path: Text(),
      path_with_namespace: Text(),
      created_at: Timestamp(),
      http_url_to_repo: Text(),
      web_url: Text(),
    }),
    { description: 'Null for boards of groups' },
  ),
  group: Nullable(Fields({ id: Id(), name: Text(), path: Text(), full_path: Text(), web_url: Text() }), {
    description: 'Null for boards of projects',
  }),
  milestone: Nullable(Milestone, { description: 'Only issues of this milestone' }),
  assignee: Nullable(UserReference, { description: 'Only issues of this assignee' }),
  labels: ListOf(LabelBasic, { description: 'Only issues with all of these labels' }),
  weight: Nullable(Count({ description: 'Only issues of this weight' })),
  lists: ListOf(BoardList),
});

/** A column with its first issues. */
export const BoardColumn = Entity('BoardColumn', {
  column: Text({ description: 'Id of the list, `backlog` or `closed`' }),
  total: Nullable(Count({ description: 'How many issues it has; null above 10,000' })),
  has_more: Flag({ description: 'Whether there are more than are listed here' }),
  issues: ListOf(ListedIssue),
});

export interface Around {
  readonly labels: ReadonlyMap<number, Label>;
  readonly people: ReadonlyMap<number, ReferenceRow>;
  readonly milestones: ReadonlyMap<number, PlacedMilestone>;
  readonly iterations: ReadonlyMap<number, Iteration & { readonly group_path: string }>;
}

/** Undefined where what the list is made of was removed between two reads. */
export function boardListJson(row: ListRow, around: Around, base: string): Static<typeof BoardList> | undefined {
  const { id, position } = row;
  const label = around.labels.get(row.label_id ?? 0);
  if (label) return { id, position, list_type: 'label', label: labelBasicJson(label) };
  const person = around.people.get(row.assignee_id ?? 0);
  if (person && row.assignee_id !== null)
    return { id, position, list_type: 'assignee', assignee: userReference(person, base) };
  const milestone = around.milestones.get(row.milestone_id ?? 0);
  if (milestone) return { id, position, list_type: 'milestone', milestone: milestoneJson(milestone, base) };
  const iteration = around.iterations.get(row.iteration_id ?? 0);
  return iteration && { id, position, list_type: 'iteration', iteration: iterationJson(iteration, base) };
}

export interface LoadedBoard {
  readonly row: BoardRow;
  readonly labelIds: readonly number[];
  readonly lists: readonly ListRow[];
}

export function boardJson(
  { row, labelIds, lists }: LoadedBoard,
  around: Around,
  place: Place,
  base: string,
): Static<typeof Board> {
  const milestone = around.milestones.get(row.milestone_id ?? 0);
  const assignee = around.people.get(row.assignee_id ?? 0);
  return {
    id: row.id,
    name: row.name,
    hide_backlog_list: row.hide_backlog_list,
    hide_closed_list: row.hide_closed_list,
    project: place.kind === 'project' ? projectOf(place, base) : null,
    group: place.kind === 'group' ? groupOf(place, base) : null,
    milestone: milestone ? milestoneJson(milestone, base) : null,
    assignee: assignee ? userReference(assignee, base) : null,
    labels: labelIds.flatMap((id) => {
      const label = around.labels.get(id);
      return label ? [labelBasicJson(label)] : [];
    }),
    weight: row.weight,
    lists: lists.flatMap((list) => boardListJson(list, around, base) ?? []),
  };
}

function projectOf({ project, namespace }: Extract<Place, { kind: 'project' }>, base: string) {
  const path = `${namespace.full_path}/${project.path}`;
  return {
    id: project.id,
    description: project.description,
    name: project.name,
    name_with_namespace: `${namespace.full_name} / ${project.name}`,
    path: project.path,
    path_with_namespace: path,
    created_at: project.created_at,
    http_url_to_repo: `${base}/${path}.git`,
    web_url: `${base}/${path}`,
  };
}

const groupOf = ({ group }: Extract<Place, { kind: 'group' }>, base: string) => ({
  id: group.id,
  name: group.name,
  path: group.path,
  full_path: group.full_path,
  web_url: `${base}/groups/${group.full_path}`,
});
