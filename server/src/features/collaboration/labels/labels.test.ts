/** Labels of groups and projects: one store, two places. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { callsOf } from '../../../../test/calls.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { colorOf, textColorOn } from './colors.ts';
import { setPriority, subscribe } from './labels.queries.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let planner: BuiltToken;
let guest: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  [owner, planner, guest] = [await buildToken(app), await buildToken(app), await buildToken(app)];
});
afterAll(() => app.close());

const call = callsOf(() => app);
const names = async (path: string, query: object = {}, token = owner) =>
  (await call<Json[]>('GET', path, token, undefined, query)).body.map(({ name }) => name);

describe.each(['groups', 'projects'] as const)('labels of %s', (kind) => {
  const place = async (visibility: 'private' | 'public' = 'private') => {
    const group = await buildGroup(app, { owner: owner.user, visibility });
    await buildMember(app, { user: planner.user, of: group, level: Level.planner });
    await buildMember(app, { user: guest.user, of: group, level: Level.guest });
    const id = kind === 'groups' ? group.id : (await buildProject(app, { namespace: group, visibility })).id;
    return `/${kind}/${id}/labels`;
  };
  const bug = { name: 'bug', color: '#d9534f', description: 'Broken & <b>bad</b>' };

  it('are made, read by id and title, changed and removed', async () => {
    const path = await place();
    const made = await call('POST', path, planner, bug);
    expect(made).toMatchObject({
      status: 201,
      body: {
        ...bug,
        description_html: 'Broken &amp; &lt;b&gt;bad&lt;/b&gt;',
        text_color: '#FFFFFF',
        archived: false,
        subscribed: false,
        ...(kind === 'projects' ? { priority: null, is_project_label: true } : {}),
      },
    });
    expect('priority' in made.body).toBe(kind === 'projects');
    for (const key of [made.body.id, 'bug'])
      expect((await call('GET', `${path}/${key}`, guest)).body).toEqual(made.body);
    const changed = await call('PUT', `${path}/bug`, planner, { new_name: 'a defect', color: 'gold', archived: true });
    expect(changed).toMatchObject({ status: 200, body: { name: 'a defect', color: '#ffd700', archived: true } });
    expect((await call('GET', `${path}/${encodeURIComponent('a defect')}`, guest)).body.id).toBe(made.body.id);
    expect((await call('PUT', `${path}/${made.body.id}`, planner, {})).status).toBe(400);
    expect((await call('DELETE', `${path}/${made.body.id}`, planner)).status).toBe(204);
    const gone = { status: 404, body: { message: '404 Label Not Found' } };
    expect(await call('GET', `${path}/${made.body.id}`, planner)).toMatchObject(gone);
    expect(await call('DELETE', `${path}/${made.body.id}`, planner)).toMatchObject(gone);
    const events = await app.db
      .selectFrom('audit_events')
      .select('event')
      .where('target_type', '=', 'Label')
      .where('target_id', '=', Number(made.body.id))
      .orderBy('id')
      .execute();
    const noun = kind.slice(0, -1);
    expect(events.map(({ event }) => event)).toEqual(
      ['created', 'updated', 'destroyed'].map((word) => `${noun}_label_${word}`),
    );
  });

  it('are named by a parameter in the older form that clients send', async () => {
    const path = await place();
    const made = await call('POST', path, planner, bug);
    const saved = await call('PUT', path, planner, { name: 'bug', color: 'gold', new_name: '77' });
    expect(saved).toMatchObject({ status: 200, body: { id: made.body.id, name: '77', color: '#ffd700' } });
    expect(await call('PUT', path, planner, { label_id: made.body.id, description: null })).toMatchObject({
      status: 200,
      body: { name: '77', description: null },
    });
    expect(await call('PUT', path, planner, { color: 'red' })).toMatchObject({
      status: 400,
      body: { error: 'label_id, name are missing, exactly one parameter must be provided' },
    });
    expect((await call('PUT', path, planner, { name: '77' })).status).toBe(400);
    // A title that is the number of another label is that of this one.
    const number = String(made.body.id);
    const other = await call('POST', path, planner, { name: number, color: 'red' });
    expect(other.status).toBe(201);
    expect(await call('PUT', path, planner, { name: number, color: 'gold' })).toMatchObject({
      status: 200,
      body: { id: other.body.id },
    });
    expect((await call('DELETE', path, planner, undefined, { name: number })).status).toBe(204);
    expect(await names(path)).toEqual(['77']);
    expect((await call('PUT', path, planner, { name: 'none', color: 'red' })).status).toBe(404);
    expect((await call('PUT', path, guest, { name: '77', color: 'red' })).status).toBe(403);
    expect((await call('DELETE', path, guest, undefined, { name: '77' })).status).toBe(403);
    expect((await call('DELETE', path, planner)).status).toBe(400);
    expect((await call('DELETE', path, planner, undefined, { name: '77' })).status).toBe(204);
    expect((await call('DELETE', path, planner, undefined, { label_id: made.body.id })).status).toBe(404);
    expect(await names(path)).toEqual([]);
  });

  it('have one meaning each, and a colour that is one', async () => {
    const path = await place();
    await call('POST', path, planner, bug);
    expect(await call('POST', path, planner, bug)).toMatchObject({
      status: 409,
      body: { message: 'Label already exists' },
    });
    await call('POST', path, planner, { name: 'other', color: 'red' });
    expect((await call('PUT', `${path}/other`, planner, { new_name: 'bug' })).status).toBe(409);
    expect((await call('POST', path, planner, { name: 'x', color: 'colourless' })).body).toEqual({
      message: { color: ['must be a valid color code'] },
    });
    expect((await call('POST', path, planner, { name: 'a,b', color: 'red' })).body).toEqual({
      message: { title: ['is invalid'] },
    });
    expect((await call('POST', path, planner, { name: '  ', color: 'red' })).status).toBe(400);
    expect((await call('POST', path, planner, { name: 'x' })).body).toEqual({ error: 'color is missing' });
  });

  it('are listed by title, searched, archived ones apart, with counts where asked', async () => {
    const path = await place('public');
    for (const [name, description] of [
      ['Zebra', 'striped'],
      ['apple', 'round'],
      ['Mango', null],
    ])
      await call('POST', path, planner, { name, description, color: '#428BCA' });
    await call('PUT', `${path}/Mango`, planner, { archived: true });
    expect(await names(path)).toEqual(['apple', 'Mango', 'Zebra']);
    expect(await names(path, { search: 'STRIPE' })).toEqual(['Zebra']);
    expect(await names(path, { archived: true })).toEqual(['Mango']);
    expect(await names(path, { archived: false })).toEqual(['apple', 'Zebra']);
    const [counted] = (await call<Json[]>('GET', path, undefined, undefined, { with_counts: true })).body;
    expect(counted).toMatchObject({ open_issues_count: 0, closed_issues_count: 0, open_merge_requests_count: 0 });
  });

  it('are changed by planners and reporters, and subscribed to by who sees them', async () => {
    const path = await place('public');
    const made = await call('POST', path, planner, bug);
    for (const [token, status] of [
      [undefined, 401],
      [guest, 403],
    ] as const) {
      expect((await call('POST', path, token, { name: 'x', color: 'red' })).status).toBe(status);
      expect((await call('PUT', `${path}/bug`, token, { new_name: 'x' })).status).toBe(status);
      expect((await call('DELETE', `${path}/bug`, token)).status).toBe(status);
    }
    const one = `${path}/${made.body.id}`;
    expect((await call('POST', `${one}/subscribe`)).status).toBe(401);
    expect(await call('POST', `${one}/subscribe`, guest)).toMatchObject({ status: 201, body: { subscribed: true } });
    expect((await call('POST', `${one}/subscribe`, guest)).status).toBe(304);
    expect((await call('GET', one, planner)).body.subscribed).toBe(false);
    expect(await call('POST', `${one}/unsubscribe`, guest)).toMatchObject({ status: 201, body: { subscribed: false } });
    expect((await call('POST', `${one}/unsubscribe`, guest)).status).toBe(304);
    // Removed between the look at it and the change: nothing is kept, and nothing is a fault.
    expect(await subscribe(app.db, 999_999, guest.user.id)).toBe(false);
    await setPriority(app.db, 999_999, 1, 1);
    // Security 17: a label of another place is not here.
    const other = await call('POST', await place(), planner, bug);
    expect((await call('GET', `${path}/${other.body.id}`, owner)).status).toBe(404);
    const hidden = await place('private');
    expect((await call('GET', hidden)).status).toBe(404);
  });
});

describe('labels of a tree', () => {
  it('groups give theirs to what is below; each list says how far it reaches', async () => {
    const top = await buildGroup(app, { owner: owner.user });
    const group = await buildGroup(app, { parent: top });
    const project = await buildProject(app, { namespace: group });
    const at = {
      top: `/groups/${top.id}/labels`,
      group: `/groups/${group.id}/labels`,
      project: `/projects/${project.id}/labels`,
    };
    for (const [name, path] of Object.entries(at)) await call('POST', path, owner, { name, color: 'red' });
    expect(await names(at.group)).toEqual(['group', 'top']);
    expect(await names(at.group, { include_ancestor_groups: false })).toEqual(['group']);
    expect(await names(at.top, { include_descendant_groups: true })).toEqual(['group', 'top']);
    expect(await names(at.top, { include_descendant_groups: true, only_group_labels: false })).toEqual([
      'group',
      'project',
      'top',
    ]);
    expect(await names(at.project)).toEqual(['group', 'project', 'top']);
    expect(await names(at.project, { include_ancestor_groups: false })).toEqual(['project']);
    expect((await call('GET', `${at.project}/top`, owner)).body).toMatchObject({ is_project_label: false });
    expect((await call('POST', at.project, owner, { name: 'top', color: 'red' })).status).toBe(409);
    expect((await call('PUT', `${at.project}/top`, owner, { new_name: 'x' })).status).toBe(403);
    expect((await call('DELETE', `${at.project}/top`, owner)).status).toBe(403);
    const ranked = await call('PUT', `${at.project}/top`, owner, { priority: 3 });
    expect(ranked).toMatchObject({ status: 200, body: { name: 'top', priority: 3 } });
    expect((await call('PUT', `${at.project}/top`, owner, { priority: null })).body.priority).toBeNull();
  });

  it('security 17: names of what the caller may not see are not told by what is above it', async () => {
    const top = await buildGroup(app, { owner: owner.user, visibility: 'public' });
    const open = await buildGroup(app, { parent: top, visibility: 'public' });
    const hidden = await buildGroup(app, { parent: top, visibility: 'private' });
    const project = await buildProject(app, { namespace: open, visibility: 'private' });
    for (const [name, path] of [
      ['open', `/groups/${open.id}/labels`],
      ['hidden', `/groups/${hidden.id}/labels`],
      ['project', `/projects/${project.id}/labels`],
    ] as const)
      await call('POST', path, owner, { name, color: 'red' });
    const stranger = await buildToken(app);
    const all = { include_descendant_groups: true, only_group_labels: false };
    expect(await names(`/groups/${top.id}/labels`, all)).toEqual(['hidden', 'open', 'project']);
    const seen = await call<{ name: string }[]>('GET', `/groups/${top.id}/labels`, stranger, undefined, all);
    expect(seen.body.map(({ name }) => name)).toEqual(['open']);
    expect((await call('GET', `/groups/${top.id}/labels/hidden`, stranger, undefined, all)).status).toBe(404);
    // Who has a role in the hidden group sees its labels, and those of the groups above it.
    const member = await buildToken(app);
    await buildMember(app, { user: member.user, of: hidden, level: 20 });
    const shown = await call<{ name: string }[]>('GET', `/groups/${top.id}/labels`, member, undefined, all);
    expect(shown.body.map(({ name }) => name)).toEqual(['hidden', 'open']);
  });

  it('a project’s label becomes one of its group, and takes the others of its title in', async () => {
    const group = await buildGroup(app, { owner: owner.user });
    const [one, two] = [await buildProject(app, { namespace: group }), await buildProject(app, { namespace: group })];
    const label = { name: 'shared', color: 'teal', priority: 1 };
    const first = await call('POST', `/projects/${one.id}/labels`, owner, label);
    const second = await call('POST', `/projects/${two.id}/labels`, owner, { ...label, priority: 2 });
    const promoted = await call('PUT', `/projects/${one.id}/labels/shared/promote`, owner);
    expect(promoted).toMatchObject({ status: 200, body: { id: first.body.id, name: 'shared' } });
    expect(await names(`/groups/${group.id}/labels`)).toEqual(['shared']);
    expect((await call('GET', `/projects/${two.id}/labels/shared`, owner)).body).toMatchObject({
      id: first.body.id,
      priority: 2,
      is_project_label: false,
    });
    expect((await call('GET', `/projects/${two.id}/labels/${second.body.id}`, owner)).status).toBe(404);
    const own = await buildProject(app, { owner: owner.user });
    await call('POST', `/projects/${own.id}/labels`, owner, label);
    expect(await call('PUT', `/projects/${own.id}/labels/shared/promote`, owner)).toMatchObject({
      status: 400,
      body: { message: 'Failed to promote project label to group label' },
    });
  });
});

it('colours have names, and text that can be read on them', () => {
  expect(['#abcdef', '#abc', 'Red', 'no', '#abcd'].map(colorOf)).toEqual(['#abcdef', '#aabbcc', '#ff0000', null, null]);
  expect(['#ffffff', '#000000'].map(textColorOn)).toEqual(['#1F1E24', '#FFFFFF']);
});
