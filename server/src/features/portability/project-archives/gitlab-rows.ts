/** Rows of GitLab's own archives (`tree/project/*.ndjson`) as rows of ours. Pure; what comes out is checked like ours. */
import { type Row, record, recordIn } from './json.ts';

/** A row for one of our relations. */
export interface Translated {
  readonly relation: string;
  readonly row: Row;
}

/** Names of users by the ids that an archive has for them. */
export type People = ReadonlyMap<number, string>;

const list = (value: unknown): Row[] => (Array.isArray(value) ? value.map(record) : []);
const whole = (value: unknown): number | null => (typeof value === 'number' && Number.isInteger(value) ? value : null);
const sha = (value: unknown): unknown => (typeof value === 'string' && /^0*$/.test(value) ? null : (value ?? null));
/** `2021-01-01 10:00:00 UTC` as well as what JSON has. */
const time = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^(\S+) (\S+) UTC$/, '$1T$2Z') : (value ?? null);
/** Three digits of a colour are each written twice. */
const color = (value: unknown): unknown =>
  typeof value === 'string' ? value.replace(/^#([\da-f])([\da-f])([\da-f])$/i, '#$1$1$2$2$3$3') : value;
const titles = (rows: readonly Row[], of: string): unknown[] => rows.flatMap((row) => record(row[of]).title ?? []);

const person = (people: People, id: unknown): string | null => people.get(whole(id) ?? 0) ?? null;
const everyone = (people: People, rows: unknown): string[] =>
  list(rows).flatMap(({ user_id: id }) => person(people, id) ?? []);
/** Whoever wrote a comment: by the name at least. */
const author = (people: People, row: Row): unknown => person(people, row.author_id) ?? record(row.author).name ?? null;

const noteKinds: ReadonlyMap<unknown, string> = new Map([
  ['DiffNote', 'diff'],
  ['DiscussionNote', 'discussion'],
]);

function note(row: Row, about: Row, people: People): Translated {
  const kind = noteKinds.get(row.type) ?? null;
  const position = typeof row.position === 'string' ? recordIn(row.position) : row.position;
  const { ignore_whitespace_change: _, ...stands } = record(position);
  const placed = kind === 'diff' && Object.keys(stands).length > 0;
  return {
    relation: 'notes',
    row: {
      ...about,
      discussion_id: row.discussion_id,
      kind: placed ? 'diff' : kind === 'diff' ? 'discussion' : kind,
      author: author(people, row),
      body: row.note,
      system: row.system === true,
      internal: row.internal === true || row.confidential === true,
      resolvable: placed || kind !== null,
      resolved_at: time(row.resolved_at),
      resolved_by: person(people, row.resolved_by_id),
      position: placed ? stands : null,
      line_code: placed ? (row.line_code ?? null) : null,
      last_edited_at: time(row.last_edited_at),
      created_at: time(row.created_at),
      updated_at: time(row.updated_at ?? row.created_at),
    },
  };
}

function mergeRequest(row: Row, people: People): Translated[] {
  const diff = record(row.merge_request_diff);
  const { merged_at, merged_by_id, latest_closed_at, latest_closed_by_id } = record(row.metrics);
  const [head, base, start] = [
    sha(diff.head_commit_sha ?? row.diff_head_sha),
    sha(diff.base_commit_sha),
    sha(diff.start_commit_sha ?? diff.base_commit_sha),
  ];
  const version = {
    head_sha: head,
    base_sha: base,
    start_sha: start,
    created_at: time(diff.created_at ?? row.created_at),
  };
  const request: Row = {
    iid: row.iid,
    source_branch: row.source_branch,
    target_branch: row.target_branch,
    title: row.title,
    description: row.description ?? null,
    state: row.state === 'locked' ? 'opened' : row.state,
    own_source: row.source_project_id === row.target_project_id,
    ...{ head_sha: head, base_sha: base, start_sha: start },
    squash: row.squash === true,
    force_remove_source_branch: [true, 'true', '1'].includes(
      record(row.merge_params).force_remove_source_branch as string | boolean,
    ),
    discussion_locked: row.discussion_locked ?? null,
    merge_commit_sha: sha(row.merge_commit_sha),
    squash_commit_sha: sha(row.squash_commit_sha),
    merged_commit_sha: sha(row.merged_commit_sha),
    merged_at: row.state === 'merged' ? time(merged_at ?? row.updated_at) : null,
    closed_at: row.state === 'closed' ? time(latest_closed_at ?? row.updated_at) : null,
    prepared_at: time(row.prepared_at ?? row.created_at),
    created_at: time(row.created_at),
    updated_at: time(row.updated_at),
    author: author(people, row),
    merged_by: person(people, row.merge_user_id ?? merged_by_id),
    closed_by: person(people, latest_closed_by_id),
    assignees: everyone(people, row.merge_request_assignees),
    reviewers: everyone(people, row.merge_request_reviewers),
    labels: titles(list(row.label_links), 'label'),
    milestone: record(row.milestone).title ?? null,
    versions: head !== null && base !== null && start !== null ? [version] : [],
  };
  const about = { merge_request: row.iid };
  return [{ relation: 'merge_requests', row: request }, ...list(row.notes).map((each) => note(each, about, people))];
}

const issueTypes: ReadonlyMap<unknown, string> = new Map(
  ['issue', 'incident', 'test_case', 'task'].map((type) => [type, type]),
);

function issue(row: Row, people: People): Translated[] {
  const type = row.issue_type ?? record(row.work_item_type).base_type;
  const dates = record(row.dates_source);
  const closed = row.state === 'closed';
  const about = { issue: row.iid };
  const line: Row = {
    iid: row.iid,
    title: row.title,
    description: row.description ?? null,
    state: closed ? 'closed' : 'opened',
    type: issueTypes.get(type) ?? 'issue',
    severity: record(row.issuable_severity).severity ?? 'unknown',
    health_status: row.health_status ?? null,
    confidential: row.confidential === true,
    discussion_locked: row.discussion_locked ?? null,
    weight: row.weight ?? null,
    start_date: row.start_date ?? dates.start_date ?? null,
    due_date: row.due_date ?? dates.due_date ?? null,
    relative_position: row.relative_position ?? null,
    time_estimate: row.time_estimate ?? 0,
    closed_at: closed ? time(row.closed_at ?? row.updated_at) : null,
    last_edited_at: time(row.last_edited_at),
    created_at: time(row.created_at),
    updated_at: time(row.updated_at),
    author: author(people, row),
    closed_by: closed ? person(people, row.closed_by_id) : null,
    last_edited_by: person(people, row.last_edited_by_id),
    assignees: everyone(people, row.issue_assignees),
    labels: titles(list(row.label_links), 'label'),
    milestone: record(row.milestone).title ?? null,
    state_events: list(row.resource_state_events)
      .filter(({ state }) => state === 'closed' || state === 'reopened')
      .map(({ state, user_id: by, created_at: at }) => ({ state, by: person(people, by), created_at: time(at) })),
    time_entries: list(row.timelogs).map((entry) => ({
      seconds: entry.time_spent,
      summary: entry.summary ?? null,
      by: person(people, entry.user_id),
      spent_at: time(entry.spent_at ?? entry.created_at),
    })),
  };
  return [{ relation: 'issues', row: line }, ...list(row.notes).map((each) => note(each, about, people))];
}

function board(row: Row, people: People): Row {
  const title = (of: unknown): unknown => record(of).title ?? null;
  return {
    name: row.name,
    hide_backlog_list: row.hide_backlog_list === true,
    hide_closed_list: row.hide_closed_list === true,
    milestone: title(row.milestone),
    assignee: person(people, record(row.board_assignee).assignee_id),
    labels: titles(list(row.board_labels), 'label'),
    weight: whole(row.weight) !== null && Number(row.weight) >= 0 ? row.weight : null,
    // Backlog and closed are on every board.
    lists: list(row.lists)
      .map((each) => ({
        label: title(each.label),
        milestone: title(each.milestone),
        assignee: person(people, each.user_id),
      }))
      .filter((each) => Object.values(each).some((value) => value !== null)),
  };
}

const levels = (kind: string, rows: unknown) =>
  list(rows)
    .filter(({ user_id: user, group_id: group, deploy_key_id: key }) => !user && !group && !key)
    .map(({ access_level: level }) => ({ kind, level }));

type Translate = (row: Row, people: People) => readonly Translated[];
const one =
  (relation: string, translate: (row: Row, people: People) => Row): Translate =>
  (row, people) => [{ relation, row: translate(row, people) }];

/** In the order in which they build on each other; every other one of an archive is left out. */
export const translations: ReadonlyArray<readonly [name: string, translate: Translate]> = [
  [
    'labels',
    one('labels', (row) => ({
      title: row.title,
      description: row.description ?? null,
      color: color(row.color),
      archived: row.archived === true,
      priority: list(row.priorities)[0]?.priority ?? null,
      of_group: row.type === 'GroupLabel',
      created_at: time(row.created_at),
    })),
  ],
  [
    'milestones',
    one('milestones', (row) => ({
      iid: row.project_id === null || row.project_id === undefined ? null : row.iid,
      title: row.title,
      description: row.description ?? null,
      state: row.state,
      start_date: row.start_date ?? null,
      due_date: row.due_date ?? null,
      created_at: time(row.created_at),
      updated_at: time(row.updated_at),
    })),
  ],
  ['project_badges', one('badges', ({ name = null, link_url, image_url }) => ({ name, link_url, image_url }))],
  [
    'protected_branches',
    one('protected_branches', (row) => ({
      name: row.name,
      allow_force_push: row.allow_force_push === true,
      code_owner_approval_required: row.code_owner_approval_required === true,
      levels: [
        ...levels('push', row.push_access_levels),
        ...levels('merge', row.merge_access_levels),
        ...levels('unprotect', row.unprotect_access_levels),
      ],
    })),
  ],
  [
    'protected_tags',
    one('protected_tags', (row) => ({
      name: row.name,
      levels: levels('', row.create_access_levels).map(({ level }) => level),
    })),
  ],
  ['custom_attributes', one('custom_attributes', ({ key, value }) => ({ key, value }))],
  [
    'project_members',
    one('members', (row) => ({
      username: record(row.user).username,
      access_level: row.access_level,
      expires_at: row.expires_at ?? null,
    })),
  ],
  ['push_rule', one('push_rule', (row) => row)],
  [
    'security_setting',
    one('security_setting', (row) => ({
      secret_push_protection_enabled:
        row.secret_push_protection_enabled ?? row.pre_receive_secret_detection_enabled ?? false,
    })),
  ],
  [
    'releases',
    one('releases', (row, people) => ({
      tag: row.tag,
      sha: sha(row.sha),
      name: row.name ?? null,
      description: row.description ?? null,
      author: author(people, row),
      released_at: time(row.released_at ?? row.created_at),
      created_at: time(row.created_at),
      milestones: titles(list(row.milestone_releases), 'milestone'),
      links: list(row.links).map(({ name, url, filepath = null, link_type = 'other' }) => ({
        ...{ name, url, filepath, link_type },
      })),
    })),
  ],
  ['boards', one('boards', board)],
  ['issues', issue],
  ['merge_requests', mergeRequest],
  ['commit_notes', (row, people) => [note(row, { commit_id: row.commit_id }, people)]],
];

/** Who is called how, by the members of the project. */
export function peopleOf(members: readonly Row[]): People {
  const found = new Map<number, string>();
  for (const { user_id: id, user } of members) {
    const { username } = record(user);
    const known = whole(id) ?? whole(record(user).id);
    if (known !== null && typeof username === 'string') found.set(known, username);
  }
  return found;
}

const visibilities: Readonly<Record<number, string>> = { 0: 'private', 10: 'internal', 20: 'public' };
const accessLevels: Readonly<Record<number, string>> = { 0: 'disabled', 10: 'private', 20: 'enabled', 30: 'public' };
/** Attributes that have another name there. */
const renamed: ReadonlyMap<string, string> = new Map([['public_builds', 'public_jobs']]);

/** Attributes of the project in our words, from `project.json` and the settings of its parts. */
export function attributesOf(project: Row, features: Row): Row {
  const method =
    project.merge_requests_ff_only_enabled === true
      ? 'ff'
      : project.merge_requests_rebase_enabled === true
        ? 'rebase_merge'
        : 'merge';
  const parts = Object.entries(features).flatMap(([name, level]) => {
    const word = name.endsWith('_access_level') ? accessLevels[whole(level) ?? -1] : undefined;
    return word === undefined ? [] : [[name, word] as const];
  });
  const own = Object.entries(project).flatMap(([name, value]) =>
    value === null || typeof value === 'object' ? [] : [[renamed.get(name) ?? name, value] as const],
  );
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(parts),
    merge_method: method,
    visibility: visibilities[whole(project.visibility_level) ?? 0] ?? 'private',
  };
}
