/** The command as people and scripts call it: exit codes, errors, accounts and tokens beside a running server and without. Slow, sampled: each command is a process, beside a server that is one. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startStorage } from '../../server/test/s3/index.ts';
import { type SpawnedServer, spawnServer } from '../../server/test/spawned.ts';
import type { Surroundings } from './command.ts';
import { main } from './main.ts';

// Starts real processes: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 240_000 });

let directory: string;
let server: SpawnedServer | undefined;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-cli-'));
  // The embedded server's uid has to reach its files.
  await chmod(directory, 0o755);
});
afterAll(async () => {
  server?.kill('SIGTERM');
  await server?.exit;
  await rm(directory, { recursive: true, force: true });
});

/** The command in this process. */
async function call(args: readonly string[], env: Record<string, string> = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const around: Surroundings = {
    env: { MILLRACE_DATA: path.join(directory, 'data'), ...env },
    terminal: false,
    print: (line) => void out.push(line),
    write: (chunk) => void out.push(String(chunk)),
    warn: (line) => void err.push(line),
    readInput: async () => '',
    console: () => ({ input: process.stdin, output: process.stdout }),
    exit: () => undefined,
    interrupted: () => new AbortController().signal,
  };
  return { code: await main(args, around), out: out.join('\n'), err: err.join('\n') };
}

/** On the data directory of this file. */
async function millrace(...args: string[]) {
  const { code, out, err } = await call(args);
  return { code, err, out: out.split('\n').filter((line) => line !== '') };
}

const user = async (token: string) =>
  (await fetch(`${server?.url}/api/v4/user`, { headers: { 'PRIVATE-TOKEN': token } })).status;

it('copies objects to another place, as often as it is asked', async () => {
  const [from, to] = ['from', 'to'].map((name) => path.join(directory, name));
  const key = 'ab'.repeat(16);
  await mkdir(path.join(from ?? '', 'ab', 'ab'), { recursive: true });
  await writeFile(path.join(from ?? '', 'ab', 'ab', key), 'object');
  const copy = (source = `file:${from}`) => call(['objects', 'copy', source], { MILLRACE_OBJECTS: `file:${to}` });
  expect(await copy()).toMatchObject({ code: 0, out: 'copied 1 objects (6 bytes), 0 were there' });
  expect(await copy()).toMatchObject({ code: 0, out: 'copied 0 objects (0 bytes), 1 were there' });
  expect(String(await readFile(path.join(to ?? '', 'ab', 'ab', key)))).toBe('object');
  expect(await copy(`file:${to}`)).toMatchObject({ code: 2, err: expect.stringContaining('FROM is the place') });
  expect(await copy('/srv')).toMatchObject({ code: 2, err: expect.stringContaining('file:/path or s3://bucket') });
});

