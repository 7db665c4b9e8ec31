/** Columns of exported issues. */

import { csvLine, inert } from '../../../kernel/csv.ts';
import type { LoadedIssue } from '../issues/issues.queries.ts';

const time = (at: Date | null) => at?.toISOString().slice(0, 19).replace('T', ' ') ?? '';
const yes = (value: boolean | null) => (value ? 'Yes' : 'No');
const text = (value: string | number | null | undefined) => (value == null ? '' : String(value));
/** `test_case` is a Test Case. */
const words = (type: string) =>
  type
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');

type Column = readonly [name: string, value: (issue: LoadedIssue, base: string) => string];

/** Names and order as programs of the ecosystem expect them. What people wrote is inert. */
const columns: readonly Column[] = [
  ['ID', ({ row }) => text(row.id)],
  ['IID', ({ row }) => text(row.iid)],
  ['Title', ({ row }) => inert(row.title)],
  ['Description', ({ row }) => inert(text(row.description))],
  ['Type', ({ row }) => words(row.type)],
  ['URL', ({ row, project }, base) => `${base}/${project.path_with_namespace}/-/issues/${row.iid}`],
  ['State', ({ row }) => (row.state === 'opened' ? 'Open' : 'Closed')],
  ['Confidential', ({ row }) => yes(row.confidential)],
  ['Locked', ({ row }) => yes(row.discussion_locked)],
  ['Milestone', ({ milestone }) => inert(text(milestone?.title))],
  ['Labels', ({ labels }) => inert(labels.map(({ title }) => title).join(','))],
  ['Author', ({ author }) => inert(author.name)],
  ['Author Username', ({ author }) => inert(author.username)],
  ['Assignee', ({ assignees }) => inert(assignees.map(({ name }) => name).join(', '))],
  ['Assignee Username', ({ assignees }) => inert(assignees.map(({ username }) => username).join(', '))],
  ['Created At (UTC)', ({ row }) => time(row.created_at)],
  ['Updated At (UTC)', ({ row }) => time(row.updated_at)],
  ['Closed At (UTC)', ({ row }) => time(row.closed_at)],
  ['Due Date', ({ row }) => text(row.due_date)],
  ['Start Date', ({ row }) => text(row.start_date)],
  ['Parent ID', ({ epic }) => text(epic?.id)],
  ['Parent IID', ({ epic }) => text(epic?.iid)],
  ['Parent Title', ({ epic }) => inert(text(epic?.title))],
  ['Time Estimate', ({ row }) => text(row.time_estimate)],
  ['Time Spent', ({ row }) => text(row.time_spent)],
  ['Weight', ({ row }) => text(row.weight)],
];

export const headerLine = csvLine(columns.map(([name]) => name));
export const issueLine = (issue: LoadedIssue, base: string): string =>
  csvLine(columns.map(([, value]) => value(issue, base)));
