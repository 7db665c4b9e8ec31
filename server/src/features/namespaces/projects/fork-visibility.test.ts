/** No fork is more open than its source: however it came to be one, and however either of them changes. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildProject, buildToken } from '../../../../test/factories.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

let app: TestApp;
let ann: BuiltToken;
let bob: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  ann = await buildToken(app);
  bob = await buildToken(app);
});
afterAll(() => app.close());

type Visibility = Project['visibility'];
const refusal = (visibility: Visibility) => ({
  status: 400,
  body: {
    message: { visibility_level: [`${visibility} is not allowed since the fork source project has lower visibility.`] },
  },
});
const put = (project: Project, visibility: Visibility, by = ann) =>
  app.api('PUT', `/projects/${project.id}`, { token: by.secret, json: { visibility } });
const visibilityOf = async ({ id }: Project): Promise<string> =>
  (await app.db.selectFrom('projects').select('visibility').where('id', '=', id).executeTakeFirstOrThrow()).visibility;
const build = (owner: BuiltToken, visibility: Visibility, values: Partial<Project> & { namespace?: Namespace } = {}) =>
  buildProject(app, { owner: owner.user, visibility, ...values });
/** A project of Ann's, Bob's fork of it, and Ann's fork of that. */
async function chain(visibility: Visibility, namespace?: Namespace): Promise<[Project, Project, Project]> {
  const source = await build(ann, visibility, namespace ? { namespace } : {});
  const fork = await build(bob, visibility, { forked_from_project_id: source.id });
  return [source, fork, await build(ann, visibility, { forked_from_project_id: fork.id })];
}
const all = (projects: readonly Project[]) => Promise.all(projects.map(visibilityOf));

describe('security 20: visibility of forks', () => {
  it('a fork of a private project is not made public, nor internal, by whoever owns it', async () => {
    const source = await build(ann, 'private');
    const fork = await build(bob, 'private', { forked_from_project_id: source.id });
    const admin = await buildToken(app);
    await app.db.updateTable('users').set({ admin: true }).where('id', '=', admin.user.id).execute();
    for (const by of [bob, admin])
      for (const wanted of ['internal', 'public'] as const)
        expect(await put(fork, wanted, by)).toMatchObject(refusal(wanted));
    expect(await visibilityOf(fork)).toBe('private');
    expect((await put(source, 'internal')).status).toBe(200);
    expect([(await put(fork, 'internal', bob)).status, (await put(fork, 'public', bob)).status]).toEqual([200, 400]);
    // What is no fork any more is its owner's alone.
    expect((await app.api('DELETE', `/projects/${fork.id}/fork`, { token: bob.secret })).status).toBe(204);
    expect((await put(fork, 'public', bob)).status).toBe(200);
  });

  it('nothing becomes a fork of what is less open', async () => {
    const source = await build(ann, 'internal');
    const open = await build(bob, 'public');
    const link = () => app.api('POST', `/projects/${open.id}/fork/${source.id}`, { token: bob.secret });
    expect(await link()).toMatchObject(refusal('public'));
    expect((await put(open, 'internal', bob)).status).toBe(200);
    expect((await link()).status).toBe(201);
  });

  it('forks follow a project that is closed, and the forks of these, with a record', async () => {
    const projects = await chain('public');
    expect((await put(projects[0], 'internal')).status).toBe(200);
    expect(await all(projects)).toEqual(['internal', 'internal', 'internal']);
    expect((await put(projects[0], 'public')).status).toBe(200);
    expect(await all(projects)).toEqual(['public', 'internal', 'internal']);
    const events = await app.db
      .selectFrom('audit_events')
      .select(['event', 'author_id', 'details'])
      .where('entity_id', '=', projects[1].id)
      .where('event', '=', 'project_visibility_updated')
      .execute();
    expect(events).toMatchObject([
      {
        event: 'project_visibility_updated',
        author_id: ann.user.id,
        details: { change: 'visibility', from: 'public', to: 'internal' },
      },
    ]);
    const facts = app.db.selectFrom('facts').select('kind').where('project_id', '=', projects[2].id);
    expect(await facts.execute()).toContainEqual({ kind: 'project.updated' });
  });

  it('forks follow a project that is moved to a place that is less open, by itself or with its group', async () => {
    const closed = await buildGroup(app, { owner: ann.user, visibility: 'private' });
    const moved = await chain('public');
    const target = `/projects/${moved[0].id}/transfer`;
    expect((await app.api('PUT', target, { token: ann.secret, json: { namespace: closed.id } })).status).toBe(200);
    expect(await all(moved)).toEqual(['private', 'private', 'private']);
    const open = await buildGroup(app, { owner: ann.user, visibility: 'public' });
    const inside = await chain('public', open);
    const group = `/groups/${open.id}/transfer`;
    expect((await app.api('POST', group, { token: ann.secret, json: { group_id: closed.id } })).status).toBe(201);
    expect(await all(inside)).toEqual(['private', 'private', 'private']);
  });

  it('of two that open a fork and close its source at the same time, the rule wins', async () => {
    for (let turn = 0; turn < 5; turn += 1) {
      const [source, fork] = await chain('public');
      expect((await put(fork, 'private', bob)).status).toBe(200);
      await Promise.all([put(source, 'private'), put(fork, 'public', bob)]);
      expect(await all([source, fork])).toEqual(['private', 'private']);
    }
  });
});
