/** Processes that the spawner starts behave like children of one's own, and those of a server that has none. */
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { existsSync } from 'node:fs';
import { buffer, text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { createBundle, readBundle } from '../transfer/bundle.ts';
import { runGit } from './run.ts';
import { createSpawner, type SpawnCommand, type Spawned, type Spawner } from './spawner.ts';

const path = '/usr/local/bin:/usr/bin:/bin';
const command = (program: string, ...args: string[]): SpawnCommand => ({
  program,
  args,
  env: { PATH: path },
  input: true,
});
const shell = (script: string) => command('sh', '-c', script);

/** The first process of a spawner is started directly, and it meanwhile. */
const ready = (spawner: Spawner) =>
  vi.waitFor(async () => {
    const made = await spawner.start(command('true'));
    if (!made) throw new Error('the spawner is not there yet');
  });
const started = async (spawner: Spawner, what: SpawnCommand): Promise<Spawned> => {
  const made = await spawner.start(what);
  if (!made) throw new Error('the spawner is not there');
  return made;
};
const ended = ({ child }: Spawned) =>
  new Promise<readonly [number | null, string | null]>((resolve) => {
    child.on('close', (code, signal) => resolve([code, signal]));
  });

describe('a process of the spawner', () => {
  let spawner: Spawner;
  beforeAll(async () => {
    spawner = createSpawner();
    await ready(spawner);
  });
  afterAll(() => spawner.close());

  it('reads its input and writes its outputs, of any length, beside others', async () => {
    const data = randomBytes(3 * 1024 * 1024);
    const one = async () => {
      const made = await started(spawner, shell('cat; echo complaint >&2; exit 3'));
      const end = ended(made);
      made.stdin?.end(data);
      const [out, err] = await Promise.all([buffer(made.stdout), text(made.stderr)]);
      expect(out.equals(data)).toBe(true);
      expect(err).toBe('complaint\n');
      expect(await end).toEqual([3, null]);
    };
    await Promise.all(Array.from({ length: 4 }, one));
  });

  it('has no input but what it is given, and nothing of the environment of the server', async () => {
    const made = await started(spawner, { ...shell('cat; env'), input: false });
    expect(made.stdin).toBeNull();
    made.stderr.resume();
    const names = (await text(made.stdout)).split('\n').map((line) => line.split('=')[0]);
    expect(names.filter((name) => name !== '' && !/^(PATH|PWD|OLDPWD|SHLVL|_)$/.test(name ?? ''))).toEqual([]);
  });

  it('closes when it ends although nobody reads what it wrote, and although it did not read its input', async () => {
    const unread = await started(spawner, shell('echo some; echo more >&2'));
    expect(await ended(unread)).toEqual([0, null]);
    const deaf = await started(spawner, shell('exec 0<&-; echo said'));
    deaf.stdin?.on('error', () => undefined);
    deaf.stdin?.write(randomBytes(1024 * 1024));
    const end = ended(deaf);
    deaf.stderr.resume();
    expect(await text(deaf.stdout)).toBe('said\n');
    expect(await end).toEqual([0, null]);
  });

  it('loses nothing of processes that end before all their streams are there', async () => {
    const one = async (number: number) => {
      const made = await started(spawner, { ...command('echo', String(number)), input: number % 2 === 0 });
      const end = ended(made);
      const [out, err] = await Promise.all([text(made.stdout), text(made.stderr)]);
      expect([out, err, await end]).toEqual([`${number}\n`, '', [0, null]]);
    };
    for (let round = 0; round < 10; round += 1) await Promise.all(Array.from({ length: 20 }, (_, at) => one(at)));
  });

  it('ends with a signal, and one that is not there says so', async () => {
    const made = await started(spawner, command('sleep', '60'));
    const end = ended(made);
    made.child.kill('SIGTERM');
    expect(await end).toEqual([null, 'SIGTERM']);
    // It may be known before all its streams are there: then it does not start at all.
    const missing = started(spawner, command('/nonexistent/program')).then(async (begun) => {
      const [error] = await Promise.all([
        new Promise<Error>((resolve) => begun.child.on('error', resolve)),
        ended(begun),
      ]);
      throw error;
    });
    await expect(missing).rejects.toThrow('ENOENT');
  });
});

describe('a server with a spawner', () => {
  const children: ChildProcess[] = [];
  const seen = (message: unknown) => children.push((message as { process: ChildProcess }).process);
  const spawners = () =>
    children.filter(({ spawnargs, exitCode, signalCode }) => {
      const living = exitCode === null && signalCode === null;
      return living && spawnargs.some((word) => word.includes('spawner-main'));
    });
  let fixture: Fixture;
  beforeAll(() => subscribe('child_process', seen));
  afterEach(async () => {
    await fixture.close();
    fixture.git.spawner?.close();
  });
  afterAll(() => unsubscribe('child_process', seen));

  it('runs git by it, ends it when it stops, and gives places back whatever becomes of a process', async () => {
    fixture = createFixture({ spawner: createSpawner() });
    const repo = await fixture.create();
    const [tip] = randomHistory(fixture, repo, 5);
    const { spawner, limiter } = fixture.git;
    await ready(spawner as Spawner);
    const before = children.length;
    const { stdout } = await runGit(repo, ['cat-file', '-t', tip as string], { work: 'read' });
    expect(stdout.toString()).toBe('commit\n');
    await expect(runGit(repo, ['cat-file', '-t', 'nothing'], { work: 'read' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(runGit(repo, ['log', '--all', '-p'], { work: 'heavy', maxBytes: 10 })).rejects.toMatchObject({
      code: 'limit',
    });
    const { stdout: echoed } = await runGit(repo, ['cat-file', '--batch-check'], { work: 'read', input: `${tip}\n` });
    expect(echoed.toString()).toContain('commit');
    (await createBundle(repo)).destroy();
    expect((await readBundle(await createBundle(repo))).refs.length).toBeGreaterThan(0);
    const running = () => Object.values(limiter.usage()).reduce((sum, { active }) => sum + active, 0);
    await expect.poll(running).toBe(0);
    expect(children.length).toBe(before);
    expect(spawners()).toHaveLength(1);
    spawner?.close();
    await expect.poll(() => spawners().length).toBe(0);
  });

  it('survives being asked while it dies', async () => {
    fixture = createFixture({ spawner: createSpawner() });
    const spawner = fixture.git.spawner as Spawner;
    await ready(spawner);
    const [living] = spawners();
    living?.disconnect();
    // Each message to it fails by itself, before its end is known.
    const asked = Array.from({ length: 5 }, () => spawner.start(command('true')));
    for (const { status } of await Promise.allSettled(asked)) expect(status).toBe('rejected');
    await expect.poll(() => spawners().length).toBe(0);
    expect(spawner.start(command('true'))).toBeNull();
  });

  it('goes on without it when it is killed', async () => {
    fixture = createFixture({ spawner: createSpawner() });
    const repo = await fixture.create();
    await ready(fixture.git.spawner as Spawner);
    const slow = await started(fixture.git.spawner as Spawner, command('sleep', '60'));
    const failed = new Promise<Error>((resolve) => slow.child.on('error', resolve));
    const close = ended(slow);
    const [directory = ''] = spawners().map(({ spawnargs }) => spawnargs.at(-1) ?? '');
    expect(existsSync(directory)).toBe(true);
    for (const each of spawners()) each.kill('SIGKILL');
    expect((await failed).message).toBe('the spawner has ended');
    await close;
    const { code } = await runGit(repo, ['count-objects'], { work: 'read' });
    expect(code).toBe(0);
    expect(spawners()).toHaveLength(0);
    await expect.poll(() => existsSync(directory)).toBe(false);
  });
});
