/** Epic boards as the API shows them. */
import type { Static } from 'typebox';
import type { EpicBoard as BoardRow, Label, Namespace } from '../../../kernel/db/rows.ts';
import {
  Count,
  Entity,
  Fields,
  Flag,
  Id,
  ListOf,
  Nullable,
  Text,
  Timestamp,
  Word,
} from '../../../kernel/http/entity.ts';
import { labelBasicJson } from '../../collaboration/index.ts';
import { ListedEpic } from '../epics/epics.entity.ts';
import type { ShownList } from './epic-boards.queries.ts';

const inBoard = {
  id: Id(),
  label: Fields({ id: Id(), name: Text(), color: Text(), description: Nullable(Text()) }),
  position: Count({ description: 'Place from the left, from 0' }),
  list_type: Word(['label']),
};

export const EpicBoardList = Entity('EpicBoardList', {
  ...inBoard,
  collapsed: Flag({ description: 'Whether the list is shown as its title only' }),
});

export const EpicBoard = Entity('EpicBoard', {
  id: Id(),
  name: Text(),
  hide_backlog_list: Flag({ description: 'Whether the column of epics of no list is hidden' }),
  hide_closed_list: Flag({ description: 'Whether the column of closed epics is hidden' }),
  group: Fields({ id: Id(), name: Text(), web_url: Text() }),
  labels: ListOf(
    Fields({
      id: Id(),
      title: Text(),
      color: Text(),
      description: Nullable(Text()),
      group_id: Nullable(Id()),
      project_id: Nullable(Id()),
      template: Flag({ description: 'Whether new projects get the label; no label of a group is one' }),
      text_color: Text(),
      created_at: Timestamp(),
      updated_at: Timestamp(),
    }),
    { description: 'Only epics with all of these labels' },
  ),
  lists: ListOf(Fields(inBoard)),
});

export const EpicBoardColumn = Entity('EpicBoardColumn', {
  column: Text({ description: 'Id of the list, `backlog` or `closed`' }),
  total: Nullable(Count({ description: 'How many epics it has; null above 10,000' })),
  has_more: Flag({ description: 'Whether there are more than are listed here' }),
  epics: ListOf(ListedEpic),
});

const listed = ({ list, label }: ShownList) => ({
  id: list.id,
  label: { id: label.id, name: label.title, color: label.color, description: label.description },
  position: list.position,
  list_type: 'label' as const,
});

export const epicBoardListJson = (shown: ShownList): Static<typeof EpicBoardList> => ({
  ...listed(shown),
  collapsed: shown.list.collapsed,
});

export function epicBoardJson(
  row: BoardRow,
  { labels, lists }: { readonly labels: readonly Label[]; readonly lists: readonly ShownList[] },
  group: Pick<Namespace, 'id' | 'name' | 'full_path'>,
  base: string,
): Static<typeof EpicBoard> {
  return {
    id: row.id,
    name: row.name,
    hide_backlog_list: row.hide_backlog_list,
    hide_closed_list: row.hide_closed_list,
    group: { id: group.id, name: group.name, web_url: `${base}/groups/${group.full_path}` },
    labels: labels.map((label) => ({
      id: label.id,
      title: label.title,
      color: label.color,
      description: label.description,
      group_id: label.namespace_id,
      project_id: label.project_id,
      template: label.namespace_id === null && label.project_id === null,
      text_color: labelBasicJson(label).text_color,
      created_at: label.created_at,
      updated_at: label.updated_at,
    })),
    lists: lists.map(listed),
  };
}
