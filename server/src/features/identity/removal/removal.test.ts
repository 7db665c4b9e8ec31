/** Removing accounts: access at once, the rest by a task; what the person wrote stays with the ghost, or goes too. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
} from '../../../../test/factories.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { User } from '../../../kernel/db/rows.ts';

let app: TestApp;
let admin: { user: User; secret: string };
beforeAll(async () => {
  app = await startTestApp({ background: true });
  admin = await buildToken(app, { user: await buildAdmin(app) });
});
afterAll(() => app.close());

const remove = (id: number, query: Record<string, unknown> = {}, token = admin.secret) =>
  app.api('DELETE', `/users/${id}`, { token, query });
const gone = async (id: number) =>
  expect.poll(async () => (await app.api('GET', `/users/${id}`, { token: admin.secret })).status).toBe(404);

/** A merge request and a pipeline of somebody in a project that is not theirs. */
async function contribution(user: User) {
  const project = await buildProject(app);
  const request = await app.db
    .insertInto('merge_requests')
    .values({ iid: 1, project_id: project.id, source_branch: 'a', target_branch: 'b', author_id: user.id, title: 'x' })
    .returning('id')
    .executeTakeFirstOrThrow();
  const pipeline = await app.db
    .insertInto('pipelines')
    .values({
      iid: 1,
      project_id: project.id,
      sha: '0'.repeat(40),
      ref: 'main',
      source: 'push',
      status: 'success',
      user_id: user.id,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const people = async () => ({
    author: (await app.db.selectFrom('merge_requests').select('author_id').where('id', '=', request.id).execute())[0],
    template: (await app.db.selectFrom('pipelines').select('user_id').where('id', '=', pipeline.id).execute())[0],
  });
  return { people };
}

const sweep = (name: string) => runTask(app, name);

describe('bots of projects and groups', () => {
  it('go when their last token was kept long enough; what they wrote stays with the ghost', async () => {
    const owner = await buildToken(app);
    const project = await buildProject(app, { owner: owner.user });
    const path = `/projects/${project.id}/access_tokens`;
    const json = { name: 'bot', scopes: ['api'], access_level: 40 };
    const made = (await app.api<{ id: number; user_id: number }>('POST', path, { token: owner.secret, json })).body;
    const bot = await app.db.selectFrom('users').selectAll().where('id', '=', made.user_id).executeTakeFirstOrThrow();
    const { people } = await contribution(bot);
    expect((await app.api('DELETE', `${path}/${made.id}`, { token: owner.secret })).status).toBe(204);
    await sweep('tokens.sweep');
    expect((await app.api('GET', `/users/${bot.id}`, { token: admin.secret })).body).toMatchObject({
      state: 'deactivated',
    });
    const revoked_at = new Date(Date.now() - 31 * 86_400_000);
    await app.db.updateTable('access_tokens').set({ revoked_at }).where('id', '=', made.id).execute();
    await sweep('tokens.sweep');
    await gone(bot.id);
    const ghost = await app.db.selectFrom('users').select('id').where('user_type', '=', 'ghost').executeTakeFirst();
    expect(await people()).toEqual({ author: { author_id: ghost?.id }, template: { user_id: ghost?.id } });
  });
});

describe('DELETE /users/:id', () => {
  it('ends access at once, removes personal projects, and gives what was written elsewhere to the ghost', async () => {
    const { user, secret } = await buildToken(app);
    const own = await app.api<{ id: number }>('POST', '/projects', {
      token: secret,
      json: { name: 'own', initialize_with_readme: true },
    });
    const { people } = await contribution(user);
    expect((await remove(user.id)).status).toBe(204);
    expect((await app.api('GET', '/user', { token: secret })).status).toBe(401);
    await gone(user.id);
    expect((await app.api('GET', `/projects/${own.body.id}`, { token: admin.secret })).status).toBe(404);
    const ghost = await app.db.selectFrom('users').selectAll().where('user_type', '=', 'ghost').execute();
    expect(ghost).toMatchObject([{ username: 'ghost', name: 'Ghost User' }]);
    expect(await people()).toEqual({ author: { author_id: ghost[0]?.id }, template: { user_id: ghost[0]?.id } });
    const again = await buildUser(app);
    await remove(again.id);
    await gone(again.id);
    expect(await app.db.selectFrom('users').select('id').where('user_type', '=', 'ghost').execute()).toHaveLength(1);
    expect((await remove(Number(ghost[0]?.id))).status).toBe(403);
  });

  it('hard_delete removes what was written too, and groups that nobody else owns', async () => {
    const user = await buildUser(app);
    const { people } = await contribution(user);
    const [alone, shared] = [await buildGroup(app, { owner: user }), await buildGroup(app, { owner: user })];
    await buildMember(app, { of: shared, level: Level.owner });
    expect(await remove(user.id)).toMatchObject({
      status: 409,
      body: { message: 'User cannot be removed while is the sole-owner of a group' },
    });
    expect((await remove(user.id, { hard_delete: true })).status).toBe(204);
    await gone(user.id);
    expect(await people()).toEqual({ author: undefined, template: { user_id: null } });
    const status = async (id: number) => (await app.api('GET', `/groups/${id}`, { token: admin.secret })).status;
    await expect.poll(() => status(alone.id)).toBe(404);
    expect(await status(shared.id)).toBe(200);
  });

  it('rejecting somebody who waits removes them', async () => {
    const user = await buildUser(app, { state: 'blocked_pending_approval' });
    const got = await app.api('POST', `/users/${user.id}/reject`, { token: admin.secret });
    expect(got).toMatchObject({ status: 200, body: { message: 'Success' } });
    await gone(user.id);
  });

  it('refuses what is absent, others, and the last administrator', async () => {
    const { user, secret } = await buildToken(app);
    expect((await remove(999_999)).status).toBe(404);
    expect((await remove(user.id, {}, secret)).status).toBe(403);
    expect((await app.api('DELETE', `/users/${user.id}`)).status).toBe(401);
    expect((await remove(user.id, { hard_delete: 'maybe' })).status).toBe(400);
    expect(await remove(admin.user.id)).toMatchObject({
      status: 400,
      body: { message: { admin: ['cannot be taken from the last administrator'] } },
    });
  });
});
