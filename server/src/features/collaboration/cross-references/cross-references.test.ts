/** Notes about where something was referred to: written once, read by exactly those who see the place. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface Numbered {
  readonly id: number;
  readonly iid: number;
  readonly web_url: string;
}
interface Note {
  readonly body: string;
  readonly system: boolean;
}
let app: TestApp;
let owner: BuiltToken;
let project: RepositoryProject;
let base: string;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  project = await buildRepositoryProject(app, { owner, settings: { visibility: 'public' } });
  base = `/projects/${(await project.row()).id}`;
});
afterAll(() => app.close());

const call = async <T = Numbered>(method: 'GET' | 'POST' | 'PUT', path: string, json?: Json, by = owner) => {
  const answer = await app.api<T>(method, path, { token: by.secret, ...(json ? { json } : {}) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};
const issue = (json: Json = {}, at = base, by = owner) =>
  call('POST', `${at}/issues`, { title: 'An issue', ...json }, by);
const mentions = async (path: string, by: BuiltToken | null = owner) => {
  const answer = await app.api<Note[]>('GET', `${path}/notes?per_page=100&sort=asc`, by ? { token: by.secret } : {});
  return answer.body.filter(({ system, body }) => system && body.startsWith('mentioned')).map(({ body }) => body);
};
const told = (path: string, text: string, by = owner) =>
  eventually(`${text} under ${path}`, async () => (await mentions(path, by)).includes(text));
const request = async (branch: string, message: string, description: string) => {
  await project.commit(branch, { [branch]: 'x' }, { start_branch: 'main', commit_message: message });
  return call('POST', `${base}/merge_requests`, {
    ...{ source_branch: branch, target_branch: 'main', title: 'A change', description },
  });
};

describe('references', () => {
  it('leave one note under the commits and snippets that a text names, for those who see the text', async () => {
    const sha = await project.commit('main', { 'named.txt': 'x' }, { commit_message: 'To be named' });
    const files = [{ file_path: 'a.txt', content: 'a' }];
    const snippet = await call('POST', `${base}/snippets`, { title: 'A snippet', visibility: 'public', files });
    const from = await issue({ description: `See ${sha.slice(0, 10)}, ${sha}, $${snippet.id} and 0123abcdef` });
    const hidden = await issue({ confidential: true, description: `See ${sha}` });
    await told(`${base}/snippets/${snippet.id}`, `mentioned in issue #${from.iid}`);
    const underCommit = async (by: BuiltToken | null) => {
      const path = `${base}/repository/commits/${sha}/discussions`;
      const { body } = await app.api<{ notes: Note[] }[]>('GET', path, by ? { token: by.secret } : {});
      return body.flatMap(({ notes }) => notes.filter(({ system }) => system).map((note) => note.body)).sort();
    };
    const both = [`mentioned in issue #${from.iid}`, `mentioned in issue #${hidden.iid}`].sort();
    await eventually('both notes', async () => (await underCommit(owner)).length === both.length);
    expect(await underCommit(owner)).toEqual(both);
    expect(await underCommit(null)).toEqual([`mentioned in issue #${from.iid}`]);
  });

  it('of descriptions, comments, merge requests and commits leave one note each', async () => {
    const target = await issue();
    const from = await issue({ description: `See #${target.iid}, #${target.iid} and \`#${target.iid}\`` });
    const path = `${base}/issues/${target.iid}`;
    await told(path, `mentioned in issue #${from.iid}`);
    await call('PUT', `${base}/issues/${from.iid}`, { description: `Still #${target.iid}, and itself: #${from.iid}` });
    const other = await issue();
    await call('POST', `${base}/issues/${other.iid}/notes`, { body: `As in ${target.web_url}` });
    await told(path, `mentioned in issue #${other.iid}`);
    const made = await request('topic', `Work on #${target.iid}`, `For #${target.iid}`);
    await told(path, `mentioned in merge request !${made.iid}`);
    const { id: sha } = await call<{ id: string }>('GET', `${base}/repository/commits/topic`);
    await told(path, `mentioned in commit ${sha}`);
    await call('POST', `${base}/issues/${target.iid}/notes`, { body: `Now !${made.iid}` });
    await told(`${base}/merge_requests/${made.iid}`, `mentioned in issue #${target.iid}`);
    expect((await mentions(path)).toSorted()).toEqual(
      [
        `mentioned in commit ${sha}`,
        `mentioned in issue #${from.iid}`,
        `mentioned in issue #${other.iid}`,
        `mentioned in merge request !${made.iid}`,
      ].toSorted(),
    );
    expect(await mentions(`${base}/issues/${from.iid}`)).toEqual([]);
    const related = await call<Numbered[]>('GET', `${path}/related_merge_requests`);
    expect(related.map(({ id }) => id)).toEqual([made.id]);
  });

  it('of epics lead both ways', async () => {
    const group = await buildGroup(app, { owner: owner.user });
    const inner = await buildProject(app, { namespace: group });
    const at = `/projects/${inner.id}`;
    const epic = await call('POST', `/groups/${group.id}/epics`, { title: 'An epic' });
    const made = await issue({ description: `Part of &${epic.iid}` }, at);
    await told(
      `/groups/${group.id}/epics/${epic.id}`,
      `mentioned in issue ${group.full_path}/${inner.path}#${made.iid}`,
    );
    await call('PUT', `/groups/${group.id}/epics/${epic.iid}`, { description: `${inner.path}#${made.iid}` });
    await told(`${at}/issues/${made.iid}`, `mentioned in epic ${group.full_path}&${epic.iid}`);
  });

  it('are read by those alone who see where they are made, also after a move', async () => {
    const reader = await buildToken(app);
    const hidden = await buildProject(app, { owner: owner.user, visibility: 'private' });
    const target = await issue();
    const path = `${base}/issues/${target.iid}`;
    const secret = await issue({ description: `#${target.iid}`, confidential: true });
    const far = await issue({ description: `${project.fullPath}#${target.iid}` }, `/projects/${hidden.id}`);
    const farText = `mentioned in issue ${owner.user.username}/${hidden.path}#${far.iid}`;
    await told(path, `mentioned in issue #${secret.iid}`);
    await told(path, farText);
    for (const by of [reader, null]) expect(await mentions(path, by)).toEqual([]);
    const threads = await call<object[]>('GET', `${path}/discussions`, undefined, reader);
    expect(threads).toEqual([]);
    await call('PUT', `${base}/issues/${secret.iid}`, { confidential: false });
    expect(await mentions(path, reader)).toEqual([`mentioned in issue #${secret.iid}`]);
    await buildMember(app, { of: hidden, user: reader.user, level: Level.guest });
    expect(await mentions(path, reader)).toContain(farText);
    const open = await buildProject(app, { owner: owner.user, visibility: 'public' });
    const moved = await call('POST', `${path}/move`, { to_project_id: open.id });
    const there = `/projects/${open.id}/issues/${moved.iid}`;
    const near = `mentioned in issue ${hidden.path}#${far.iid}`;
    expect(await mentions(there, reader)).toContain(near);
    expect(await mentions(there, null)).not.toContain(near);
  });

  it('nobody is told of by those who do not see it, nor by internal comments', async () => {
    const stranger = await buildToken(app);
    const secret = await issue({ confidential: true });
    const target = await issue();
    const from = await issue({ description: `#${secret.iid} #${target.iid}` }, base, stranger);
    const other = await issue();
    await call('POST', `${base}/issues/${other.iid}/notes`, { body: `#${target.iid}`, internal: true });
    const last = await issue({ description: `#${target.iid}` });
    await told(`${base}/issues/${target.iid}`, `mentioned in issue #${last.iid}`);
    expect(await mentions(`${base}/issues/${secret.iid}`)).toEqual([]);
    expect(await mentions(`${base}/issues/${target.iid}`)).toEqual([
      `mentioned in issue #${from.iid}`,
      `mentioned in issue #${last.iid}`,
    ]);
  });
});
