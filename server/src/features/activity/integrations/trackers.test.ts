/** Issue trackers and wikis elsewhere: links from texts, pages and merge requests. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildAdmin, buildGroup, buildToken } from '../../../../test/factories.ts';
import type { Namespace } from '../../../kernel/db/rows.ts';
import type { EffectiveIntegration } from './integrations.queries.ts';
import { trackerIn } from './trackers.ts';

type Json = Record<string, unknown>;
let world: World;
let group: Namespace;
let project: TestProject;
let path: string;
let place: string;
let admin: string;

beforeAll(async () => {
  world = await startWorld();
  group = await buildGroup(world.app, { owner: world.owner.user });
  project = await world.project({ namespace_id: group.id });
  place = `/projects/${project.id}`;
  path = String((await call('GET', place)).body.path_with_namespace);
  admin = (await buildToken(world.app, { user: await buildAdmin(world.app) })).secret;
  await project.commit(null, { files: { 'a.txt': 'a' } });
});
afterEach(async () => {
  await world.app.db.deleteFrom('integrations').execute();
});
afterAll(() => world.close());

const call = <T = Json>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', at: string, json?: object, token?: string) =>
  world.app.api<T>(method, at, { token: token ?? world.owner.token, ...(json ? { json } : {}) });
const put = (slug: string, json: object) => call('PUT', `${place}/integrations/${slug}`, json);
const html = async (text: string, token?: string) =>
  String((await call('POST', '/markdown', { text, gfm: true, project: path }, token)).body.html);
const hrefs = async (text: string) => [...(await html(text)).matchAll(/href="([^"]*)"/g)].map(([, href]) => href);
const urls = (host: string) => ({
  project_url: `https://${host}/all`,
  issues_url: `https://${host}/issues/:id`,
  new_issue_url: `https://${host}/new`,
});

const named: readonly [slug: string, more: object, words: readonly (readonly [word: string, id: string | null])[]][] = [
  [
    'redmine',
    {},
    [
      ['PROJ-12', '12'],
      ['#12', null],
      ['proj-12', null],
    ],
  ],
  [
    'custom-issue-tracker',
    {},
    [
      ['A_1-7', '7'],
      ['PROJ-12x', null],
    ],
  ],
  [
    'ewm',
    {},
    [
      ['Work Item 12', '12'],
      ['bug 7', '7'],
      ['PROJ-1', null],
    ],
  ],
  [
    'youtrack',
    {},
    [
      ['gl-030', 'gl-030'],
      ['#1', null],
    ],
  ],
  [
    'clickup',
    {},
    [
      ['#8a1b', '8a1b'],
      ['CU-9z', '9z'],
      ['API_1-12', 'API_1-12'],
      ['x-1', null],
    ],
  ],
  [
    'phorge',
    {},
    [
      ['T12', '12'],
      ['t12', null],
    ],
  ],
  [
    'jira',
    { project_keys: ['OK'] },
    [
      ['OK-1', 'OK-1'],
      ['NO-1', null],
      ['OK1', null],
    ],
  ],
  [
    'jira',
    { jira_issue_regex: '[a-z]+-[0-9]+' },
    [
      ['ok-1', 'ok-1'],
      ['OK-1', null],
    ],
  ],
];
it.each(named)('%s names its issues', (slug, more, words) => {
  const url = 'https://x.example';
  const properties = { project_url: url, issues_url: `${url}/:id`, url, ...more };
  const all = [{ inherited: false, row: { slug, active: true, project_id: 1, namespace_id: null, properties } }];
  const tracker = trackerIn(all as unknown as EffectiveIntegration[], [], { issues_access_level: 'enabled' });
  for (const [word, id] of words) expect(tracker?.issueNamed(word)?.id ?? null).toBe(id);
});

it('words that name an issue of the tracker become links, other words do not', async () => {
  const text = 'PROJ-12, `PROJ-1`, xPROJ-2 https://a.example/PROJ-3 and UTF-8';
  expect(await hrefs('PROJ-12')).toEqual([]);
  expect((await put('redmine', urls('r.example'))).status).toBe(200);
  expect(await hrefs(text)).toEqual([
    'https://r.example/issues/12',
    'https://a.example/PROJ-3',
    'https://r.example/issues/8',
  ]);
  expect(await html('PROJ-12')).toBe(
    '<p><a href="https://r.example/issues/12" rel="nofollow noopener noreferrer" title="Issue in Redmine" class="gfm gfm-external_issue" data-reference-type="external_issue">PROJ-12</a></p>\n',
  );
  await put('redmine', { active: false });
  expect(await hrefs('PROJ-12')).toEqual([]);
});

it('`#12` is an issue of the tracker where the project has no issues of its own', async () => {
  await put('bugzilla', urls('b.example'));
  const { body: own } = await call('POST', `${place}/issues`, { title: 'Own' });
  const text = `#${own.iid} and #4711`;
  expect(await hrefs(text)).toEqual([own.web_url]);
  await call('PUT', place, { issues_access_level: 'disabled' });
  expect(await hrefs(text)).toEqual([`https://b.example/issues/${own.iid}`, 'https://b.example/issues/4711']);
  await call('PUT', place, { issues_access_level: 'enabled' });
});

it('addresses lead nowhere but to the web, and end no attribute', async () => {
  for (const issues_url of ['javascript:alert(1)//:id', 'data:text/html,:id', '/relative/:id'])
    expect((await put('redmine', { ...urls('r.example'), issues_url })).status).toBe(400);
  await put('redmine', { ...urls('r.example'), issues_url: 'https://r.example/"><script>:id' });
  const shown = await html('PROJ-12');
  expect(shown).not.toContain('<script>');
  expect(shown).toContain('&quot;&gt;&lt;script&gt;12');
  // A browser may follow what the instance itself must not reach.
  expect((await put('redmine', urls('127.0.0.1'))).status).toBe(200);
  expect((await call('POST', `${place}/integrations/redmine/test`)).status).toBe(422);
});

it('a project has one tracker of its own; of those above the nearest counts', async () => {
  const shown = async () => (await call('GET', place)).body.external_issue_tracker;
  await call('PUT', '/admin/integrations/bugzilla', urls('all.example'), admin);
  expect(await shown()).toMatchObject({ title: 'Bugzilla', project_url: 'https://all.example/all' });
  await call('PUT', `/groups/${group.id}/integrations/redmine`, urls('group.example'));
  expect(await shown()).toEqual({
    title: 'Redmine',
    project_url: 'https://group.example/all',
    new_issue_url: 'https://group.example/new',
  });
  expect(await hrefs('PROJ-1')).toEqual(['https://group.example/issues/1']);
  const second = await put('youtrack', urls('y.example'));
  expect(second).toMatchObject({
    status: 400,
    body: { message: { base: [expect.stringContaining('Another issue')] } },
  });
  await put('redmine', { ...urls('own.example') });
  for (const slug of ['redmine', 'bugzilla']) await put(slug, { ...urls('x.example'), active: false });
  expect(await shown()).toBeNull();
  expect((await put('youtrack', urls('y.example'))).status).toBe(200);
  expect(await shown()).toMatchObject({ title: 'YouTrack', new_issue_url: null });
});

it('an external wiki is told with the project', async () => {
  expect((await call('GET', place)).body).toMatchObject({ external_wiki_url: null, external_issue_tracker: null });
  await put('external-wiki', { external_wiki_url: 'https://w.example/home' });
  expect((await call('GET', place)).body.external_wiki_url).toBe('https://w.example/home');
  await call('DELETE', `${place}/integrations/external-wiki`);
  expect((await call('GET', place)).body.external_wiki_url).toBeNull();
});

it('Jira issues that a merge request closes are listed after those of the project', async () => {
  const { body: own } = await call('POST', `${place}/issues`, { title: 'Own' });
  await project.commit(null, { branch: 'topic', message: 'Fixes PROJ-8', files: { 'b.txt': 'b' } });
  const description = `Closes #${own.iid}, PROJ-7 and PROJ-8. See PROJ-9`;
  const json = { source_branch: 'topic', target_branch: 'main', title: 'A change', description };
  const { body: request } = await call('POST', `${place}/merge_requests`, json);
  await world.app.delivery.drain();
  const closed = async () =>
    (await call<Json[]>('GET', `${place}/merge_requests/${request.iid}/closes_issues`)).body.map(({ id }) => id);
  expect(await closed()).toEqual([own.id]);
  await put('jira', { url: 'https://jira.example', password: 'x' });
  expect(await closed()).toEqual([own.id, 'PROJ-7', 'PROJ-8']);
  const [, second] = (await call<Json[]>('GET', `${place}/merge_requests/${request.iid}/closes_issues`)).body;
  expect(second).toEqual({ id: 'PROJ-7', title: 'External Issue PROJ-7' });
  expect(await hrefs('PROJ-7')).toEqual(['https://jira.example/browse/PROJ-7']);
  // Nobody closes issues of other trackers.
  await put('jira', { active: false });
  await put('redmine', urls('r.example'));
  expect(await closed()).toEqual([own.id]);
});
