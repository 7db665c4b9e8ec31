/** Backups end to end: made while people write, verified, restored into an empty instance; damage is refused. Slow, sampled: whole instances are restored. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { compose } from '../../../../test/compose.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { emptyInstance } from '../../../../test/restored.ts';
import { runTask } from '../../../../test/tasks.ts';
import { openDestination } from './destination.ts';
import { verifyBackup } from './verify.ts';

// Whole instances are copied and made: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 120_000 });

/** Like the one of other tests, with more patience. */
const eventually = <T>(what: string, ask: () => Promise<T | null | undefined | false>): Promise<T> =>
  vi.waitFor(
    async () => {
      const found = await ask();
      if (!found) throw new Error(`${what} did not happen`);
      return found;
    },
    { timeout: 120_000, interval: 50 },
  );

interface Backup {
  readonly id: number;
  readonly name: string;
  readonly status: string;
  readonly error: string | null;
  readonly problems: readonly string[];
  readonly point_at: string;
  readonly bytes_total: number;
  readonly bytes_stored: number;
  readonly repositories_done: number;
  readonly removed_at: string | null;
  readonly verified_at: string | null;
  readonly verification_error: string | null;
}

const passphrase = 'correct horse battery staple';
const { signal } = new AbortController();
let app: TestApp;
let admin: BuiltToken;
let place: string;
let projectId: number;

const url = () => `file:${place}`;
const destination = () => openDestination(app.kernels.config, url());
const api = <T>(method: 'GET' | 'POST' | 'PUT' | 'DELETE', target: string, json?: object) =>
  app.api<T>(method, target, { token: admin.secret, ...(json ? { json } : {}) });

