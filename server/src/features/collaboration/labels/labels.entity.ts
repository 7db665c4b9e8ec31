/** JSON of labels. */
import type { Static } from 'typebox';
import type { Label } from '../../../kernel/db/rows.ts';
import { Count, Entity, Flag, Id, Nullable, Sometimes, Text } from '../../../kernel/http/entity.ts';
import { textColorOn } from './colors.ts';
import type { LabelRow } from './labels.queries.ts';

const properties = {
  id: Id(),
  name: Text(),
  description: Nullable(Text()),
  description_html: Text({ description: 'Safe to show on a page' }),
  text_color: Text({ description: 'Readable on `color`' }),
  color: Text(),
  archived: Flag(),
  subscribed: Flag({ description: 'Whether the caller is' }),
  open_issues_count: Sometimes(Count({ description: 'With `with_counts`, as the next two' })),
  closed_issues_count: Sometimes(Count()),
  open_merge_requests_count: Sometimes(Count()),
};
export const GroupLabel = Entity('GroupLabel', properties);
export const ProjectLabel = Entity('Label', {
  ...properties,
  priority: Nullable(Count({ description: 'Rank in the project' })),
  is_project_label: Flag({ description: 'Whether it is the project’s own' }),
});

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string) => text.replace(/[&<>"]/g, (character) => escapes[character] ?? '');

/** A label as what carries it shows it. */
export const LabelBasic = Entity('LabelBasic', {
  id: properties.id,
  name: properties.name,
  description: properties.description,
  description_html: properties.description_html,
  text_color: properties.text_color,
  color: properties.color,
  archived: properties.archived,
});

export const labelBasicJson = (label: Label): Static<typeof LabelBasic> => ({
  id: label.id,
  name: label.title,
  description: label.description,
  description_html: escaped(label.description ?? ''),
  text_color: textColorOn(label.color),
  color: label.color,
  archived: label.archived,
});

/** What has a label, of what the caller sees. */
export interface LabelCounts {
  readonly openIssues: number;
  readonly closedIssues: number;
  readonly openRequests: number;
}

/** With numbers where things were counted. */
export const groupLabelJson = (label: LabelRow, counts?: LabelCounts): Static<typeof GroupLabel> => ({
  ...labelBasicJson(label),
  subscribed: label.subscribed,
  ...(counts === undefined
    ? {}
    : {
        open_issues_count: counts.openIssues,
        closed_issues_count: counts.closedIssues,
        open_merge_requests_count: counts.openRequests,
      }),
});

export const projectLabelJson = (label: LabelRow, counts?: LabelCounts): Static<typeof ProjectLabel> => ({
  ...groupLabelJson(label, counts),
  priority: label.priority,
  is_project_label: label.project_id !== null,
});