it('explains itself: 0 when asked, 2 when called wrongly', async () => {
  expect(await call(['help'])).toMatchObject({ code: 0, out: expect.stringContaining('serve    Serve until') });
  expect(await call(['token', '--help'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('millrace token revoke ID'),
  });
  expect(await call([])).toMatchObject({ code: 2, err: expect.stringContaining('Commands:') });
  expect(await call(['fly'])).toMatchObject({ code: 2, err: expect.stringContaining('there is no command fly') });
  expect(await call(['user', 'create', 'ada'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('EMAIL is missing'),
  });
  expect(await call(['user', 'drop'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('there is no user drop'),
  });
  expect(await call(['token', 'revoke', 'x'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('ID is x, but must be a number'),
  });
  expect(await call(['version', '--loud'])).toMatchObject({ code: 2, err: expect.stringContaining("'--loud'") });
  expect(await call(['version', 'x'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('unexpected argument x'),
  });
});

it('shows versions', async () => {
  const { code, out } = await call(['--version']);
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/^millrace \d+\.\d+\.\d+ \(\S+\), API \d+\.\d+\.\d+-millrace, Node v/),
  ]);
});

it('shows the effective configuration, where it comes from, and no secret', async () => {
  const file = path.join(directory, 'millrace.toml');
  await writeFile(file, 'host = "0.0.0.0"\nroot_token = "glpat-hidden"\n');
  const { code, out } = await call(['config', '--json'], { MILLRACE_CONFIG: file, MILLRACE_PORT: '81' });
  expect(code).toBe(0);
  const shown = JSON.parse(out) as { file: string; keys: Array<Record<string, string>> };
  expect(shown.file).toBe(file);
  expect(shown.keys).toContainEqual({ env: 'MILLRACE_HOST', toml: 'host', value: '0.0.0.0', source: 'file' });
  expect(shown.keys).toContainEqual({ env: 'MILLRACE_PORT', toml: 'port', value: '81', source: 'environment' });
  expect(shown.keys).toContainEqual({ env: 'MILLRACE_ROOT_TOKEN', toml: 'root_token', value: '(set)', source: 'file' });
  expect(out).not.toContain('glpat-hidden');
  expect((await call(['config'])).out).toMatch(/MILLRACE_SSH_PORT +2222 +\(default\)/);
});

it('ends with 2 and the reason when the configuration is wrong', async () => {
  const wrong = await call(['config'], { MILLRACE_PORT: 'x' });
  expect(wrong).toMatchObject({
    code: 2,
    err: 'millrace: MILLRACE_PORT is "x", but must be a port number from 0 to 65535',
  });
  const absent = await call(['config'], { MILLRACE_CONFIG: '/nonexistent.toml' });
  expect(absent).toMatchObject({ code: 2, err: expect.stringContaining('there is no such file') });
});

it('manages accounts and tokens beside a running server', async () => {
  server = await spawnServer({ MILLRACE_DATA: path.join(directory, 'data') });
  const created = await millrace('user', 'create', 'ada', 'ada@example.com', '--name', 'Ada L.', '--json');
  expect([created.code, created.err]).toEqual([0, '']);
  expect(JSON.parse(created.out[0] ?? '')).toEqual({
    id: expect.any(Number),
    username: 'ada',
    name: 'Ada L.',
    email: 'ada@example.com',
    state: 'active',
    admin: false,
    password: expect.stringMatching(/^\S{20}$/),
  });
  const again = await millrace('user', 'create', 'ada', 'other@example.com');
  expect([again.code, again.err]).toEqual([1, 'millrace: Username has already been taken']);
  expect((await millrace('user', 'list')).out).toEqual([
    expect.stringMatching(/^ID +USERNAME/),
    expect.stringMatching(/^1 +root +Administrator .* active +admin$/),
    expect.stringMatching(/^\d+ +ada +Ada L\. +ada@example\.com +active$/),
  ]);
  const token = await millrace('token', 'create', 'ada', 'laptop');
  expect(token.out).toEqual([expect.stringMatching(/^glpat-\S+$/)]);
  expect(await user(token.out[0] ?? '')).toBe(200);
  const [row] = JSON.parse((await millrace('token', 'list', 'ada', '--json')).out.join('')) as [{ id: number }];
  expect(row).toMatchObject({ name: 'laptop', expires_at: null, revoked: false });
  expect((await millrace('token', 'revoke', String(row.id))).code).toBe(0);
  await expect.poll(() => user(token.out[0] ?? '')).toBe(401);
  const nobody = await millrace('token', 'create', 'nobody', 'x');
  expect([nobody.code, nobody.err]).toEqual([1, 'millrace: there is no user nobody']);
  const reset = await millrace('user', 'password', 'root');
  expect([reset.code, reset.out]).toEqual([0, [expect.stringMatching(/^new password of root: \S{20}$/)]]);
});

it('refuses to restore a backup without its name or its passphrase, before a database is made', async () => {
  const backups = { MILLRACE_BACKUPS: `file:${path.join(directory, 'backups')}` };
  const created = await call(['backup', 'create', '--json'], { ...backups, MILLRACE_BACKUP_PASSPHRASE: 'sesame' });
  expect([created.code, created.err]).toEqual([0, '']);
  const { name } = JSON.parse(created.out) as { name: string };
  const data = path.join(directory, 'restored');
  const restore = (of: string, passphrase: Record<string, string> = {}) =>
    call(['backup', 'restore', of], { ...backups, ...passphrase, MILLRACE_DATA: data });
  const wrong = { MILLRACE_BACKUP_PASSPHRASE: 'simsim' };
  const none = `there is no complete backup ${'0'.repeat(32)} in file:${path.join(directory, 'backups')}`;
  expect(await restore('0'.repeat(32))).toMatchObject({ code: 1, err: `millrace: ${none}` });
  expect(await restore(name)).toMatchObject({
    code: 1,
    err: `millrace: backup ${name} is encrypted: its passphrase is required`,
  });
  expect(await restore(name, wrong)).toMatchObject({
    code: 1,
    err: `millrace: the passphrase is not that of backup ${name}`,
  });
  await expect(readdir(data)).rejects.toThrow('ENOENT');
});

it('leaves nothing behind where a bucket has no backup of the name', async () => {
  const storage = await startStorage();
  const data = path.join(directory, 'from-bucket');
  const { MILLRACE_OBJECTS: url, ...keys } = storage.environment('backups');
  const env = { ...keys, MILLRACE_BACKUPS: url ?? '', MILLRACE_DATA: data };
  const none = await call(['backup', 'restore', '0'.repeat(32)], env);
  expect([none.code, none.err]).toEqual([1, expect.stringContaining('there is no complete backup 0000')]);
  expect(storage.requests.length).toBeGreaterThan(0);
  await expect(readdir(data)).rejects.toThrow('ENOENT');
  await storage.close();
});

it('looks at everything with doctor, beside a running server and after it', async () => {
  const beside = await millrace('doctor');
  expect([beside.code, beside.err]).toEqual([0, '']);
  expect(beside.out.join('\n')).toMatch(/ok +git +\d+\.\d+/);
  expect(beside.out.join('\n')).toMatch(/ok +data directory +.*in use by process \d+/);
  server?.kill('SIGTERM');
  expect(await server?.exit).toBe(0);
  const alone = await millrace('doctor', '--json', '--fsck', '--objects');
  expect(alone.code).toBe(0);
  expect(JSON.parse(alone.out.join(''))).toContainEqual({
    check: 'database',
    ok: true,
    message: 'embedded, schema up to date',
  });
  expect(JSON.parse(alone.out.join(''))).toContainEqual({
    check: 'objects',
    ok: true,
    message: expect.stringMatching(/^\d+ are as the database says$/),
  });
  await rm(path.join(directory, 'data', 'repositories'), { recursive: true });
  await writeFile(path.join(directory, 'data', 'repositories'), 'in the way');
  const broken = await millrace('doctor');
  expect([broken.code, broken.out.filter((line) => line.startsWith('FAIL')).length]).toEqual([1, 1]);
  await rm(path.join(directory, 'data', 'repositories'));
});

it('works without a running server, and stops the database that it started', async () => {
  expect((await millrace('user', 'list')).out).toHaveLength(3);
  server = await spawnServer({ MILLRACE_DATA: path.join(directory, 'data') });
  expect(server.output).toEqual([`millrace ready ${server.url}`]);
});
