/** Backups while 50 writes arrive each second, and creating processes that are killed: restored instances have everything acknowledged before. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { api } from '../src/support/api.ts';
import { git, runProgram } from '../src/support/git.ts';
import { root, rootToken, startInstance } from '../src/support/instance.ts';
import type { Suite } from '../src/support/suite.ts';
import { commit, createFile, createProject, type Member, type Project, startCluster } from './cluster.ts';
import { findRepository } from './machine.ts';

/** Branches that commits are made on and clones that are pushed from, each with one writer at a time. */
const lanesOfCommits = 12;
const clones = 6;

interface Sizes {
  /** Backups that are made one after the other while writes arrive; the last one is restored, and the first. */
  readonly backups: number;
  readonly writesPerSecond: number;
  /** Creating processes that are killed. */
  readonly kills: number;
  /** Megabytes of uploads, so that a backup takes a while. */
  readonly megabytes: number;
}

interface Write {
  readonly kind: 'issue' | 'commit' | 'push';
  /** Title, file or branch. */
  readonly what: string;
  /** When it was acknowledged. */
  readonly at: number;
}

interface Listed {
  readonly name: string;
  readonly point_at: string;
}

/** Every tenth write is a push and three are commits; the others are issues. Each begins when its time has come, whatever became of others. */
function startWriting(member: Member, project: Project, works: readonly string[], perSecond: number) {
  const acknowledged: Write[] = [];
  const refused: string[] = [];
  const pending = new Set<Promise<void>>();
  const began = Date.now();
  let number = 0;
  /** One branch and one clone have one writer at a time. */
  const lanes = new Map<string, Promise<unknown>>();
  const inLane = (lane: string, work: () => Promise<unknown>) => {
    const next = (lanes.get(lane) ?? Promise.resolve()).then(work);
    lanes.set(
      lane,
      next.catch(() => undefined),
    );
    return next;
  };

  async function push(work: string, branch: string): Promise<void> {
    writeFileSync(join(work, 'pushed.txt'), branch);
    await git(work, 'commit', '--quiet', '-a', '-m', branch);
    await git(work, 'push', '--quiet', project.remote(member), `HEAD:refs/heads/${branch}`);
  }

  function write(id: number): readonly [Write['kind'], string, Promise<unknown>] {
    const turn = id % 10;
    if (turn === 0) {
      const work = works[(id / 10) % works.length] ?? '';
      return ['push', `push-${id}`, inLane(work, () => push(work, `push-${id}`))];
    }
    if (turn > 3) {
      const body = { title: `Issue ${id}` };
      return ['issue', body.title, member.api.expect(201, 'POST', `${project.path}/issues`, body)];
    }
    const file = `api/${id}.txt`;
    const lane = `lane-${id % lanesOfCommits}`;
    return ['commit', file, inLane(lane, () => commit(member, project, lane, [createFile(file)]))];
  }

  const timer = setInterval(() => {
    for (const due = ((Date.now() - began) / 1000) * perSecond; number < due; ) {
      const [kind, what, work] = write(number++);
      const done = work
        .then(
          () => void acknowledged.push({ kind, what, at: Date.now() }),
          (error: Error) => void refused.push(`${kind} ${what}: ${error.message.slice(0, 300)}`),
        )
        .finally(() => pending.delete(done));
      pending.add(done);
    }
  }, 10);
  return {
    acknowledged,
    refused,
    rate: () => acknowledged.length / ((Date.now() - began) / 1000),
    async stop() {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
}

/** Issues of the restored instance by their titles. */
async function titlesOf(url: string, project: Project): Promise<Set<string>> {
  const titles = new Set<string>();
  for (let page = 1; ; page++) {
    const target = `${project.path}/issues?per_page=100&page=${page}&order_by=created_at&sort=asc`;
    const found = await api(url, rootToken).expect<{ title: string }[]>(200, 'GET', target);
    for (const { title } of found) titles.add(title);
    if (found.length < 100) return titles;
  }
}

export async function backupsUnderLoad(
  suite: Suite,
  directory: string,
  sizes: Sizes,
  say: (line: string) => void,
): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const backups = `file:${join(directory, 'backups')}`;
  const cluster = await startCluster(directory, 1, { env: { MILLRACE_BACKUPS: backups } });
  const [member] = cluster.members as [Member];
  const environment = (place: string, data: string) => ({
    HOME: place,
    MILLRACE_DATA: data,
    MILLRACE_BACKUPS: backups,
    MILLRACE_REPOSITORIES: `default=${join(place, 'repositories')}`,
    MILLRACE_OBJECTS: `file:${join(place, 'objects')}`,
    MILLRACE_SECRETS: join(place, 'secrets.key'),
  });
  const source = environment(directory, join(member.instance.data, 'millrace'));
  const command = (env: Readonly<Record<string, string>>, ...words: string[]) =>
    runProgram(process.execPath, directory, [join(root, 'dist/millrace.mjs'), ...words], env);
  const succeeds = async (env: Readonly<Record<string, string>>, ...words: string[]) => {
    const ran = await command(env, ...words);
    assert.equal(ran.code, 0, `${words.join(' ')}: ${ran.stdout}${ran.stderr}`);
    return ran.stdout;
  };
  const listed = async () =>
    (await succeeds(source, 'backup', 'list', '--json'))
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Listed);

  /** Restores a backup beside the source and compares it with what was acknowledged before its point. */
  async function compared(project: Project, backup: Listed, writes: readonly Write[]): Promise<number> {
    const place = mkdtempSync(join(directory, 'restored-'));
    // The embedded database runs under another uid and must be able to pass.
    chmodSync(place, 0o711);
    const data = join(place, 'process');
    const env = environment(place, join(data, 'millrace'));
    mkdirSync(data, { mode: 0o711 });
    await succeeds(env, 'backup', 'restore', backup.name);
    const instance = await startInstance({ data, env: { ...env, HOME: data, MILLRACE_RUNNER: 'off' } });
    try {
      // Refs agree with rows, repositories are whole, and no object is missing.
      await succeeds(env, 'doctor', '--fsck', '--objects');
      const repository = findRepository(join(place, 'repositories'));
      const inside = (...words: string[]) => git(repository, '-c', 'safe.directory=*', ...words);
      assert.equal(await inside('fsck', '--full', '--strict', '--no-dangling'), '');
      const before = writes.filter(({ at }) => at < Date.parse(backup.point_at));
      const titles = await titlesOf(instance.url, project);
      const branches = new Set(
        (await inside('for-each-ref', '--format=%(refname:lstrip=2)', 'refs/heads')).split('\n'),
      );
      const files = new Set<string>();
      for (const branch of branches)
        if (branch.startsWith('lane-'))
          for (const file of (await inside('ls-tree', '-r', '--name-only', branch)).split('\n')) files.add(file);
      const there = { issue: titles, commit: files, push: branches };
      const lost = before.filter(({ kind, what }) => !there[kind].has(what));
      assert.deepEqual(lost, []);
      const kinds = new Set(before.map(({ kind }) => kind));
      assert.deepEqual([...kinds].sort(), ['commit', 'issue', 'push']);
      return before.length;
    } finally {
      await instance.stop();
    }
  }

  try {
    const project = await createProject(member, 'kept');
    await commit(member, project, 'main', [createFile('pushed.txt')]);
    for (let lane = 0; lane < lanesOfCommits; lane++)
      await commit(member, project, `lane-${lane}`, [createFile('begin.txt')], { start_branch: 'main' });
    const works = await Promise.all(
      Array.from({ length: clones }, async (_, at) => {
        await git(directory, 'clone', '--quiet', project.remote(member), `work-${at}`);
        return join(directory, `work-${at}`);
      }),
    );
    for (let at = 0; at < sizes.megabytes; at++) {
      const form = new FormData();
      form.set('file', new Blob([Buffer.alloc(1024 * 1024, at)]), `file-${at}.bin`);
      const target = `${member.instance.url}/api/v4${project.path}/uploads`;
      const answer = await fetch(target, { method: 'POST', headers: { 'PRIVATE-TOKEN': rootToken }, body: form });
      assert.equal(answer.status, 201);
      await answer.arrayBuffer();
    }

    await suite.step(
      `faults: backups under ${sizes.writesPerSecond} writes/s hold everything acknowledged before their point`,
      async () => {
        const writing = startWriting(member, project, works, sizes.writesPerSecond);
        const took: number[] = [];
        await sleep(1000);
        for (let count = 0; count < sizes.backups; count++) {
          const begin = performance.now();
          await succeeds(source, 'backup', 'create');
          took.push(Math.round(performance.now() - begin));
        }
        const rate = writing.rate();
        await writing.stop();
        assert.deepEqual(writing.refused, []);
        const all = await listed();
        assert.equal(all.length, sizes.backups);
        const chosen = [all[0], all.at(-1)].filter((one, at, both) => one && both.indexOf(one) === at) as Listed[];
        for (const backup of chosen) {
          await succeeds(source, 'backup', 'verify', backup.name);
          const found = await compared(project, backup, writing.acknowledged);
          say(
            `backup ${all.indexOf(backup) + 1} of ${all.length}: ${found} of ${writing.acknowledged.length} writes before its point, none lost`,
          );
        }
        say(
          `${sizes.writesPerSecond} writes/s begun, ${rate.toFixed(0)} of them acknowledged each second while backups took ${took.join(', ')} ms; the others were acknowledged later`,
        );
      },
      1800,
    );

    await suite.step(
      `faults: ${sizes.kills} kills of creating processes leave nothing that looks like a backup`,
      async () => {
        const durations: number[] = [];
        for (let count = 0; count < 2; count++) {
          const begin = performance.now();
          await succeeds(source, 'backup', 'create', '--full');
          durations.push(performance.now() - begin);
        }
        const long = Math.min(...durations);
        let complete = 0;
        for (let count = 0; count < sizes.kills; count++) {
          const before = new Set((await listed()).map(({ name }) => name));
          // Spread over the time that one takes when nothing disturbs it.
          const seconds = (long * (count + 1)) / (sizes.kills + 1) / 1000;
          const words = [process.execPath, join(root, 'dist/millrace.mjs'), 'backup', 'create', '--full'];
          await runProgram('timeout', directory, ['--signal=KILL', seconds.toFixed(3), ...words], source);
          for (const { name } of await listed()) {
            if (before.has(name)) continue;
            complete += 1;
            await succeeds(source, 'backup', 'verify', name);
          }
        }
        say(`${sizes.kills} creating processes killed: ${complete} had completed, the others left no backup`);
        const name = /created backup (\w+)/.exec(await succeeds(source, 'backup', 'create', '--keep', '1'))?.[1] ?? '';
        assert.deepEqual(
          (await listed()).map((one) => one.name),
          [name],
        );
        await succeeds(source, 'backup', 'verify', name);
      },
    );
  } finally {
    await cluster.stop();
  }
}
