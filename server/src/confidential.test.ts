/** What is confidential, internal or of other projects, asked for on every route that reads, by everybody who may not see it. Slow, sampled: every such route, four times. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../test/app.ts';
import { type BuiltToken, buildAdmin, buildGroup, buildMember, buildToken, unique } from '../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../test/repositories.ts';
import { severalAtOnce } from '../test/sampling.ts';
import { Level } from './kernel/authz/levels.ts';
import type { Route } from './kernel/http/route.ts';

/** Words that stand nowhere else: what holds them shows the thing. */
const secrets = {
  issue: ['hushtitle', 'hushtext', 'hushcomment'],
  internal: ['hushinternal'],
  epic: ['hushepic'],
  elsewhere: ['hushelsewhere'],
} as const;
const all = Object.values(secrets).flat();

let app: TestApp;
let project: RepositoryProject;
let group: Awaited<ReturnType<typeof buildGroup>>;
let admin: BuiltToken;
let people: Readonly<Record<'stranger' | 'guest' | 'assignee' | 'reporter', BuiltToken>>;
/** Values of parameters of paths, by their name. */
let known: Readonly<Record<string, readonly (string | number)[]>>;
let confidential: number;

const expected = async <T = Json>(method: 'POST' | 'PUT', path: string, json: Json, by: BuiltToken): Promise<T> => {
  const answer = await app.api<T>(method, path, { token: by.secret, json });
  if (answer.status > 299) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
};

beforeAll(async () => {
  app = await startTestApp({ background: true });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  const owner = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user, visibility: 'public' });
  project = await buildRepositoryProject(app, {
    owner,
    visibility: 'public',
    settings: { namespace_id: group.id, name: unique('open') },
  });
  const row = await project.row();
  const member = async (level: Level) => {
    const made = await buildToken(app);
    await buildMember(app, { of: row, user: made.user, level });
    return made;
  };
  const [guest, assignee] = [await member(Level.guest), await member(Level.guest)];
  const reporter = await buildToken(app);
  await buildMember(app, { of: group, user: reporter.user, level: Level.reporter });
  people = { stranger: await buildToken(app), guest, assignee, reporter };
  const post = <T = Json>(path: string, json: Json) => expected<T>('POST', path, json, owner);
  const base = `/projects/${project.id}`;
  const names = Object.values(people)
    .map(({ user }) => `@${user.username}`)
    .join(' ');

  const milestone = await post(`${base}/milestones`, { title: 'm1' });
  const ofGroup = await post(`/groups/${group.id}/milestones`, { title: 'm2' });
  const label = await post(`${base}/labels`, { name: 'plan', color: '#ff0000' });
  const epic = await post(`/groups/${group.id}/epics`, { title: 'Open epic' });
  const secretEpic = await post(`/groups/${group.id}/epics`, {
    ...{ title: 'hushepic', description: `${names} hushepic`, confidential: true, parent_id: epic.id },
  });
  const open = await post(`${base}/issues`, {
    title: 'Open',
    labels: 'plan',
    epic_id: epic.id,
    milestone_id: milestone.id,
  });
  const secret = await post(`${base}/issues`, {
    ...{
      title: 'hushtitle',
      description: `hushtext ${names} about #${open.iid}\n\n- [ ] hushtext`,
      confidential: true,
    },
    ...{ labels: 'plan', milestone_id: milestone.id, epic_id: epic.id, assignee_ids: [assignee.user.id], weight: 3 },
    due_date: '2031-01-01',
  });
  confidential = Number(secret.iid);
  const grouped = await post(`${base}/issues`, {
    ...{ title: 'hushtitle of the group', confidential: true, milestone_id: ofGroup.id },
    assignee_ids: [assignee.user.id],
  });
  const comment = await post<{ id: number }>(`${base}/issues/${secret.iid}/notes`, { body: `hushcomment ${names}` });
  const threads = await app.api<{ id: string }[]>('GET', `${base}/issues/${secret.iid}/discussions`, {
    token: owner.secret,
  });
  const internal = await post<{ id: number }>(`${base}/issues/${open.iid}/notes`, {
    ...{ body: `hushinternal ${names}`, internal: true },
  });
  const openThreads = await app.api<{ id: string }[]>('GET', `${base}/issues/${open.iid}/discussions`, {
    token: owner.secret,
  });
  await post(`${base}/issues/${open.iid}/links`, {
    target_project_id: String(project.id),
    target_issue_iid: secret.iid,
  });
  await post(`${base}/issues/${secret.iid}/award_emoji`, { name: 'tada' });
  await project.commit('topic', { 'a.txt': 'a' }, { start_branch: 'main' });
  const request = await post(`${base}/merge_requests`, {
    ...{ source_branch: 'topic', target_branch: 'main', title: 'A change', description: `Closes #${secret.iid}` },
  });
  const board = await post(`${base}/boards`, { name: 'b' });
  const list = await post(`${base}/boards/${board.id}/lists`, { label_id: label.id });
  const groupBoard = await post(`/groups/${group.id}/boards`, { name: 'g' });
  const closed = await post(`${base}/issues`, { title: 'hushtitle closed', confidential: true });
  await expected('PUT', `${base}/issues/${closed.iid}`, { state_event: 'close' }, owner);
  await expected('PUT', `${base}/issues/${secret.iid}`, { title: 'hushtitle changed' }, owner);
  // An issue of a project that nobody else sees names the open one.
  const elsewhere = await buildRepositoryProject(app, { owner, settings: { name: unique('hushelsewhere') } });
  await post(`/projects/${elsewhere.id}/issues`, {
    ...{ title: 'hushelsewhere', description: `${project.fullPath}#${open.iid} ${names}` },
  });
  await app.delivery.drain();
  const notes = await app.api<{ id: number }[]>('GET', `${base}/issues/${open.iid}/notes`, { token: owner.secret });
  const ids = (values: readonly Json[]) => values.map(({ id }) => Number(id));
  known = {
    issue_iid: [Number(open.iid), Number(secret.iid)],
    issue_id: ids([open, secret, grouped]),
    merge_request_iid: [Number(request.iid)],
    milestone_id: ids([milestone, ofGroup]),
    epic_iid: [Number(epic.iid), Number(secretEpic.iid)],
    epic_id: ids([epic, secretEpic]),
    label_id: [Number(label.id)],
    name: ['plan'],
    board_id: ids([board, groupBoard]),
    list_id: ids([list]),
    note_id: [comment.id, internal.id, ...notes.body.map(({ id }) => id)].slice(0, 6),
    discussion_id: [...threads.body, ...openThreads.body].map(({ id }) => id).slice(0, 4),
    user_id: [owner.user.id, assignee.user.id],
    username: [owner.user.username],
    sha: ['main'],
    branch: ['main', 'topic'],
  };
});
afterAll(() => app.close());

