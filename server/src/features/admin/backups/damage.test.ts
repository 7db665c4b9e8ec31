/** Slow, sampled: the command runs as a process to be killed. Backups in a bucket: what is damaged, half written or missing is no backup. */
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken } from '../../../../test/factories.ts';
import { emptyInstance, type RestoredInstance } from '../../../../test/restored.ts';
import { startStorage, type TestStorage } from '../../../../test/s3/index.ts';
import { spawnModule } from '../../../../test/spawned.ts';
import { entriesOf } from './catalog.ts';
import { openDestination } from './destination.ts';
import { plain, type RepositoryEntry } from './manifest.ts';
import { verifyBackup } from './verify.ts';

const { signal } = new AbortController();
let storage: TestStorage;
let app: TestApp;
let admin: BuiltToken;
let projectId: number;
let empty: RestoredInstance;

beforeAll(async () => {
  storage = await startStorage();
  const { MILLRACE_OBJECTS: objects = '', ...keys } = storage.environment('backups');
  app = await startTestApp({ environment: { ...keys, MILLRACE_BACKUPS: objects } });
  admin = await buildToken(app, { user: await buildAdmin(app) });
  const json = { name: 'kept', initialize_with_readme: true };
  const created = await app.api<{ id: number }>('POST', '/projects', { token: admin.secret, json });
  projectId = created.body.id;
  const form = new FormData();
  form.set('file', new Blob(['attached']), 'note.txt');
  expect((await app.api('POST', `/projects/${projectId}/uploads`, { token: admin.secret, form })).status).toBe(201);
  empty = await emptyInstance(app, null);
});
afterEach(() => {
  storage.fault = () => null;
});
afterAll(async () => {
  await empty.close();
  await app.close();
  await storage.close();
});

/** Without those that only prove that the storage can be written to. */
const stored = () => [...storage.objects.keys()].filter((name) => !name.endsWith('/check'));
const writes = (request: string, part: string) => /^PUT \S+\/[0-9a-f]{32}\b/.test(request) && request.includes(part);
const destination = () => openDestination(app.kernels.config, app.kernels.config.backups);
const create = async ({ full = false, keep = null as number | null } = {}) =>
  (await app.backups.createNow({}, { full, keep, signal }, () => undefined)).name;
const verify = async (name: string) => await verifyBackup(await destination(), name, null, { signal });

async function change(path: string): Promise<void> {
  const actions = [{ action: 'create', file_path: path, content: `${path}\n` }];
  const json = { branch: 'main', commit_message: `Add ${path}`, actions };
  const target = `/projects/${projectId}/repository/commits`;
  expect((await app.api('POST', target, { token: admin.secret, json })).status).toBe(201);
}

/** Refused by `verify` and `restore` with a sentence, and the empty instance stays empty. */
async function refused(name: string, reason: RegExp): Promise<void> {
  await expect(verify(name)).rejects.toThrow(reason);
  // Objects that an earlier try brought would not be read again.
  await rm(path.join(empty.directory, 'objects'), { recursive: true, force: true });
  await expect(empty.restore(name)).rejects.toThrow(reason);
  const [users] = await empty.rows<{ there: string | null }>(`select to_regclass('public.users')::text as there`);
  if (users?.there) expect(await empty.rows('select id from users')).toEqual([]);
}

const reasons =
  /^(the manifest of backup \w+ is (damaged|cut off)|there is no complete backup|backup \w+ is not complete|.+ (is damaged|is missing|is cut off|is not a file of a backup|has more than was written))/;
const damages: readonly (readonly [string, (whole: Buffer) => Buffer | null])[] = [
  ['missing', () => null],
  ['empty', () => Buffer.alloc(0)],
  ['half', (whole) => whole.subarray(0, whole.length >> 1)],
  ['without its last byte', (whole) => whole.subarray(0, -1)],
  ['with a byte more', (whole) => Buffer.concat([whole, Buffer.from('x')])],
  [
    'with one bit changed',
    (whole) => Buffer.from(whole.map((byte, at) => (at === whole.length >> 1 ? byte ^ 1 : byte))),
  ],
  ['of zeros', (whole) => Buffer.alloc(whole.length)],
];

test.each(damages)('a backup with any of its files %s is refused by verify and restore', async (_, damage) => {
  storage.objects.clear();
  const name = await create();
  const files = stored();
  // The database, a pack, an object, two catalogs, the list of files and the manifest.
  expect(files).toHaveLength(7);
  for (const file of files) {
    const whole = storage.objects.get(file) ?? Buffer.alloc(0);
    const bad = damage(whole);
    if (bad) storage.objects.set(file, bad);
    else storage.objects.delete(file);
    await refused(name, reasons);
    storage.objects.set(file, whole);
  }
  expect((await verify(name)).problems).toEqual([]);
});

