/** What is done in a populated instance: calls of webhooks, and a job with artifacts. */
import { randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { Db } from '../src/kernel/db/index.ts';
import type { Project, User } from '../src/kernel/db/rows.ts';
import type { TestApp } from './app.ts';
import { eventually, protocolRunner } from './ci.ts';
import { buildMember, buildProject } from './factories.ts';
import { runnableJobs } from './queue.queries.ts';

/** Three calls of each of the webhooks, all done. */
export async function recordCalls(app: TestApp, hooks: readonly number[], url: string): Promise<void> {
  for (const hook_id of hooks) {
    const call = { hook_id, trigger: 'push_hooks', event: 'Push Hook', payload: '{}', url, state: 'done' } as const;
    for (let number = 1; number <= 3; number += 1) {
      const [event_uuid, uuid, idempotency_key] = [randomUUID(), randomUUID(), randomUUID()];
      const told = { event_uuid, uuid, idempotency_key, request_headers: '{}', response_code: 200 };
      await app.db
        .insertInto('web_hook_calls')
        .values({ ...call, ...told })
        .execute();
    }
  }
}

/** Runs the job that waits longest; its archive has three files. Answers its id. */
export async function archive(app: TestApp, runnerToken: string): Promise<number> {
  const runner = protocolRunner(app, runnerToken);
  const job = await runner.next();
  const zip = new ZipFile();
  for (const name of ['a.txt', 'b.txt', 'c.txt']) zip.addBuffer(Buffer.from(name), name);
  zip.end();
  await runner.upload(job, { data: await buffer(zip.outputStream), name: 'a.zip', type: 'archive', format: 'zip' });
  await runner.update(job, 'success');
  return job.id;
}

/** Tests that failed in a job of the project. */
export async function failedTests(db: Db, projectId: number, numbers: readonly number[]): Promise<void> {
  const { id } = await db
    .selectFrom('jobs')
    .select('id')
    .where('project_id', '=', projectId)
    .orderBy('id')
    .limit(1)
    .executeTakeFirstOrThrow();
  for (const number of numbers)
    await db
      .insertInto('test_failures')
      .values({
        ...{ project_id: projectId, job_id: id, case_hash: Buffer.from([number]), suite_name: 'rspec' },
        ...{ name: `case ${number}`, on_default_branch: true },
      })
      .execute();
}

/** Three transfers, the first with three groups, of which the first lacks three rows. Answers the ids of the first ones. */
export async function transferred(db: Db, userId: number): Promise<{ id: number; entity_id: number }> {
  const made: number[] = [];
  for (const url of ['https://one.example', 'https://two.example', 'https://three.example']) {
    const row = { user_id: userId, admin: true, url, status: 'started' } as const;
    made.push((await db.insertInto('bulk_imports').values(row).returning('id').executeTakeFirstOrThrow()).id);
  }
  const [id = 0] = made;
  const parts: number[] = [];
  for (const path of ['one', 'two', 'three']) {
    const failures = [1, 2, 3].map((line) => ({ relation: 'members', line, reason: 'nobody is called that' }));
    const row = {
      bulk_import_id: id,
      source_type: 'group',
      source_full_path: path,
      status: 'finished',
      destination_slug: path,
      destination_namespace: '',
      migrate_projects: true,
      migrate_memberships: true,
      failures: JSON.stringify(failures),
    } as const;
    parts.push((await db.insertInto('bulk_import_entities').values(row).returning('id').executeTakeFirstOrThrow()).id);
  }
  return { id, entity_id: parts[0] ?? 0 };
}

/** Jobs of this month on three runners, for the usage of each. */
export async function usedRunners(db: Db, projectId: number): Promise<void> {
  const runners = await db.selectFrom('runners').select('id').orderBy('id').limit(3).execute();
  const jobs = await db
    .selectFrom('jobs')
    .select('id')
    .where('project_id', '=', projectId)
    .orderBy('id')
    .limit(3)
    .execute();
  for (const [at, { id }] of jobs.entries())
    await db
      .updateTable('jobs')
      .set({ runner_id: runners[at]?.id ?? null, started_at: new Date() })
      .where('id', '=', id)
      .execute();
}

/** Nothing that happened waits to be told, and nothing of that waits to be done. */
export const quieted = (db: Db): Promise<boolean> =>
  eventually(
    'quiet',
    async () =>
      (await db.selectFrom('facts').select('id').where('delivered_at', 'is', null).execute()).length === 0 &&
      (await runnableJobs(db)) === 0,
  );

/** Three projects that somebody imported. */
export async function imported(app: TestApp, user: User): Promise<void> {
  for (let number = 1; number <= 3; number += 1) {
    const { id } = await buildProject(app, { owner: user });
    await app.db.updateTable('projects').set({ import_status: 'finished' }).where('id', '=', id).execute();
    await app.db
      .insertInto('project_imports')
      .values({ project_id: id, user_id: user.id, trusted: false, correlation_id: randomUUID() })
      .execute();
  }
}

/** A version of a project in the catalogue of CI components, with two components. */
export async function offered(db: Db, projectId: number, releaseId: number, major: number): Promise<void> {
  await db
    .insertInto('catalog_resources')
    .values({ project_id: projectId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  const { id } = await db
    .insertInto('catalog_versions')
    .values({
      ...{ project_id: projectId, release_id: releaseId, version: `${major}.0.0`, major, minor: 0, patch: 0 },
      ...{ sha: 'a'.repeat(40), readme_path: 'README.md', requested: false },
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  for (const name of ['build', 'test'])
    await db
      .insertInto('catalog_components')
      .values({ version_id: id, name, path: `templates/${name}.yml`, inputs: '[]' })
      .execute();
}

/** A release of a project with three links, and one of its fork; both publish components. Written as they are kept. */
export async function released(db: Db, at: { project: number; fork: number }, number: number): Promise<void> {
  const insert = async (project_id: number, tag: string, more: { released_at?: Date } = {}) =>
    await db
      .insertInto('releases')
      .values({ project_id, tag, ...more })
      .returning('id')
      .executeTakeFirstOrThrow();
  const release = await insert(at.project, `v${number}.0`, { released_at: new Date(Date.UTC(2025, 0, number)) });
  for (const each of [1, 2, 3])
    await db
      .insertInto('release_links')
      .values({ release_id: release.id, name: `link ${each}`, url: `https://x.example/${each}` })
      .execute();
  await offered(db, at.project, release.id, number);
  await offered(db, at.fork, (await insert(at.fork, '1.0.0')).id, 1);
  const rule = { package_name_pattern: `kept-${number}`, package_type: 'generic' } as const;
  await db
    .insertInto('package_protection_rules')
    .values({ ...rule, project_id: at.project, minimum_access_level_for_push: 40 })
    .execute();
}

/** A fork of a project by one of its members, who has starred it; the administrator has starred the fork and pushed to it. */
export async function forked(app: TestApp, project: Project, admin: User, number: number): Promise<number> {
  const { user } = await buildMember(app, { of: project });
  const fork = await buildProject(app, { owner: user, visibility: 'public', forked_from_project_id: project.id });
  const stars = [
    { user_id: user.id, project_id: project.id, created_at: new Date(Date.UTC(2025, 0, number)) },
    { user_id: admin.id, project_id: fork.id },
  ];
  await app.db.insertInto('project_stars').values(stars).execute();
  const pushed = {
    action: 'pushed',
    push_action: 'pushed',
    ref_type: 'branch',
    ref: 'main',
    commit_count: 1,
  } as const;
  await app.db
    .insertInto('events')
    .values({ project_id: fork.id, author_id: admin.id, ...pushed })
    .execute();
  return fork.id;
}

/** The package with the most files. */
export async function keptPackage(db: TestApp['db'], projectId: number): Promise<number> {
  const query = db.selectFrom('package_files').select('package_id').where('project_id', '=', projectId);
  const row = await query
    .groupBy('package_id')
    .orderBy((of) => of.fn.countAll(), 'desc')
    .executeTakeFirstOrThrow();
  return row.package_id;
}
