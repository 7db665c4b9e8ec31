/** Servers of other products for tests of imports: what they answer is in their public shapes. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const servers: Server[] = [];
const time = '2024-05-06T07:08:09Z';

/** Ends all that were started. */
export function closeServed(): void {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
}

export interface Asked {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string;
}
/** A buffer is sent as it is. */
export type Reply = { status?: number; headers?: Record<string, string>; body?: unknown } | null;

/** A server whose answers a function gives; null for 404. */
export async function served(answer: (asked: Asked, url: string) => Reply): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  let url = '';
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
    const one = { path: pathname, query: searchParams, authorization: request.headers.authorization ?? '' };
    asked.push(one);
    const {
      status = 200,
      headers = {},
      body = null,
    } = answer(one, url) ?? { status: 404, body: { message: 'Not Found' } };
    response
      .writeHead(status, { 'Content-Type': 'application/json', ...headers })
      .end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, asked };
}

const user = (login: string) => ({ login, id: 1 });
/** Lists of the hosted provider, in pages of two. */
export const hostedLists = (head: string, base: string): Readonly<Record<string, readonly object[]>> => ({
  '/labels': [
    { name: 'bug', color: 'ff0000', description: 'Broken' },
    { name: 'idea', color: '00ff00', description: null },
    { name: 'later', color: '0000ff', description: null },
  ],
  '/milestones': [
    { number: 4, title: 'First', description: 'x', state: 'closed', due_on: '2024-06-01T07:00:00Z', created_at: time },
  ],
  '/releases': [
    {
      tag_name: 'v1.0',
      name: 'One',
      body: 'Notes',
      author: user('octocat'),
      draft: false,
      published_at: time,
      created_at: time,
      assets: [{ name: 'app.zip', browser_download_url: 'https://files.example/app.zip' }],
    },
    { tag_name: 'v2.0', draft: true, created_at: time },
  ],
  '/collaborators': [{ login: 'nobody-here', role_name: 'write' }],
  '/branches': [],
  '/pulls/7/reviews': [],
  '/pulls/8/reviews': [],
  '/pulls/9/reviews': [],
  '/pulls': [
    {
      number: 7,
      title: 'Change two',
      body: 'Because',
      state: 'open',
      user: user('octocat'),
      head: { ref: 'topic', sha: head, repo: { id: 42 }, user: user('octocat') },
      base: { ref: 'main', sha: base },
      labels: [{ name: 'bug' }],
      milestone: { title: 'First' },
      assignees: [],
      requested_reviewers: [],
      created_at: time,
      updated_at: time,
    },
    {
      number: 8,
      title: 'Old',
      state: 'closed',
      merged_at: time,
      merge_commit_sha: base,
      user: user('octocat'),
      head: { ref: 'gone', sha: head, repo: null },
      base: { ref: 'main', sha: base },
      created_at: time,
      updated_at: time,
    },
    {
      number: 9,
      title: 'Of commits that nobody has',
      state: 'closed',
      head: { ref: 'lost', sha: 'f'.repeat(40), repo: { id: 42 } },
      base: { ref: 'main', sha: base },
      created_at: time,
    },
  ],
  '/issues': [
    {
      number: 3,
      title: 'It breaks',
      body: 'Always',
      state: 'closed',
      user: user('octocat'),
      assignees: [user('octocat')],
      labels: [{ name: 'bug' }, { name: 'of nobody' }],
      milestone: { title: 'First' },
      closed_at: time,
      created_at: time,
      updated_at: time,
    },
    { number: 7, title: 'Change two', state: 'open', pull_request: {}, created_at: time },
    { number: 12, title: 'Later', body: null, state: 'open', locked: true, user: user('hubber'), created_at: time },
  ],
  '/issues/comments': [
    { id: 3, issue_url: 'https://api.example/issues/3', user: user('octocat'), body: 'Seen too', created_at: time },
    { id: 1, issue_url: 'https://api.example/issues/7', user: user('octocat'), body: 'Looks good', created_at: time },
    { id: 2, issue_url: 'https://api.example/issues/99', user: user('octocat'), body: 'Elsewhere', created_at: time },
  ],
  '/pulls/comments': [
    {
      id: 10,
      pull_request_url: 'https://api.example/pulls/7',
      user: user('octocat'),
      body: 'Why?',
      path: 'b.txt',
      line: 1,
      commit_id: head,
      diff_hunk: '@@ -0,0 +1 @@\n+2',
      created_at: time,
    },
    {
      id: 11,
      in_reply_to_id: 10,
      pull_request_url: 'https://api.example/pulls/7',
      user: user('hubber'),
      body: 'Outdated',
      path: 'a.txt',
      line: null,
      commit_id: base,
      diff_hunk: '@@ -1 +1 @@\n-two\n+3',
      created_at: time,
    },
  ],
});

