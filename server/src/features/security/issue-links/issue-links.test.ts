/** Links between vulnerabilities and issues over HTTP, as both sides see them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { buildVulnerability } from '../../../../test/vulnerabilities.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown> & { readonly id: number; readonly iid: number };

let app: TestApp;
let owner: BuiltToken;
let developer: BuiltToken;
let reporter: BuiltToken;
let project: Project;
let other: Project;
const call = callsOf(() => app);

beforeAll(async () => {
  app = await startTestApp();
  [owner, developer, reporter] = [await buildToken(app), await buildToken(app), await buildToken(app)];
  const group = await buildGroup(app, { owner: owner.user });
  project = await buildProject(app, { namespace: group, visibility: 'public' });
  other = await buildProject(app, { namespace: group, visibility: 'private' });
  await buildMember(app, { user: developer.user, of: project, level: Level.developer });
  await buildMember(app, { user: reporter.user, of: project, level: Level.reporter });
});
afterAll(() => app.close());

async function vulnerable(title: string) {
  const id = await buildVulnerability(app, project.id, title);
  return { id, links: `/vulnerabilities/${id}/issue_links` };
}
const issueIn = async (where: Project, title: string, more: object = {}, by = owner) =>
  (await call<Json>('POST', `/projects/${where.id}/issues`, by, { title, ...more })).body;
const listed = async (links: string, by: BuiltToken) =>
  (await call<Json[]>('GET', links, by)).body.map(({ title }) => title);
const related = async (iid: number, by?: BuiltToken, where = project) =>
  (await call<Json[]>('GET', `/projects/${where.id}/issues/${iid}/related_vulnerabilities`, by)).body.map(
    ({ title }) => title,
  );

it('developers link issues to a vulnerability, and one that was created from it', async () => {
  const { id, links } = await vulnerable('Injection');
  const [about, made] = [await issueIn(project, 'About it'), await issueIn(project, 'Made of it')];
  const answer = await call<Json>('POST', links, developer, { target_issue_iid: about.iid });
  expect([answer.status, answer.body]).toEqual([
    201,
    {
      id: expect.any(Number),
      vulnerability: expect.objectContaining({ id, title: 'Injection', finding: null }),
      issue: expect.objectContaining({ id: about.id, iid: about.iid, title: 'About it', web_url: about.web_url }),
      link_type: 'related',
    },
  ]);
  const created = { target_issue_iid: made.iid, target_project_id: String(project.id), link_type: 'created' };
  expect((await call('POST', links, developer, created)).body).toMatchObject({ link_type: 'created' });
  const { body, headers } = await app.api<Json[]>('GET', links, { token: developer.secret });
  expect(body).toMatchObject([
    { id: about.id, title: 'About it', vulnerability_link_id: answer.body.id, vulnerability_link_type: 'related' },
    { id: made.id, title: 'Made of it', vulnerability_link_type: 'created' },
  ]);
  expect(headers.get('x-total')).toBe('2');
  expect((await call('POST', links, developer, { target_issue_iid: about.iid })).body).toEqual({
    message: 'Issue has already been linked to another vulnerability',
  });
  const third = await issueIn(project, 'Also made of it');
  const twice = await call('POST', links, developer, { ...created, target_issue_iid: third.iid });
  expect([twice.status, twice.body]).toEqual([422, { message: 'Vulnerability already has a "created" issue link' }]);
  expect((await call('POST', links, developer, { target_issue_iid: 999 })).status).toBe(404);
  expect((await call('POST', links, developer, { target_issue_iid: third.iid, link_type: 'blocks' })).status).toBe(400);
  expect(await related(about.iid, developer)).toEqual(['Injection']);

  const removed = await call('DELETE', `${links}/${answer.body.id}`, developer);
  expect([removed.status, removed.body]).toEqual([200, answer.body]);
  expect((await call('DELETE', `${links}/${answer.body.id}`, developer)).status).toBe(404);
  expect(await listed(links, developer)).toEqual(['Made of it']);
  const left = await app.db
    .selectFrom('audit_events')
    .select(['event', 'details'])
    .where('target_type', '=', 'Vulnerability')
    .where('target_id', '=', id)
    .orderBy('id')
    .execute();
  expect(left).toMatchObject([
    { event: 'vulnerability_issue_linked', details: { issue_id: about.id } },
    { event: 'vulnerability_issue_linked', details: { issue_id: made.id } },
    { event: 'vulnerability_issue_unlinked', details: { issue_id: about.id } },
  ]);
});

it('each side shows only what the caller may see [security]', async () => {
  const { links } = await vulnerable('Seen by few');
  const shown = await issueIn(project, 'Shown');
  const confidential = await issueIn(project, 'Confidential', { confidential: true });
  const elsewhere = await issueIn(other, 'Elsewhere');
  const there = { target_project_id: String(other.id), target_issue_iid: elsewhere.iid };
  const ids: number[] = [];
  for (const target of [{ target_issue_iid: shown.iid }, { target_issue_iid: confidential.iid }, there]) {
    const made = await call<Json>('POST', links, owner, target);
    expect(made.status).toBe(201);
    ids.push(made.body.id);
  }
  expect(await listed(links, owner)).toEqual(['Shown', 'Confidential', 'Elsewhere']);
  // No member of the other project: its issue is neither listed, nor linked, nor told when its link is removed.
  expect(await listed(links, developer)).toEqual(['Shown', 'Confidential']);
  expect((await call('DELETE', `${links}/${ids[2]}`, developer)).status).toBe(404);
  expect((await call('POST', (await vulnerable('Next')).links, developer, there)).status).toBe(404);
  for (const [by, status] of [
    [reporter, 403],
    [await buildToken(app), 403],
    [undefined, 401],
  ] as const) {
    expect((await call('GET', links, by)).status).toBe(status);
    expect((await call('POST', links, by, { target_issue_iid: shown.iid })).status).toBe(status);
    expect((await call('DELETE', `${links}/${ids[0]}`, by)).status).toBe(status);
  }
  // Everybody reads the issue, and developers alone what it is linked to.
  expect([await related(shown.iid, developer), await related(shown.iid, reporter)]).toEqual([['Seen by few'], []]);
  expect(await related(shown.iid)).toEqual([]);
  expect(await related(elsewhere.iid, owner, other)).toEqual(['Seen by few']);
  const hidden = `/projects/${project.id}/issues/${confidential.iid}/related_vulnerabilities`;
  expect((await call('GET', hidden)).status).toBe(404);
});

it('links follow an issue that is moved, and go with it', async () => {
  const { links } = await vulnerable('Moved about');
  const issue = await issueIn(project, 'On its way');
  await call('POST', links, owner, { target_issue_iid: issue.iid, link_type: 'created' });
  const at = `/projects/${project.id}/issues/${issue.iid}`;
  const moved = (await call<Json>('POST', `${at}/move`, owner, { to_project_id: other.id })).body;
  const { body } = await call<Json[]>('GET', links, owner);
  expect(body).toMatchObject([{ id: moved.id, project_id: other.id, vulnerability_link_type: 'created' }]);
  expect((await call('DELETE', `/projects/${other.id}/issues/${moved.iid}`, owner)).status).toBe(204);
  expect(await listed(links, owner)).toEqual([]);
});
