/** The hosted provider's repositories: its REST API, version 3, as rows of our relations. */
import { createHash } from 'node:crypto';
import { type Row, record, text } from '../project-archives/json.ts';
import { nextLink, type ProviderClient, ProviderError, providerClient } from './client.ts';
import { lastLineOf } from './hunks.ts';
import type { ProviderConfig, ProviderRepository, RefName, Source } from './provider.ts';

type Config = Extract<ProviderConfig, { provider: 'hosted' }>;

const publicApi = 'https://api.github.com';

/** Where the API is, for a host that somebody names; the public one without. */
export function apiOf(hostname: string | undefined): string | null {
  if (hostname === undefined || hostname.trim() === '') return publicApi;
  const url = URL.parse(hostname.includes('://') ? hostname : `https://${hostname}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) return null;
  const path = url.pathname.replace(/\/+$/, '');
  return `${url.origin}${path.endsWith('/api/v3') ? path : `${path}/api/v3`}`;
}

export function hostedClient(
  options: Pick<Parameters<typeof providerClient>[0], 'outbound' | 'waits' | 'signal'>,
  { base, tokens }: Pick<Config, 'base' | 'tokens'>,
): ProviderClient {
  return providerClient({
    ...options,
    base,
    credentials: tokens.map((token) => `Bearer ${token}`),
    accept: 'application/vnd.github+json',
    next: ({ headers }) => nextLink(headers.link),
    rows: (body) => (Array.isArray(body) ? body : []),
  });
}

export async function hostedRepository(client: ProviderClient, id: number): Promise<ProviderRepository> {
  const row = await client.get(`/repositories/${id}`);
  const [source, cloneUrl] = [text(row.full_name), text(row.clone_url)];
  if (source === null || cloneUrl === null || URL.parse(cloneUrl) === null)
    throw new ProviderError('unreachable', 'The server answered with something else than a repository');
  return {
    id: String(row.id ?? id),
    name: text(row.name) ?? String(id),
    source,
    link: `/${source}`,
    description: text(row.description),
    private: row.private !== false,
    cloneUrl,
    defaultBranch: text(row.default_branch),
  };
}

const whole = (value: unknown): number | null => (typeof value === 'number' && Number.isInteger(value) ? value : null);
const list = (value: unknown): Row[] => (Array.isArray(value) ? value.map(record) : []);
const login = (value: unknown): string | null => text(record(value).login);
const logins = (value: unknown): string[] => list(value).flatMap((each) => login(each) ?? []);
const titled = (value: unknown): string => (text(value)?.trim() || 'Untitled').slice(0, 255);
const numberIn = (url: unknown): number | null => {
  const [, number] = /\/(\d+)$/.exec(text(url) ?? '') ?? [];
  return number === undefined ? null : Number(number);
};
const sha = (value: unknown): string | null => (/^[0-9a-f]{40}$/.test(String(value)) ? String(value) : null);
const threadOf = (what: string) => createHash('sha1').update(what).digest('hex');

function requestRow(row: Row, repositoryId: string): Row {
  const [head, base] = [record(row.head), record(row.base)];
  const merged = text(row.merged_at);
  const open = row.state === 'open';
  const own = String(record(head.repo).id ?? '') === repositoryId;
  const ids = { head_sha: sha(head.sha), base_sha: sha(base.sha), start_sha: sha(base.sha) };
  return {
    iid: row.number,
    source_branch: own || !open ? head.ref : forkBranch(row),
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
const issueRow = (row: Row): Row => ({
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

const forkBranch = (row: Row): string =>
  `github/fork/${login(record(row.head).user) ?? 'unknown'}/${text(record(row.head).ref) ?? 'branch'}`;

function noteRow(row: Row, about: Row, thread: string, more: Row = {}): Row {
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
function lineNoteRow(row: Row, number: number, request: Row): Row {
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

const roles: Readonly<Record<string, number>> = { read: 10, triage: 20, write: 30, maintain: 40, admin: 50 };

export async function hostedSource(client: ProviderClient, config: Config): Promise<Source> {
  const repository = await hostedRepository(client, config.repositoryId);
  const base = `/repos/${repository.source.split('/').map(encodeURIComponent).join('/')}`;
  /** Rows of requests by their number: comments on lines go by their commits. */
  const requests = new Map<number, Row>();
  const issues = new Set<number>();

  async function* mapped(path: string, relation: string, map: (row: Row) => Row | null) {
    const joined = `${base}${path}${path.includes('?') ? '&' : '?'}per_page=100`;
    for await (const page of client.pages(joined))
      yield page.flatMap((each) => {
        const row = map(each);
        return row === null ? [] : [{ relation, row }];
      });
  }
  const remark = (row: Row): Row | null => {
    const number = numberIn(row.issue_url);
    if (number === null || !(requests.has(number) || issues.has(number))) return null;
    return noteRow(row, { [requests.has(number) ? 'merge_request' : 'issue']: number }, `comment:${whole(row.id)}`);
  };
  const review = (row: Row): Row | null => {
    const number = numberIn(row.pull_request_url);
    const request = number === null ? undefined : requests.get(number);
    return number !== null && request ? lineNoteRow(row, number, request) : null;
  };
  async function* comments() {
    if (!config.stages.single_endpoint_notes_import) {
      yield* mapped('/issues/comments?sort=created&direction=asc', 'notes', remark);
      yield* mapped('/pulls/comments?sort=created&direction=asc', 'notes', review);
      return;
    }
    // Slower, and without the limit that long lists have there.
    for (const number of issues) yield* mapped(`/issues/${number}/comments`, 'notes', remark);
    for (const number of requests.keys()) {
      yield* mapped(`/issues/${number}/comments`, 'notes', remark);
      yield* mapped(`/pulls/${number}/comments`, 'notes', review);
    }
  }

  return {
    repository,
    git: { username: 'x-access-token', password: config.tokens[0] ?? '' },
    async refs() {
      const found: RefName[] = [];
      for await (const page of client.pages(`${base}/pulls?state=all&sort=created&direction=asc&per_page=100`))
        for (const row of page) {
          const number = whole(row.number);
          if (number === null) continue;
          const there = `refs/pull/${number}/head`;
          found.push({ there, here: `refs/merge-requests/${number}/head` });
          const own = String(record(record(row.head).repo).id ?? '') === repository.id;
          if (row.state === 'open' && !own) found.push({ there, here: `refs/heads/${forkBranch(row)}` });
        }
      return found;
    },
    stages: [
      {
        name: 'labels',
        rows: () =>
          mapped('/labels', 'labels', ({ name, color, description }) => ({
            title: name,
            color: `#${String(color)}`,
            description: text(description),
            archived: false,
            created_at: new Date().toISOString(),
          })),
      },
      {
        name: 'milestones',
        rows: () =>
          mapped('/milestones?state=all', 'milestones', (row) => ({
            iid: row.number,
            title: titled(row.title),
            description: text(row.description),
            state: row.state === 'closed' ? 'closed' : 'active',
            due_date: text(row.due_on)?.slice(0, 10) ?? null,
            created_at: row.created_at,
          })),
      },
      {
        name: 'members',
        rows: () =>
          config.stages.collaborators_import
            ? mapped('/collaborators?affiliation=direct', 'members', (row) => ({
                username: row.login,
                access_level: roles[text(row.role_name) ?? ''] ?? 10,
              }))
            : none(),
      },
      {
        name: 'releases',
        rows: () =>
          mapped('/releases', 'releases', (row) =>
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
                },
          ),
      },
      {
        name: 'issues',
        rows: () =>
          mapped('/issues?state=all&sort=created&direction=asc', 'issues', (each) => {
            // Requests are in the list as well.
            if (each.pull_request) return null;
            const row = issueRow(each);
            const number = whole(row.iid);
            if (number !== null) issues.add(number);
            return row;
          }),
      },
      {
        name: 'merge_requests',
        rows: () =>
          mapped('/pulls?state=all&sort=created&direction=asc', 'merge_requests', (each) => {
            const row = requestRow(each, repository.id);
            const number = whole(row.iid);
            if (number !== null) requests.set(number, row);
            return row;
          }),
      },
      { name: 'notes', rows: comments },
    ],
  };
}

async function* none(): AsyncGenerator<never[]> {
  yield [];
}
