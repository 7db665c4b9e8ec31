/** What settings of mail and of people do to messages. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  buildUser,
  unique,
} from '../../../../test/factories.ts';
import { sshKeyText } from '../../../../test/keys.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { runTask } from '../../../../test/tasks.ts';

let app: TestApp;
let mail: MailServer;
let admin: string;
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

const deactivated = async () => {
  const user = await buildUser(app);
  await app.api('POST', `/users/${user.id}/deactivate`, { token: admin });
  return user.email;
};

it('deactivation is told, with what the administrators add, unless that is switched off', async () => {
  await app.settings.write({ deactivation_email_additional_text: 'Ask the desk.' });
  expect((await mail.next(await deactivated())).text).toContain('Ask the desk.');
  await app.settings.write({ user_deactivation_emails_enabled: false });
  const silent = await deactivated();
  await app.settings.write({ user_deactivation_emails_enabled: true });
  await mail.next(await deactivated());
  expect(mail.received.some(({ to }) => to.includes(silent))).toBe(false);
});

it('every mail ends with email_additional_text', async () => {
  await app.settings.write({ email_additional_text: 'House <rules> apply.' });
  const { text, html } = await mail.next(await deactivated());
  expect(text.trimEnd()).toMatch(/House <rules> apply\.$/);
  expect(html).toContain('House &lt;rules&gt; apply.');
  await app.settings.write({ email_additional_text: null });
});

it('html_emails_enabled off leaves plain text', async () => {
  await app.settings.write({ html_emails_enabled: false });
  const sent = await mail.next(await deactivated());
  expect(sent.header('Content-Type')).toMatch(/^text\/plain/);
  await app.settings.write({ html_emails_enabled: true });
});

it('notices go to the notification address, what decides over the account to the primary one', async () => {
  const { user, secret } = await buildToken(app);
  const other = `${unique('notices')}@example.com`;
  await app.db.insertInto('emails').values({ user_id: user.id, email: other, confirmed_at: new Date() }).execute();
  await app.api('PUT', '/notification_settings', { token: secret, json: { notification_email: other } });
  await app.api('POST', '/user/keys', { token: secret, json: { title: 'key', key: sshKeyText() } });
  expect((await mail.next(other)).header('Subject')).toContain('SSH key');
  await app.request('POST', '/-/password-reset', { json: { email: user.email } });
  expect((await mail.next(user.email)).link).toContain('reset_password_token');
});

it('people are told once of access tokens that expire soon: of their own, and of those of projects that they maintain', async () => {
  const [top, project] = [await buildToken(app), await buildToken(app)];
  const group = await buildGroup(app, { owner: top.user });
  const place = await buildProject(app, { namespace: group });
  await buildMember(app, { user: project.user, of: place, level: 40 });
  const expires_at = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  const json = { name: 'deploy', scopes: ['read_api'], expires_at };
  for (const path of [`/users/${project.user.id}/personal_access_tokens`, `/projects/${place.id}/access_tokens`])
    expect((await app.api('POST', path, { token: admin, json })).status).toBe(201);
  const sweep = async () => {
    await runTask(app, 'tokens.expiring');
    await app.delivery.drain();
  };
  const told = (email: string) =>
    mail.received.filter(({ to }) => to.includes(email)).map((each) => each.header('Subject'));
  await sweep();
  await sweep();
  const subjects = [
    'Your personal access tokens will expire in 30 days or less',
    'Your project access tokens will expire in 30 days or less',
  ];
  await expect.poll(() => told(project.user.email).sort()).toEqual(subjects);
  expect(told(top.user.email)).toEqual([]);
  // Owners of the group are told where the instance says so.
  await app.settings.write({ resource_access_token_notify_inherited: true });
  await app.db.updateTable('access_tokens').set({ expiry_told: null }).where('project_id', '=', place.id).execute();
  await sweep();
  expect((await mail.next(top.user.email)).text).toContain(`deploy of the project ${group.full_path}/${place.path}`);
  await app.settings.write({ resource_access_token_notify_inherited: false });
});
