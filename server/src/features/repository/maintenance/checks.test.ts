/** Checks of repositories: a damaged one is found, shown and told of once. */
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildGroup, buildToken } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';
import { runTask } from '../../../../test/tasks.ts';

let app: TestApp;
let mail: MailServer;
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

const checks = () => app.db.selectFrom('repository_checks').selectAll().orderBy('project_id').execute();
const run = () => runTask(app, 'repository.check_all');
/** As if it had been made two days ago. */
const aged = async (project: RepositoryProject) => {
  await sql`update projects set created_at = now() - interval '2 days' where id = ${project.id}`.execute(app.db);
  return project;
};
/** Takes the objects away that its commit is made of. */
function damage({ directory }: Pick<RepositoryProject, 'directory'>): void {
  const objects = path.join(directory, 'objects');
  for (const name of readdirSync(objects))
    if (/^[0-9a-f]{2}$/.test(name)) rmSync(path.join(objects, name), { recursive: true });
  for (const name of readdirSync(path.join(objects, 'pack'))) rmSync(path.join(objects, 'pack', name));
}

it('repositories are checked once a month where that is switched on, and administrators hear of damaged ones once', async () => {
  const admin = await buildToken(app, { user: await buildAdmin(app) });
  const whole = await aged(await buildRepositoryProject(app));
  const damaged = await aged(await buildRepositoryProject(app));
  const young = await buildRepositoryProject(app);
  damage(damaged);
  await run();
  expect(await checks()).toEqual([]);
  await app.settings.write({ repository_checks_enabled: true });
  await run();
  expect(await checks()).toMatchObject([
    { project_id: whole.id, problems: [], told_at: null },
    { project_id: damaged.id, problems: expect.arrayContaining([expect.any(String)]), told_at: null },
  ]);
  const { body } = await app.api<{ repository_checks: object }>('GET', '/application/overview', {
    token: admin.secret,
  });
  expect(body.repository_checks).toEqual({
    ...{ enabled: true, checked: 2, failed: 1 },
    damaged: [
      { project_id: damaged.id, path: damaged.fullPath, problem: expect.any(String), checked_at: expect.any(String) },
    ],
  });
  const before = await checks();
  await run();
  expect(await checks()).toEqual(before);
  await sql`update repository_checks set checked_at = now() - interval '40 days' where project_id = ${whole.id}`.execute(
    app.db,
  );
  await run();
  expect((await checks())[0]?.checked_at.getTime()).toBeGreaterThan(Date.now() - 3_600_000);
  // The wiki of a project is a part of it.
  await whole.api('POST', '/wikis', { json: { title: 'Home', content: 'Read me' } });
  const { repository_path: below } = await app.db
    .selectFrom('wikis')
    .select('repository_path')
    .where('project_id', '=', whole.id)
    .executeTakeFirstOrThrow();
  const again = async () => {
    await sql`update repository_checks set checked_at = now() - interval '40 days' where project_id = ${whole.id}`.execute(
      app.db,
    );
    await run();
    return (await checks())[0]?.problems;
  };
  expect(await again()).toEqual([]);
  damage({ directory: path.join(app.kernels.config.repositories.default ?? '', below) });
  expect(await again()).toEqual(expect.arrayContaining([expect.stringMatching(/^wiki: /)]));
  await app.db.deleteFrom('wikis').where('project_id', '=', whole.id).execute();
  expect(await again()).toEqual([]);

  await runTask(app, 'repository.tell_checks');
  const told = await mail.next(admin.user.email);
  expect(told.header('Subject')).toBe('Repository checks: 1 repository has problems');
  expect(told.text).toContain(damaged.fullPath);
  expect((await checks())[1]?.told_at).toBeInstanceOf(Date);
  const sent = mail.received.length;
  await runTask(app, 'repository.tell_checks');
  expect(mail.received).toHaveLength(sent);
  expect((await checks()).map(({ project_id }) => project_id)).not.toContain(young.id);
  await app.settings.write({ repository_checks_enabled: false });
});

it('wikis of groups and snippets are checked like projects', async () => {
  const { user, secret } = await buildToken(app, { user: await buildAdmin(app) });
  const group = await buildGroup(app, { owner: user });
  const api = <T>(method: 'GET' | 'POST' | 'DELETE', where: string, json?: object) =>
    app.api<T>(method, where, { token: secret, ...(json ? { json } : {}) });
  await api('POST', `/groups/${group.id}/wikis`, { title: 'Home', content: 'Read me' });
  const snippet = { title: 'Notes', visibility: 'private', files: [{ file_path: 'a.txt', content: 'a' }] };
  const made = await api<{ id: number }>('POST', '/snippets', snippet);
  expect(made.status).toBe(201);
  const wiki = await app.db
    .selectFrom('wikis')
    .select(['id', 'repository_path'])
    .where('namespace_id', '=', group.id)
    .executeTakeFirstOrThrow();
  const { repository_path: below } = await app.db
    .selectFrom('snippets')
    .select('repository_path')
    .where('id', '=', made.body.id)
    .executeTakeFirstOrThrow();
  const own = async () =>
    (await checks()).flatMap(({ project_id, wiki_id, snippet_id, problems }) =>
      project_id === null ? [{ wiki_id, snippet_id, whole: problems.length === 0 }] : [],
    );
  const again = async () => {
    for (const table of ['wikis', 'snippets'] as const)
      await sql`update ${sql.table(table)} set created_at = now() - interval '2 days'`.execute(app.db);
    await sql`update repository_checks set checked_at = now() - interval '40 days'`.execute(app.db);
    await run();
    return (await own()).toSorted((one, other) => Number(one.wiki_id ?? 0) - Number(other.wiki_id ?? 0));
  };
  await app.settings.write({ repository_checks_enabled: true });
  const ofSnippet = { wiki_id: null, snippet_id: made.body.id };
  const ofWiki = { wiki_id: wiki.id, snippet_id: null };
  expect(await again()).toEqual([
    { ...ofSnippet, whole: true },
    { ...ofWiki, whole: true },
  ]);
  for (const place of [below, wiki.repository_path])
    damage({ directory: path.join(app.kernels.config.repositories.default ?? '', place) });
  expect(await again()).toEqual([
    { ...ofSnippet, whole: false },
    { ...ofWiki, whole: false },
  ]);
  const { body } = await api<{ repository_checks: { damaged: { project_id: number | null; path: string }[] } }>(
    'GET',
    '/application/overview',
  );
  expect(body.repository_checks.damaged).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ project_id: null, path: `groups/${group.full_path}/-/wikis` }),
      expect.objectContaining({ project_id: null, path: `-/snippets/${made.body.id}` }),
    ]),
  );
  // The rows go with what they are about.
  await api('DELETE', `/snippets/${made.body.id}`);
  expect((await own()).map(({ snippet_id }) => snippet_id)).toEqual([null]);
  await app.settings.write({ repository_checks_enabled: false });
});
