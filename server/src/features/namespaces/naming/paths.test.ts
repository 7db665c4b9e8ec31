/** How a path names a project or group: dots, case, unicode, and where it was before. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildProject,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { plansOf } from '../../../../test/plans.queries.ts';
import { buildRepositoryProject } from '../../../../test/repositories.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';
import { findFormer } from './redirects.queries.ts';

let app: TestApp;
let ann: BuiltToken;
let stranger: BuiltToken;
let admin: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  [ann, stranger] = [await buildToken(app), await buildToken(app)];
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

const escaped = encodeURIComponent;
const redirects = (value: boolean) =>
  app.api('POST', '/features/api_redirect_moved_projects', { token: admin.secret, json: { value } });
const get = (target: string, token?: BuiltToken) => app.api<{ id: number }>('GET', target, { token: token?.secret });

describe('[1/what-the-service-does/5] a path in place of an id', () => {
  let group: Namespace;
  let project: Project;
  beforeAll(async () => {
    const name = unique('Team.A_b-');
    group = await buildGroup(app, { owner: ann.user, path: name });
    project = await buildProject(app, { namespace: group, path: 'Tool.v1.2_x-y', visibility: 'private' });
  });

  it('is found whatever its case and however it is escaped; other spellings are nothing', async () => {
    const full = `${group.full_path}/${project.path}`;
    const same = [full, full.toLowerCase(), full.toUpperCase(), String(project.id)].map(escaped);
    same.push(escaped(full).replace('T', '%54').replaceAll('.', '%2E'));
    for (const spelling of same)
      expect([spelling, (await get(`/projects/${spelling}`, ann)).body.id]).toEqual([spelling, project.id]);
    for (const spelling of [group.full_path, group.full_path.toUpperCase(), String(group.id)].map(escaped))
      expect([spelling, (await get(`/groups/${spelling}`, ann)).body.id]).toEqual([spelling, group.id]);
    const none = [
      `${full}.git`,
      `${full}/`,
      `/${full}`,
      `${full} `,
      full.replace('/', '//'),
      full.replace('T', 'Т'),
      `${full}\0`,
      '../etc/passwd',
      'ünï/cødé',
      '\u212aelvin/x',
      '0',
      '-1',
      '99999999999999999999',
      `${project.id}.0`,
    ];
    for (const spelling of none) {
      const at = [spelling, 404];
      expect([spelling, (await get(`/projects/${escaped(spelling)}`, ann)).status]).toEqual(at);
      expect([spelling, (await get(`/groups/${escaped(spelling)}`, ann)).status]).toEqual(at);
    }
    expect((await get('/projects/%ff%fe', ann)).status).toBe(400);
  });

  it('a path that is all digits is an id, as a number in JSON is', async () => {
    const digits = await buildGroup(app, { owner: ann.user, path: '4711000' });
    expect((await get(`/groups/${digits.path}`, ann)).status).toBe(404);
    expect((await get(`/groups/${digits.id}`, ann)).body.id).toBe(digits.id);
  });
});

describe('[1/errors/24 Location, 301] after a project or group was renamed', () => {
  let group: Namespace;
  let below: Namespace;
  let project: { id: number };
  let was: string;
  beforeEach(async () => {
    await redirects(false);
    group = await buildGroup(app, { owner: ann.user });
    below = await buildGroup(app, { owner: ann.user, parent: group });
    project = await buildProject(app, { namespace: below, path: 'tool', visibility: 'private' });
    was = `${below.full_path}/tool`;
  });
  const rename = async (kind: 'projects' | 'groups', id: number, path: string) => {
    const answer = await app.api('PUT', `/${kind}/${id}`, { token: ann.secret, json: { path } });
    expect(answer.status).toBe(200);
  };

  it('the old path resolves, for reads and writes, also of what is below a renamed group', async () => {
    await rename('projects', project.id, 'tool2');
    await rename('groups', group.id, unique('moved'));
    expect((await get(`/projects/${escaped(was)}`, ann)).body.id).toBe(project.id);
    expect((await get(`/projects/${escaped(was.toUpperCase())}`, ann)).body.id).toBe(project.id);
    expect((await get(`/projects/${escaped(`${below.full_path}/tool2`)}`, ann)).body.id).toBe(project.id);
    expect((await get(`/groups/${escaped(group.full_path)}`, ann)).body.id).toBe(group.id);
    expect((await get(`/groups/${escaped(below.full_path)}`, ann)).body.id).toBe(below.id);
    const change = { token: ann.secret, json: { description: 'by its old path' } };
    expect(await app.api('PUT', `/projects/${escaped(was)}`, change)).toMatchObject({ status: 200, body: change.json });
  });

  it('what takes the old path has it, for good', async () => {
    await rename('projects', project.id, 'tool2');
    const next = await app.api<{ id: number }>('POST', '/projects', {
      token: ann.secret,
      json: { name: 'Next', path: 'tool', namespace_id: below.id },
    });
    expect((await get(`/projects/${escaped(was)}`, ann)).body.id).toBe(next.body.id);
    await app.api('DELETE', `/projects/${next.body.id}`, { token: ann.secret });
    expect((await get(`/projects/${escaped(was)}`, ann)).status).toBe(404);
    expect((await app.api('POST', `/projects/${next.body.id}/restore`, { token: ann.secret })).status).toBe(201);
    await rename('projects', project.id, 'tool3');
    expect((await get(`/projects/${escaped(was)}`, ann)).body.id).toBe(next.body.id);
    // A new group at the old path of another hides what was below that one.
    await rename('groups', group.id, unique('away'));
    await app.api('POST', '/groups', { token: ann.secret, json: { name: group.name, path: group.path } });
    expect((await get(`/projects/${escaped(`${below.full_path}/tool2`)}`, ann)).status).toBe(404);
    expect((await get(`/groups/${escaped(below.full_path)}`, ann)).status).toBe(404);
  });

  it('there and back again leaves one path; removal leaves none', async () => {
    await rename('projects', project.id, 'tool2');
    await rename('projects', project.id, 'tool');
    await redirects(true);
    expect((await get(`/projects/${escaped(was)}`, ann)).status).toBe(200);
    expect((await get(`/projects/${escaped(was.toUpperCase())}`, ann)).status).toBe(200);
    await redirects(false);
    await app.api('DELETE', `/projects/${project.id}`, { token: ann.secret });
    expect((await get(`/projects/${escaped(was)}`, ann)).status).toBe(404);
  });

  it('[1/errors/5] with the switch on, reads are sent to the id with their query and changes are refused', async () => {
    await rename('projects', project.id, 'tool2');
    await rename('groups', group.id, unique('moved'));
    await redirects(true);
    const old = escaped(was);
    const at = (target: string) => `${app.url}/api/v4${target}`;
    for (const [target, location] of [
      [`/projects/${old}`, `/projects/${project.id}`],
      [`/projects/${old}?statistics=true&x%5B%5D=a%2Fb`, `/projects/${project.id}?statistics=true&x%5B%5D=a%2Fb`],
      [`/projects/${old}/members/all?page=2`, `/projects/${project.id}/members/all?page=2`],
      [`/groups/${escaped(below.full_path)}/projects`, `/groups/${below.id}/projects`],
    ] as const) {
      const moved = await app.api('GET', target, { token: ann.secret });
      expect([moved.status, moved.headers.get('location')]).toEqual([301, at(location)]);
      expect(moved.body).toBe(`This resource has been moved permanently to ${at(location)}.`);
      const head = await app.api('HEAD', target, { token: ann.secret });
      expect([head.status, head.headers.get('location'), head.body]).toEqual([301, at(location), null]);
    }
    const followed = await fetch(at(`/projects/${old}`), { headers: { 'PRIVATE-TOKEN': ann.secret } });
    expect(await followed.json()).toMatchObject({ id: project.id, path: 'tool2' });
    for (const [method, target, noun] of [
      ['PUT', `/projects/${old}`, 'projects'],
      ['DELETE', `/projects/${old}`, 'projects'],
      ['DELETE', `/groups/${escaped(below.full_path)}`, 'groups'],
    ] as const) {
      const refused = await app.api(method, target, { token: ann.secret, json: {} });
      expect(refused).toMatchObject({
        status: 405,
        body: { message: `Non GET methods are not allowed for moved ${noun}` },
      });
      expect(refused.headers.get('allow')).toBe('GET, HEAD');
    }
    expect((await get(`/projects/${project.id}`, ann)).status).toBe(200);
  });

  it('security 17: nobody learns the id of what they may not see', async () => {
    await rename('projects', project.id, 'tool2');
    await redirects(true);
    for (const token of [stranger, undefined]) {
      const hidden = await get(`/projects/${escaped(was)}`, token);
      const absent = await get(`/projects/${escaped(`${was}-not`)}`, token);
      expect([hidden.status, hidden.body, hidden.headers.get('location')]).toEqual([404, absent.body, null]);
    }
  });

  it('a former path is one indexed read', async () => {
    const plans = await plansOf(app.database, (db) => findFormer(db, was, 'project'));
    expect(plans).toHaveLength(1);
    expect(plans[0]).toContain('path_redirects_path_key');
    expect(plans[0]).not.toContain('Seq Scan');
  });

  it('git follows the old path', async () => {
    const repository = await buildRepositoryProject(app, { owner: ann });
    const name = unique('renamed');
    await rename('projects', repository.id, name);
    const refs = await app.request('GET', `/${repository.fullPath}.git/info/refs?service=git-upload-pack`, {
      headers: { authorization: `Basic ${Buffer.from(`ann:${ann.secret}`).toString('base64')}` },
    });
    expect([refs.status, refs.headers.get('location')]).toEqual([
      301,
      expect.stringMatching(new RegExp(`/${name}\\.git/info/refs\\?service=git-upload-pack$`)),
    ]);
  });
});