test('a later backup does not build upon a pack that is gone', async () => {
  storage.objects.clear();
  const first = await create();
  const packs = async (name: string) => {
    const where = await destination();
    const head = await where.head(name);
    const body = await where.body(head, plain);
    const [entry] = await Array.fromAsync(
      entriesOf<RepositoryEntry>(where.read(body.repositories, 'repositories', plain)),
    );
    return entry?.packs ?? [];
  };
  const [pack] = await packs(first);
  const file = [...storage.objects.keys()].find((name) => name.endsWith(pack?.key ?? '-')) ?? '';
  expect(storage.objects.delete(file)).toBe(true);
  await refused(first, reasons);
  const unchanged = await create();
  expect((await verify(unchanged)).problems).toEqual([]);
  await change('after.txt');
  const later = await create();
  expect((await packs(later)).map(({ key }) => key)).toContain((await packs(unchanged))[0]?.key);
  expect(await packs(later)).toHaveLength(2);
  expect((await verify(later)).problems).toEqual([]);
});

test('retention removes the full backup, but not the files that later ones need', async () => {
  storage.objects.clear();
  const full = await create({ full: true });
  const kept = new Set(stored());
  await change('second.txt');
  await create();
  await change('third.txt');
  const latest = await create({ keep: 1 });
  expect(await (await destination()).names()).toEqual([latest]);
  await expect(verify(full)).rejects.toThrow('there is no complete backup');
  // Its pack and its object are those of the latest; its database, catalogs, list and manifest went.
  expect(stored().filter((file) => kept.has(file))).toHaveLength(2);
  expect((await verify(latest)).problems).toEqual([]);
  const instance = await emptyInstance(app, null);
  try {
    expect(await instance.restore(latest)).toMatchObject({ repositories: 1, objects: 1, problems: [] });
  } finally {
    await instance.close();
  }
});

test('a backup whose storage fails says so and leaves nothing that looks like one', async () => {
  storage.objects.clear();
  await create();
  for (const [part, fault] of [
    ['/data/', 'refused'],
    ['/manifests/', 'refused'],
    ['/manifests/', 'unheard'],
  ] as const) {
    const names = await (await destination()).names();
    storage.fault = (request) => (writes(request, part) ? fault : null);
    await expect(create({ full: true })).rejects.toThrow();
    storage.fault = () => null;
    expect(await (await destination()).names()).toEqual(names);
  }
  const { body } = await app.api<{ status: string; error: string | null }[]>('GET', '/admin/backups', {
    token: admin.secret,
  });
  expect(body.slice(0, 3).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  expect(body[0]?.error).toBeTruthy();
});

test.each(['/data/', '/manifests/'])(
  'kill -9 while it writes to %s leaves no backup, and the next one is whole',
  async (part) => {
    storage.objects.clear();
    const earlier = await create();
    // Never answered: the process waits there until it is killed.
    const reached = new Promise<void>((resolve) => {
      let files = 0;
      storage.fault = (request) => {
        if (!writes(request, part)) return null;
        // The first file of data is there, the second is on its way.
        if (part === '/data/' && ++files === 1) return null;
        resolve();
        return 'silent';
      };
    });
    const { config } = app.kernels;
    const command = spawnModule('cli/src/millrace.ts', ['backup', 'create', '--full'], {
      DATABASE_URL: app.database.url,
      MILLRACE_DATA: config.data,
      MILLRACE_BACKUPS: config.backups,
      AWS_ACCESS_KEY_ID: storage.keys.id,
      AWS_SECRET_ACCESS_KEY: storage.keys.secret,
    });
    await Promise.race([reached, command.exit.then(() => Promise.reject(new Error(command.errors.join('\n'))))]);
    command.kill('SIGKILL');
    expect(await command.exit).toBe('SIGKILL');
    storage.fault = () => null;
    expect(await (await destination()).names()).toEqual([earlier]);
    const next = await create({ keep: 1 });
    expect((await verify(next)).problems).toEqual([]);
    // What the killed one left went with the old backup.
    expect(stored()).toHaveLength(7);
    const { body } = await app.api<{ status: string; error: string | null }[]>('GET', '/admin/backups', {
      token: admin.secret,
    });
    expect(body[1]).toMatchObject({ status: 'failed', error: 'the process that made it ended before it was complete' });
  },
);