/** Parameters without which a route answers nothing. */
const asked: Readonly<Record<string, readonly Json[]>> = {
  '/search': ['issues', 'notes', 'epics', 'milestones', 'projects'].map((scope) => ({ scope, search: 'hush' })),
};
const queries = (path: string): readonly Json[] => {
  if (path.endsWith('/search')) return asked['/search'] ?? [];
  if (path.endsWith('/issues')) return [{ scope: 'all' }, { scope: 'all', search: 'hush', with_labels_details: true }];
  return [{}];
};

/** The addresses that a route has here: of each parameter the values that there are. */
function addresses({ path, access }: Route): string[] {
  const parent = access.on === 'project' || access.on === 'group' ? (access.param ?? 'id') : null;
  let found = [path.replace(/\*$/, 'README.md')];
  for (const [whole, name = ''] of path.matchAll(/:([a-z_]+)/g)) {
    const values =
      name === parent
        ? [access.on === 'group' ? group.id : project.id]
        : name === 'id'
          ? path.startsWith('/users')
            ? (known.user_id ?? [])
            : [...(known.issue_id ?? []), 1]
          : (known[name] ?? [1]);
    found = found.flatMap((each) => values.map((value) => each.replace(whole, encodeURIComponent(String(value)))));
  }
  return found;
}

const feeds = () => {
  const paths = [`/${project.fullPath}`, `/${group.full_path}`, `/${project.fullPath}/-/issues`, '/dashboard/issues'];
  return [...paths.map((path) => `${path}.atom`), `/groups/${group.full_path}/-/issues.atom`];
};

/** Every answer that has one of the words, for somebody or nobody. */
async function shown(who: BuiltToken | null, words: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  const look = (address: string, { status, body, headers }: { status: number; body: unknown; headers: Headers }) => {
    const text = `${JSON.stringify(body)} ${JSON.stringify([...headers])}`;
    for (const word of words) if (text.includes(word)) found.push(`${address} (${status}): ${word}`);
    if (status >= 500) found.push(`${address}: ${status}`);
  };
  const routes = app.routes.filter(({ method }) => method === 'GET');
  const targets = routes.flatMap((route) =>
    addresses(route).flatMap((address) => queries(route.path).map((query) => ({ address, query }))),
  );
  await severalAtOnce(targets, async ({ address, query }) =>
    look(address, await app.api('GET', address, { token: who?.secret, query })),
  );
  for (const feed of feeds()) look(feed, await app.request('GET', feed, { token: who?.secret }));
  const text = `#${confidential}+ &2 &2+ [x](#${confidential})`;
  const gfm = { text, gfm: true, project: project.fullPath };
  look('/markdown', await app.api('POST', '/markdown', { token: who?.secret, json: gfm }));
  return found;
}

describe('what is confidential', () => {
  it('is shown to administrators on the routes that have it: the words are looked for in the right places', async () => {
    const found = (await shown(admin, all)).join('\n');
    const base = `/projects/${project.id}`;
    for (const address of [
      ...[`${base}/issues`, `${base}/issues/${confidential}`, `${base}/issues/${confidential}/notes`, `${base}/search`],
      ...[`${base}/events`, `/groups/${group.id}/issues`, `/groups/${group.id}/epics`, `/groups/${group.id}/search`],
      ...[`${base}/milestones/${known.milestone_id?.[0]}/issues`, `${base}/issues/${known.issue_iid?.[0]}/links`],
      ...[`/groups/${group.id}/epics/1/issues`, `${base}/merge_requests/1/closes_issues`, '/search', '/markdown'],
    ])
      expect(found).toContain(`${address} (`);
    for (const word of all) expect(found).toContain(`: ${word}`);
  });

  it.each([
    ['nobody', null, all],
    ['somebody without a role', 'stranger', all],
    ['a guest', 'guest', all],
    ['a guest who is to do the issue', 'assignee', [...secrets.internal, ...secrets.epic, ...secrets.elsewhere]],
    ['a reporter of the group', 'reporter', secrets.elsewhere],
  ] as const)('is not shown to %s, on any route', async (_name, who, words) => {
    expect(await shown(who === null ? null : people[who], words)).toEqual([]);
  });

  it('is shown to who is to do it', async () => {
    const found = (await shown(people.assignee, secrets.issue)).join('\n');
    for (const address of [`/projects/${project.id}/issues`, '/issues', '/todos'])
      expect(found).toContain(`${address} (`);
  });
});
