/** Records of the hosted provider, and of those that answer in its shapes, as rows of our relations. */
import { createHash } from 'node:crypto';
import { type Row, record, text } from '../project-archives/json.ts';
import { lastLineOf } from './hunks.ts';
import type { Known } from './provider.ts';

export const whole = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) ? value : null;
const list = (value: unknown): Row[] => (Array.isArray(value) ? value.map(record) : []);
const login = (value: unknown): string | null => text(record(value).login);
const logins = (value: unknown): string[] => list(value).flatMap((each) => login(each) ?? []);
const titled = (value: unknown): string => (text(value)?.trim() || 'Untitled').slice(0, 255);
export const numberIn = (url: unknown): number | null => {
  const [, number] = /\/(\d+)$/.exec(text(url) ?? '') ?? [];
  return number === undefined ? null : Number(number);
};
const sha = (value: unknown): string | null => (/^[0-9a-f]{40}$/.test(String(value)) ? String(value) : null);
const threadOf = (what: string) => createHash('sha1').update(what).digest('hex');

export function requestRow(row: Row, repositoryId: string, product = 'github'): Row {
  const [head, base] = [record(row.head), record(row.base)];
  const merged = text(row.merged_at);
  const open = row.state === 'open';
  const own = String(record(head.repo).id ?? '') === repositoryId;
  const ids = { head_sha: sha(head.sha), base_sha: sha(base.sha), start_sha: sha(base.sha) };
  return {
    iid: row.number,
    source_branch: own || !open ? head.ref : forkBranch(row, product),
    target_branch: base.ref,
    title: titled(row.title),
    description: text(row.body),
    state: merged ? 'merged' : open ? 'opened' : 'closed',
    // Branches of forks that are open come along as branches.
    own_source: own || open,
    ...ids,
    squash: false,
    merge_commit_sha: merged ? sha(row.merge_commit_sha) : null,
    merged_at: merged,
    closed_at: merged || open ? null : text(row.closed_at),
    created_at: row.created_at,
    updated_at: row.updated_at ?? row.created_at,
    author: login(row.user),
    assignees: logins(row.assignees),
    reviewers: logins(row.requested_reviewers),
    labels: list(row.labels).flatMap(({ name }) => text(name) ?? []),
    milestone: text(record(row.milestone).title),
    versions: ids.head_sha && ids.base_sha ? [{ ...ids, created_at: row.created_at }] : [],
  };
}

/** Issues and requests share one row of numbers there. */
export const issueRow = (row: Row): Row => ({
  iid: row.number,
  title: titled(row.title),
  description: text(row.body),
  state: row.state === 'closed' ? 'closed' : 'opened',
  type: 'issue',
  confidential: false,
  discussion_locked: row.locked === true,
  closed_at: row.state === 'closed' ? text(row.closed_at) : null,
  created_at: row.created_at,
  updated_at: row.updated_at ?? row.created_at,
  author: login(row.user),
  closed_by: login(row.closed_by),
  assignees: logins(row.assignees),
  labels: list(row.labels).flatMap(({ name }) => text(name) ?? []),
  milestone: text(record(row.milestone).title),
});

/** What the branch of a fork is called here. */
export const forkBranch = (row: Row, product = 'github'): string =>
  `${product}/fork/${login(record(row.head).user) ?? 'unknown'}/${text(record(row.head).ref) ?? 'branch'}`;

export function noteRow(row: Row, about: Row, thread: string, more: Row = {}): Row {
  return {
    ...about,
    discussion_id: threadOf(thread),
    kind: null,
    author: login(row.user),
    body: text(row.body) ?? '',
    system: false,
    internal: false,
    resolvable: false,
    created_at: row.created_at,
    updated_at: row.updated_at ?? row.created_at,
    ...more,
  };
}