/** Lists of a Gitea, in pages of two. */
export const giteaLists = (head: string, base: string): Readonly<Record<string, readonly object[]>> => {
  const at = (number: number, kind: string) => `https://git.example/ada/tool/${kind}/${number}`;
  const line = { path: 'b.txt', position: 1, original_position: 0, commit_id: head, diff_hunk: '@@ -0,0 +1 @@\n+2' };
  return {
    '/labels': [
      { id: 1, name: 'bug', color: 'ff0000', description: 'Broken' },
      { id: 2, name: 'idea', color: '#00ff00', description: '' },
      { id: 3, name: 'later', color: '0000ff', description: '' },
    ],
    '/milestones': [
      { id: 11, title: 'First', description: 'x', state: 'closed', due_on: '2024-06-01T07:00:00Z', created_at: time },
      { id: 17, title: 'Second', state: 'open', due_on: null, created_at: time },
    ],
    '/releases': [
      {
        id: 1,
        tag_name: 'v1.0',
        name: 'One',
        body: 'Notes',
        author: user('ada'),
        published_at: time,
        created_at: time,
        assets: [{ name: 'app.zip', browser_download_url: 'https://files.example/app.zip' }],
      },
      { id: 2, tag_name: 'v2.0', draft: true, created_at: time },
    ],
    '/issues': [
      {
        number: 3,
        title: 'It breaks',
        body: 'Always',
        state: 'closed',
        is_locked: true,
        user: user('ada'),
        labels: [{ name: 'bug' }],
        milestone: { title: 'First' },
        closed_at: time,
        created_at: time,
        updated_at: time,
      },
    ],
    '/pulls': [
      {
        number: 7,
        title: 'Change two',
        body: 'Because',
        state: 'open',
        user: user('ada'),
        head: { ref: 'topic', sha: head, repo_id: 5, repo: { id: 5, owner: user('ada') } },
        base: { ref: 'main', sha: base },
        created_at: time,
        updated_at: time,
      },
      {
        number: 8,
        title: 'Old',
        state: 'closed',
        merged: true,
        merged_at: time,
        merge_commit_sha: base,
        user: user('ada'),
        head: { ref: 'gone', sha: head, repo_id: 5, repo: null },
        base: { ref: 'main', sha: base },
        created_at: time,
        updated_at: time,
      },
    ],
    '/issues/comments': [
      {
        id: 3,
        issue_url: at(3, 'issues'),
        pull_request_url: '',
        user: user('ada'),
        body: 'Seen too',
        created_at: time,
      },
      {
        id: 4,
        issue_url: '',
        pull_request_url: at(7, 'pulls'),
        user: user('bob'),
        body: 'Looks good',
        created_at: time,
      },
    ],
    '/pulls/7/reviews': [
      { id: 1, user: user('bob'), state: 'APPROVED', body: 'Fine', comments_count: 2, submitted_at: time },
      { id: 2, user: user('bob'), state: 'PENDING', body: 'Not said yet', comments_count: 0, submitted_at: time },
    ],
    '/pulls/7/reviews/1/comments': [
      { ...line, id: 20, user: user('ada'), body: 'Why?', created_at: time },
      { ...line, id: 21, user: user('bob'), body: 'Because', created_at: time },
    ],
    '/pulls/8/reviews': [],
  };
};