beforeAll(async () => {
  place = await mkdtemp(path.join(tmpdir(), 'millrace-backups-'));
  app = await startTestApp({
    background: true,
    environment: { MILLRACE_BACKUPS: url(), MILLRACE_BACKUP_PASSPHRASE: passphrase },
  });
  await writeFile(app.kernels.config.secrets, `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  const created = await api<{ id: number }>('POST', '/projects', { name: 'kept', initialize_with_readme: true });
  expect(created.status).toBe(201);
  projectId = created.body.id;
  const form = new FormData();
  form.set('file', new Blob(['attached']), 'note.txt');
  const upload = await app.api('POST', `/projects/${projectId}/uploads`, { token: admin.secret, form });
  expect(upload.status).toBe(201);
});
afterAll(async () => {
  await app.close();
  await rm(place, { recursive: true, force: true });
});

async function made(json: object = {}): Promise<Backup> {
  const started = await api<Backup>('POST', '/admin/backups', json);
  expect(started.status).toBe(202);
  const ended = await eventually('the backup', async () => {
    const { body } = await api<Backup>('GET', `/admin/backups/${started.body.id}`);
    return body.status === 'running' ? false : body;
  });
  expect(ended).toMatchObject({ status: 'finished', error: null, problems: [] });
  return ended;
}

const commit = (number: number) =>
  api('POST', `/projects/${projectId}/repository/commits`, {
    branch: 'main',
    commit_message: `Commit ${number}`,
    actions: [{ action: 'create', file_path: `file-${number}.txt`, content: `${number}\n` }],
  });

/** Writes until it is told to stop; answers what was acknowledged, and when. */
function writers() {
  let going = true;
  const acknowledged: { readonly number: number; readonly kind: 'commit' | 'issue'; readonly at: number }[] = [];
  const work = (kind: 'commit' | 'issue') => async () => {
    for (let number = 1; going; number++) {
      const title = `Issue ${number}`;
      const { status } =
        kind === 'commit' ? await commit(number) : await api('POST', `/projects/${projectId}/issues`, { title });
      expect(status).toBe(201);
      acknowledged.push({ number, kind, at: Date.now() });
    }
  };
  const done = Promise.all([work('commit')(), work('issue')()]);
  return {
    acknowledged,
    stop: async () => {
      going = false;
      await done;
    },
  };
}

test('what was acknowledged before the point is restored, refs and rows agree, and the instance serves it', async () => {
  const writing = writers();
  await eventually('writes', async () => writing.acknowledged.length >= 4);
  const backup = await made();
  const during = writing.acknowledged.length;
  await eventually('writes after it', async () => writing.acknowledged.length > during + 2);
  await writing.stop();
  const before = writing.acknowledged.filter(({ at }) => at < Date.parse(backup.point_at));
  expect(before.length).toBeGreaterThanOrEqual(4);
  // Not everything: what came after the point is not in it.
  expect(before.length).toBeLessThan(writing.acknowledged.length);

  const instance = await emptyInstance(app, passphrase);
  try {
    expect(await instance.restore(backup.name)).toMatchObject({ repositories: 1, objects: 1, problems: [] });
    const [place] = await instance.rows<{ repository_path: string }>('select repository_path from projects');
    const repository = path.join(instance.directory, 'repositories', place?.repository_path ?? '');
    const git = (...args: string[]) => execFileSync('git', ['--git-dir', repository, ...args], { encoding: 'utf8' });
    expect(git('fsck', '--full', '--strict', '--no-dangling')).toBe('');
    // The last write that the rows know of is where the branch is; of one that was under way at the point either end is right.
    const [last] = await instance.rows<{ state: string; before: string; after: string }>(
      `select state, changes->0->>'before' as before, changes->0->>'after' as after from repository_intents
       where state <> 'abandoned' order by id desc limit 1`,
    );
    const ends = last?.state === 'open' ? [last.before, last.after] : [last?.after];
    expect(ends).toContain(git('rev-parse', 'refs/heads/main').trim());
    const files = git('ls-tree', '--name-only', 'main').split('\n');
    const titles = (await instance.rows<{ title: string }>('select title from issues')).map(({ title }) => title);
    for (const { kind, number } of before)
      if (kind === 'commit') expect(files).toContain(`file-${number}.txt`);
      else expect(titles).toContain(`Issue ${number}`);
    expect(await readFile(path.join(instance.directory, 'secrets.key'), 'utf8')).toBe(
      await readFile(app.kernels.config.secrets, 'utf8'),
    );
    expect(await instance.rows(`select id from backups where state = 'running'`)).toEqual([]);

    const restored = await compose(instance.database, instance.directory, {});
    try {
      const address = await restored.listen();
      const answer = await fetch(`${address}/api/v4/projects/${projectId}/repository/files/README.md/raw?ref=main`, {
        headers: { 'PRIVATE-TOKEN': admin.secret },
      });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toBe(git('show', 'main:README.md'));
      // It goes on, and what was under way is settled with the next write.
      const next = await fetch(`${address}/api/v4/projects/${projectId}/repository/branches?branch=after&ref=main`, {
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': admin.secret },
      });
      expect(next.status).toBe(201);
      expect(await instance.rows(`select id from repository_intents where state = 'open'`)).toEqual([]);
    } finally {
      await restored.close();
    }
    // It is not empty any more.
    await expect(instance.restore(backup.name)).rejects.toThrow('the instance is not empty');
  } finally {
    await instance.close();
  }
});

test('a later backup stores only what is new, and is whole by itself', async () => {
  const first = await made({ full: true });
  expect(first.bytes_stored).toBe(first.bytes_total);
  expect((await commit(100_001)).status).toBe(201);
  const second = await made();
  expect(second.bytes_stored).toBeLessThan(second.bytes_total);
  const instance = await emptyInstance(app, passphrase);
  try {
    expect(await instance.restore(second.name)).toMatchObject({ repositories: 1, objects: 1 });
  } finally {
    await instance.close();
  }
});

test('only the passphrase of the backup opens it, and nothing in it is readable without', async () => {
  const { name } = await made();
  const where = await destination();
  await expect(verifyBackup(where, name, null, { signal })).rejects.toThrow('its passphrase is required');
  await expect(verifyBackup(where, name, 'wrong', { signal })).rejects.toThrow('the passphrase is not that of backup');
  const manifest = path.join(place, 'manifests', name.slice(0, 2), name.slice(2, 4), name);
  expect(await readFile(manifest, 'latin1')).not.toContain('projects');
  expect((await verifyBackup(where, name, passphrase, { signal })).files).toBeGreaterThan(4);
});

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
}

test('damage is refused with a sentence, and an instance stays empty', async () => {
  const { id, name } = await made({ full: true });
  const where = await destination();
  const refuses = async (reason: RegExp) => {
    await expect(verifyBackup(where, name, passphrase, { signal })).rejects.toThrow(reason);
    const instance = await emptyInstance(app, passphrase);
    try {
      await expect(instance.restore(name)).rejects.toThrow(reason);
      const [users] = await instance.rows<{ there: string | null }>(
        `select to_regclass('public.users')::text as there`,
      );
      if (users?.there) expect(await instance.rows('select id from users')).toEqual([]);
    } finally {
      await instance.close();
    }
  };
  const { key } = (await where.head(name)).references;
  const all = await filesBelow(path.join(place, 'data'));
  // The largest file of this backup, which is a table or a pack.
  const own = await Promise.all(all.map(async (file) => ({ file, info: await stat(file) })));
  const newest = own.filter(({ file }) => !file.endsWith(key)).sort((a, b) => b.info.mtimeMs - a.info.mtimeMs);
  const target = newest.slice(0, 50).sort((a, b) => b.info.size - a.info.size)[0]?.file ?? '';
  const good = await readFile(target);
  const bad = Buffer.from(good);
  bad[bad.length >> 1] = (bad[bad.length >> 1] ?? 0) ^ 1;
  await writeFile(target, bad);
  await refuses(/damaged/);
  // The API says so, too.
  expect((await api('POST', `/admin/backups/${id}/verify`)).status).toBe(202);
  const told = await eventually('the verification', async () => {
    const { body } = await api<Backup>('GET', `/admin/backups/${id}`);
    return body.verified_at !== null && body;
  });
  expect(told.verification_error).toContain('is damaged');
  await writeFile(target, good);
  await truncate(target, good.length - 10);
  await refuses(/cut off|damaged/);
  await rm(target);
  await refuses(/missing/);
  await writeFile(target, good);
  expect((await verifyBackup(where, name, passphrase, { signal })).problems).toEqual([]);
  const manifest = path.join(place, 'manifests', name.slice(0, 2), name.slice(2, 4), name);
  const whole = await readFile(manifest);
  await truncate(manifest, whole.length - 40);
  await refuses(/the manifest of backup \w+ is damaged/);
  await writeFile(manifest, whole);
  await expect(verifyBackup(where, '0'.repeat(32), passphrase, { signal })).rejects.toThrow(
    'there is no complete backup',
  );
});

test('the schedule is checked and starts backups, and old ones are removed with the files that nobody needs', async () => {
  const schedule = '/admin/backup_schedule';
  expect(await api('GET', schedule)).toMatchObject({
    status: 200,
    body: { enabled: false, keep: 7, next_run_at: null },
  });
  expect((await api('PUT', schedule, { schedule: 'every day' })).status).toBe(400);
  expect((await api('PUT', schedule, { time_zone: 'Mars/Base' })).status).toBe(400);
  expect((await api('PUT', schedule, { keep: 0 })).status).toBe(400);
  const set = await api<{ next_run_at: string }>('PUT', schedule, { enabled: true, schedule: '*/5 * * * *', keep: 1 });
  expect(set).toMatchObject({ status: 200, body: { enabled: true, keep: 1, encrypted: true } });
  expect(Date.parse(set.body.next_run_at)).toBeGreaterThan(Date.now());
  const older = await (await destination()).names();
  expect(older.length).toBeGreaterThan(1);
  await app.db
    .updateTable('backup_schedule')
    .set({ next_run_at: new Date(0) })
    .execute();
  await runTask(app, 'backups.tick');
  const latest = await eventually('the scheduled backup', async () => {
    const { body } = await api<(Backup & { trigger: string })[]>('GET', '/admin/backups');
    const [newest] = body;
    return newest?.trigger === 'schedule' && newest.status === 'finished' && newest;
  });
  const where = await destination();
  await eventually('the removal', async () => (await where.names()).length === 1);
  expect(await where.names()).toEqual([latest.name]);
  await eventually('the rows', async () => {
    const { body } = await api<Backup[]>('GET', '/admin/backups');
    return body.filter((each) => each.name !== null && each.removed_at === null).length === 1;
  });
  expect((await verifyBackup(where, latest.name, passphrase, { signal })).problems).toEqual([]);
  expect((await api('DELETE', `/admin/backups/${latest.id}`)).status).toBe(202);
  await eventually('the last removal', async () => (await filesBelow(place)).length === 0);
  await eventually('its row', async () => (await api<Backup>('GET', `/admin/backups/${latest.id}`)).body.removed_at);
  expect((await api('POST', `/admin/backups/${latest.id}/verify`)).status).toBe(409);
});

test('objects that are removed while a backup runs stay until it has ended', async () => {
  const object = await app.kernels.objects.put((await import('node:stream')).Readable.from([Buffer.from('doomed')]));
  const { id } = await app.db
    .insertInto('backups')
    .values({ destination: url(), trigger: 'api' })
    .returning('id')
    .executeTakeFirstOrThrow();
  await app.kernels.objects.remove(object.key);
  expect(await app.kernels.objects.exists(object.key)).toBe(true);
  expect((await api('POST', '/admin/backups')).status).toBe(409);
  expect((await api('POST', `/admin/backups/${id}/cancel`)).status).toBe(202);
  await app.db.updateTable('backups').set({ state: 'canceled' }).where('id', '=', id).execute();
  expect((await api('POST', `/admin/backups/${id}/cancel`)).status).toBe(409);
  await app.kernels.objects.remove(object.key);
  expect(await app.kernels.objects.exists(object.key)).toBe(false);
});