/** A comment on a line: on the diff where that is the one of the request, else with the piece of code that it was about. */
export function lineNoteRow(row: Row, number: number, request: Row): Row {
  const [head, base] = [sha(request.head_sha), sha(request.base_sha)];
  const thread = `review:${whole(row.in_reply_to_id) ?? whole(row.id)}`;
  const path = text(row.path) ?? '';
  const hunk = text(row.diff_hunk) ?? '';
  const line = lastLineOf(hunk, path);
  if (line === null || head === null || base === null || row.commit_id !== head || whole(row.line) === null)
    return noteRow(row, { merge_request: number }, thread, {
      kind: 'discussion',
      resolvable: true,
      body: `*On \`${path}\`*\n\n${hunk === '' ? '' : `\`\`\`diff\n${hunk}\n\`\`\`\n\n`}${text(row.body) ?? ''}`,
    });
  return noteRow(row, { merge_request: number }, thread, {
    kind: 'diff',
    resolvable: true,
    position: {
      base_sha: base,
      start_sha: base,
      head_sha: head,
      old_path: path,
      new_path: path,
      position_type: 'text',
      old_line: line.old_line,
      new_line: line.new_line,
    },
    line_code: line.line_code,
  });
}

const named = (value: unknown): string | null => text(value)?.trim().slice(0, 255) || null;

/** A line of the history of an issue or request; null for events that have none here. */
function historyRow(row: Row): Row | null {
  const line = { created_at: row.created_at, by: login(row.actor) };
  const [, undone, what] = /^(de|un)?(label|mileston)ed$/.exec(String(row.event)) ?? [];
  if (what !== undefined) {
    const kind = what === 'label' ? 'label' : 'milestone';
    const name = named(kind === 'label' ? record(row.label).name : record(row.milestone).title);
    return name === null ? null : { kind, action: undone === undefined ? 'add' : 'remove', [kind]: name, ...line };
  }
  if (row.event !== 'closed' && row.event !== 'reopened' && row.event !== 'merged') return null;
  const commit = row.event === 'closed' ? sha(row.commit_id) : null;
  return { kind: 'state', state: row.event, ...(commit ? { commit } : {}), ...line };
}

/** The history from the events of one issue or request, in the order of time; undefined where there is none. */
export function historyOf(events: readonly Row[]): readonly Row[] | undefined {
  const lines = events.map(historyRow).filter((line) => line !== null);
  // A merge closes a request there as well.
  const merged = lines.some(({ state }) => state === 'merged');
  const told = merged ? lines.filter(({ state }) => state !== 'closed') : lines;
  return told.length > 0 ? told : undefined;
}

export const labelRow = ({ name, color, description }: Row): Row => ({
  title: name,
  color: `#${String(color).replace(/^#/, '')}`,
  description: text(description),
  archived: false,
  created_at: new Date().toISOString(),
});

export const milestoneRow = (row: Row): Row => ({
  iid: row.number,
  title: titled(row.title),
  description: text(row.description),
  state: row.state === 'closed' ? 'closed' : 'active',
  due_date: text(row.due_on)?.slice(0, 10) ?? null,
  created_at: row.created_at,
});

/** Null for drafts. */
export const releaseRow = (row: Row): Row | null =>
  row.draft === true
    ? null
    : {
        tag: row.tag_name,
        name: text(row.name),
        description: text(row.body),
        author: login(row.author),
        released_at: row.published_at ?? row.created_at,
        created_at: row.created_at,
        links: list(row.assets).map(({ name, browser_download_url: url }) => ({ name, url })),
      };

/** What a review says as a whole where it is no more than its comments on lines; null for what nobody has sent. */
export function reviewRow(row: Row, number: number): Row | null {
  const state = String(row.state);
  const body = [verdicts[state], text(row.body)].filter((each) => each).join('\n\n');
  if (body === '' || state === 'PENDING') return null;
  const at = { created_at: row.submitted_at, updated_at: row.submitted_at };
  return noteRow({ ...row, ...at, body }, { merge_request: number }, `review-of:${whole(row.id)}`);
}

/** The approval that the last review of a person with a decision is; null where it is none. */
export function approvalRow(row: Row, number: number): Row | null {
  const [username, head] = [login(row.user), sha(row.commit_id)];
  if (row.state !== 'APPROVED' || username === null || head === null) return null;
  return { merge_request: number, username, head_sha: head, patch_id: head, created_at: row.submitted_at };
}

/** What a decision says where the person is not here to make it. */
const verdicts: Readonly<Record<string, string>> = {
  APPROVED: '*Approved these changes*',
  CHANGES_REQUESTED: '*Requested changes*',
  REQUEST_CHANGES: '*Requested changes*',
  DISMISSED: '*This review was dismissed*',
};

/** Roles of collaborators as levels of members. */
export const roles: Readonly<Record<string, number>> = { read: 10, triage: 20, write: 30, maintain: 40, admin: 50 };

/** Issues and requests of which comments are imported, by their numbers: of stages before, of this attempt or an earlier one. */
export interface Numbered {
  readonly issues: Set<number>;
  /** Comments on lines go by the commits of their request. */
  readonly requests: Map<number, Row>;
  /** What an earlier attempt has brought. */
  readonly known: (before: Known) => void;
  readonly issue: (row: Row) => Row;
  readonly request: (row: Row) => Row;
}

export function numbered(): Numbered {
  const issues = new Set<number>();
  const requests = new Map<number, Row>();
  return {
    issues,
    requests,
    known(before) {
      for (const iid of before.issues) issues.add(iid);
      for (const row of before.requests) requests.set(row.iid, { ...row });
    },
    issue(row) {
      const number = whole(row.iid);
      if (number !== null) issues.add(number);
      return row;
    },
    request(row) {
      const number = whole(row.iid);
      if (number !== null) requests.set(number, row);
      return row;
    },
  };
}
