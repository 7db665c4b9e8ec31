/** A peer with an API of its own: what the rows ask, in the words of Gitea, so that both answer the same question in one run. */
import type { Ask } from './load.ts';

/** How an instance is spoken to. */
export interface Dialect {
  /** The request as it is sent. */
  wire(ask: Ask): Ask;
  /** An answer in the words of the v4 API, as far as rows read it. */
  heard(ask: Ask, answer: Record<string, unknown>): Record<string, unknown>;
  /** The instance asks to be asked again. */
  busy(status: number, text: string): boolean;
}

/** An instance that speaks the v4 API. */
export const plain: Dialect = { wire: (ask) => ask, heard: (_ask, answer) => answer, busy: () => false };

type Words = Record<string, unknown>;

interface Route {
  readonly method: string;
  readonly path: RegExp;
  /** Below `/api/v1`. */
  to(match: readonly string[], query: URLSearchParams, body: Words): Ask;
}

const encoded = (text: string) => encodeURIComponent(decodeURIComponent(text));

/** Pages are named alike, their size is not. */
function paged(query: URLSearchParams, more: Record<string, string | null> = {}): string {
  const made = new URLSearchParams();
  const pairs = { limit: query.get('per_page') ?? '20', page: query.get('page'), ...more };
  for (const [name, value] of Object.entries(pairs)) if (value !== null) made.set(name, value);
  return made.toString();
}

const lean = { stat: 'false', verification: 'false', files: 'false' };

/**
 * Speaks to a Gitea. Whatever it may leave out of an answer that ours has not either is left out, so that it is not
 * charged for more than was asked.
 */
export function gitea(token: string, login: string): Dialect {
  const labels = new Map<string, unknown>();
  const repo = '(/repos/[^/]+/[^/]+)';
  const route = (method: string, path: string, to: Route['to']): Route => ({
    method,
    path: new RegExp(`^${path}$`),
    to,
  });
  const get = (path: string, to: (match: readonly string[], query: URLSearchParams) => string) =>
    route('GET', path, (match, query) => ({ path: to(match, query) }));
  const post = (path: string, to: (match: readonly string[], body: Words) => { path: string; body: unknown }) =>
    route('POST', path, (match, _query, body) => ({ method: 'POST', ...to(match, body) }));

  const routes: readonly Route[] = [
    get('/(version|user)', ([, what]) => `/${what}`),
    get('/users', (_match, query) => `/users/search?${paged(query)}`),
    post('/users', (_match, body) => ({
      path: '/admin/users',
      body: { ...body, must_change_password: false },
    })),
    post('/projects', (_match, { path }) => ({ path: '/user/repos', body: { name: path } })),
    get(repo, ([, at]) => `${at}`),
    get(
      `${repo}/repository/commits`,
      ([, at], query) =>
        `${at}/commits?${paged(query, { ...lean, sha: query.get('ref_name'), path: query.get('path') })}`,
    ),
    get(
      `${repo}/repository/commits/([0-9a-f]+)`,
      ([, at, sha]) => `${at}/git/commits/${sha}?stat=true&verification=false&files=false`,
    ),
    get(
      `${repo}/repository/files/([^/]+)/raw`,
      ([, at, file], query) => `${at}/raw/${decodeURIComponent(file ?? '')}?ref=${query.get('ref')}`,
    ),
    get(`${repo}/repository/tree`, ([, at], query) => `${at}/git/trees/${encoded(query.get('ref') ?? '')}`),
    get(`${repo}/repository/branches`, ([, at], query) => `${at}/branches?${paged(query)}`),
    post(`${repo}/repository/branches`, ([, at], { branch, ref }) => ({
      path: `${at}/branches`,
      body: { new_branch_name: branch, old_ref_name: ref },
    })),
    post(`${repo}/repository/commits`, ([, at], body) => ({
      path: `${at}/contents`,
      body: {
        message: body.commit_message,
        ...(body.start_branch ? { branch: body.start_branch, new_branch: body.branch } : { branch: body.branch }),
        files: (body.actions as { action: string; file_path: string; content: string }[]).map(
          ({ action, file_path, content }) => ({
            operation: action,
            path: file_path,
            content: Buffer.from(content).toString('base64'),
          }),
        ),
      },
    })),
    post(`${repo}/merge_requests`, ([, at], { source_branch, target_branch, title }) => ({
      path: `${at}/pulls`,
      body: { head: source_branch, base: target_branch, title },
    })),
    get(`${repo}/merge_requests/(\\d+)`, ([, at, iid]) => `${at}/pulls/${iid}`),
    get(`${repo}/merge_requests/(\\d+)/(?:raw_diffs|diffs)`, ([, at, iid]) => `${at}/pulls/${iid}.diff`),
    route('PUT', `${repo}/merge_requests/(\\d+)/merge`, ([, at, iid]) => ({
      method: 'POST',
      path: `${at}/pulls/${iid}/merge`,
      body: { Do: 'merge' },
    })),
    post(`${repo}/labels`, ([, at], { name, color }) => ({ path: `${at}/labels`, body: { name, color } })),
    get(
      `${repo}/issues`,
      ([, at], query) =>
        `${at}/issues?${paged(query, {
          type: 'issues',
          state: 'all',
          labels: query.get('labels'),
          assigned_by: query.get('assignee_username'),
          q: query.get('search'),
        })}`,
    ),
    post(`${repo}/issues`, ([, at], { title, description, labels: named, assignee_ids }) => ({
      path: `${at}/issues`,
      body: {
        title,
        body: description,
        labels: named ? [labels.get(String(named))] : [],
        assignees: assignee_ids ? [login] : [],
      },
    })),
    get(`${repo}/issues/(\\d+)`, ([, at, iid]) => `${at}/issues/${iid}`),
    post(`${repo}/issues/(\\d+)/notes`, ([, at, iid], { body }) => ({
      path: `${at}/issues/${iid}/comments`,
      body: { body },
    })),
  ];

  const headers = { Authorization: `token ${token}` };
  return {
    wire({ method = 'GET', path, body }) {
      const { pathname, searchParams } = new URL(path.replace(/^\/api\/v4/, ''), 'http://peer');
      for (const each of routes) {
        const match = each.method === method ? each.path.exec(pathname) : null;
        if (!match) continue;
        const ask = each.to(match, searchParams, (body ?? {}) as Words);
        return { ...ask, path: `/api/v1${ask.path}`, headers };
      }
      throw new Error(`the peer has no word for ${method} ${path}`);
    },
    heard({ path }, answer) {
      if (path.endsWith('/labels')) labels.set(String(answer.name), answer.id);
      const { number, full_name, clone_url } = answer;
      return {
        ...answer,
        ...(number === undefined ? {} : { iid: number }),
        ...(full_name === undefined ? {} : { api: `/repos/${full_name}`, http_url_to_repo: clone_url }),
      };
    },
    // It computes whether a request can be merged after it was opened, and refuses to merge until then.
    busy: (status, text) => status === 405 && text.includes('try again later'),
  };
}
