/** Payloads of issues. Names and order are the ecosystem's. */
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Issue, User } from '../../../kernel/db/rows.ts';
import { timeStatsJson } from '../../collaboration/time-tracking/index.ts';
import { labelsOfIssues } from '../../planning/index.ts';
import {
  dateText,
  labelParts,
  personPart,
  projectPart,
  repositoryPart,
  type Urls,
  webUrlOf,
} from '../../review/messages/index.ts';
import * as queries from './webhooks.queries.ts';

export const issueActions = {
  'issue.opened': 'open',
  'issue.updated': 'update',
  'issue.closed': 'close',
  'issue.reopened': 'reopen',
} as const;

type Changes = Readonly<Record<string, { readonly previous: unknown; readonly current: unknown }>>;

interface Dependencies {
  readonly db: Db;
  readonly urls: Urls;
}

const stateIds: Readonly<Record<string, number>> = { opened: 1, closed: 2 };
const types = { issue: 'Issue', incident: 'Incident', task: 'Task', test_case: 'Test Case' } as const;
/** Columns under the names that clients know. */
const names: Readonly<Record<string, string>> = { state: 'state_id', time_spent: 'total_time_spent' };
const dates: ReadonlySet<string> = new Set(['updated_at', 'closed_at']);

/** What the payload calls it: issues by themselves, every other type together. */
const objectKind = ({ type }: Issue) => (type === 'issue' ? 'issue' : 'work_item');

/** The issue as messages about it and about its comments show it. */
async function attributesOf({ db, urls }: Dependencies, subject: ProjectSubject, row: Issue) {
  const [assignees, labels] = await Promise.all([queries.assigneesOf(db, row.id), labelsOfIssues(db, [row.id])]);
  const times = timeStatsJson(row);
  const attributes = {
    author_id: row.author_id,
    closed_at: dateText(row.closed_at),
    confidential: row.confidential,
    created_at: dateText(row.created_at),
    description: row.description,
    discussion_locked: row.discussion_locked,
    due_date: row.due_date,
    duplicated_to_id: row.duplicated_to_id,
    id: row.id,
    iid: row.iid,
    last_edited_at: dateText(row.last_edited_at),
    last_edited_by_id: row.last_edited_by_id,
    milestone_id: row.milestone_id,
    moved_to_id: row.moved_to_id,
    project_id: row.project_id,
    relative_position: row.relative_position,
    state_id: stateIds[row.state],
    time_estimate: times.time_estimate,
    title: row.title,
    updated_at: dateText(row.updated_at),
    updated_by_id: row.last_edited_by_id,
    type: types[row.type],
    url: `${webUrlOf(subject, urls)}/-/issues/${row.iid}`,
    total_time_spent: times.total_time_spent,
    human_total_time_spent: times.human_total_time_spent,
    human_time_estimate: times.human_time_estimate,
    assignee_ids: assignees.map(({ id }) => id),
    assignee_id: assignees[0]?.id ?? null,
    labels: labelParts(labels.get(row.id) ?? []),
    state: row.state,
    severity: row.severity,
    weight: row.weight,
    health_status: row.health_status,
  };
  return { attributes, assignees };
}

/** Beside a comment on it. */
export const issuePart = async (deps: Dependencies, subject: ProjectSubject, row: Issue) =>
  (await attributesOf(deps, subject, row)).attributes;

/** What changed; people as other parts of the payload show them. */
async function changesPart({ db, urls }: Dependencies, changes: Changes) {
  const ids = (value: unknown) => value as readonly number[];
  const people = changes.assignees
    ? await queries.usersById(db, [...ids(changes.assignees.previous), ...ids(changes.assignees.current)])
    : [];
  const shown = (name: string, value: unknown): unknown => {
    if (name === 'state') return stateIds[String(value)];
    if (name === 'labels') return labelParts(value);
    if (name === 'assignees')
      return ids(value).flatMap((id) => personPart(people.find((user) => user.id === id) ?? null, urls) ?? []);
    return dates.has(name) && value !== null ? dateText(new Date(String(value))) : value;
  };
  return Object.fromEntries(
    Object.entries(changes).map(([name, { previous, current }]) => [
      names[name] ?? name,
      { previous: shown(name, previous), current: shown(name, current) },
    ]),
  );
}

export async function issuePayload(
  deps: Dependencies,
  subject: ProjectSubject,
  row: Issue,
  user: User | null,
  about: { readonly action: string; readonly changes: Changes },
) {
  const { urls } = deps;
  const { attributes, assignees } = await attributesOf(deps, subject, row);
  const people = assignees.map((each) => personPart(each, urls));
  const kind = objectKind(row);
  return {
    object_kind: kind,
    event_type: row.confidential ? `confidential_${kind}` : kind,
    user: personPart(user, urls),
    project: projectPart(subject, urls),
    object_attributes: { ...attributes, action: about.action },
    labels: attributes.labels,
    changes: await changesPart(deps, about.changes),
    repository: repositoryPart(subject, urls),
    ...(people.length > 0 ? { assignees: people, assignee: people[0] } : {}),
  };
}
