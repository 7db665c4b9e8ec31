/** Projects that nobody uses: their people are warned by mail, and later they are removed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { runTask } from '../../../../test/tasks.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';

type Json = Record<string, unknown>;

let mails: MailServer;
let app: TestApp;
let owner: BuiltToken;
let maintainer: BuiltToken;
let developer: BuiltToken;
/** Inactive for three months, inactive and small, active. */
let [old, small, fresh]: number[] = [];
beforeAll(async () => {
  mails = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mails.url}?verify=off` } });
  [owner, maintainer, developer] = [await buildToken(app), await buildToken(app), await buildToken(app)];
  const group = await buildGroup(app, { owner: owner.user });
  const projects = [];
  for (const name of ['Old', 'Small', 'Fresh'])
    projects.push(await buildProject(app, { namespace: group, name, path: name.toLowerCase() }));
  [old, small, fresh] = projects.map(({ id }) => id);
  const place = projects[0] as Project;
  await buildMember(app, { user: maintainer.user, of: place, level: Level.maintainer });
  await buildMember(app, { user: developer.user, of: place, level: Level.developer });
  for (const id of [old, small]) await since(Number(id), { last_activity_at: months(3) });
  await app.db
    .updateTable('project_statistics')
    .set({ uploads_size: 3 * 1024 ** 2 })
    .where('project_id', 'in', [Number(old), Number(fresh)])
    .execute();
  await app.settings.write({ inactive_projects_min_size_mb: 2 });
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

const months = (count: number) => new Date(Date.now() - count * 31 * 86_400_000);
const since = (id: number, values: { last_activity_at?: Date; inactivity_warned_at?: Date }) =>
  app.db.updateTable('projects').set(values).where('id', '=', id).execute();
const sweep = async () => {
  await runTask(app, 'namespaces.remove_inactive_projects');
};
const marked = async (id: unknown) =>
  (await app.api<Json>('GET', `/projects/${String(id)}`, { token: owner.secret })).body.marked_for_deletion_on;
const warned = async () =>
  (
    await app.db
      .selectFrom('projects')
      .select('id')
      .where('inactivity_warned_at', 'is not', null)
      .orderBy('id')
      .execute()
  ).map(({ id }) => id);

test('nothing is done about them until the instance says so', async () => {
  await sweep();
  expect([await warned(), await marked(old)]).toEqual([[], null]);
});

test('Maintainers and Owners are warned once, of projects of the size that counts', async () => {
  await app.settings.write({ delete_inactive_projects: true });
  await sweep();
  const mail = await mails.next(maintainer.user.email);
  const day = new Date();
  day.setUTCMonth(day.getUTCMonth() + 1);
  expect(mail.header('Subject')).toContain(
    `project Old is scheduled to be deleted on ${day.toISOString().slice(0, 10)}`,
  );
  await mails.next(owner.user.email);
  await sweep();
  expect(await warned()).toEqual([old]);
  expect(await marked(old)).toBeNull();
  await app.settings.write({ inactive_projects_min_size_mb: 0 });
  await sweep();
  expect(await warned()).toEqual([old, small]);
  expect(mails.received.filter(({ to }) => to.includes(maintainer.user.email))).toHaveLength(1);
  expect(mails.received.filter(({ to }) => to.includes(developer.user.email))).toEqual([]);
});

test('a month after the warning those in which nothing happened are removed, as any project is', async () => {
  const answer = await app.api('POST', `/projects/${small}/issues`, { token: owner.secret, json: { title: 'Used' } });
  expect(answer.status).toBe(201);
  await app.delivery.drain();
  for (const id of [old, small]) await since(Number(id), { inactivity_warned_at: months(1.1) });
  await sweep();
  expect([await marked(old), await marked(small), await marked(fresh)]).toEqual([
    new Date().toISOString().slice(0, 10),
    null,
    null,
  ]);
  const restored = await app.api('POST', `/projects/${old}/restore`, { token: owner.secret });
  expect(restored.status).toBe(201);
  // Its people are warned again before it goes.
  await sweep();
  expect([await marked(old), await warned()]).toEqual([null, [old, small]]);
});

test('people are warned before the removal', async () => {
  await expect(app.settings.write({ inactive_projects_delete_after_months: 1 })).rejects.toMatchObject({ status: 400 });
  await app.settings.write({ inactive_projects_delete_after_months: 12 });
  await app.settings.write({ inactive_projects_send_warning_email_after_months: 6 });
});
