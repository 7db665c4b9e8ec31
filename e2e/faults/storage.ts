/** A storage that is full, read-only or away: clear errors at once, nothing half, and writes again as soon as it is back. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git, run } from '../src/support/git.ts';
import type { Suite } from '../src/support/suite.ts';
import { commit, createFile, createProject, type Member, startCluster } from './cluster.ts';
import { filesBelow, findRepository, smallDisk } from './machine.ts';

const megabytes = 64;

export async function storageFaults(suite: Suite, directory: string): Promise<void> {
  const disk = smallDisk(join(directory, 'disk'), megabytes);
  const repositories = join(disk.path, 'repositories');
  const cluster = await startCluster(directory, 1, { repositories });
  try {
    const [member] = cluster.members as [Member];
    const { pid } = member.instance;
    const project = await createProject(member, 'storage');
    await commit(member, project, 'main', [createFile('README.md')]);
    const repository = findRepository(repositories);
    const work = join(directory, 'work');
    mkdirSync(directory, { recursive: true });
    await git(directory, 'clone', '--quiet', project.remote(member), 'work');
    let step = 0;

    const refs = () => git(repository, '-c', 'safe.directory=*', 'for-each-ref');
    const readiness = async () => (await fetch(`${member.instance.url}/-/readiness?all=1`)).status;
    const write = () => {
      const body = { branch: 'main', commit_message: 'x', actions: [createFile(`api/${step++}.txt`)] };
      return member.api.call<{ message?: string }>('POST', `${project.path}/repository/commits`, body);
    };
    const push = async (bytes: number) => {
      writeFileSync(join(work, `pushed-${step++}`), randomBytes(bytes));
      await git(work, 'add', '.');
      await git(work, 'commit', '--quiet', '-m', 'Pushed');
      return await run(work, ['push', 'origin', `HEAD:refs/heads/pushed-${step}`]);
    };
    /** Refused quickly with a reason, over the API and at the terminal; the repository is as it was. */
    const refuses = async (statuses: readonly number[], reason: RegExp, bytes = 1000) => {
      const before = await refs().catch(() => null);
      const begin = performance.now();
      const answer = await write();
      assert.ok(statuses.includes(answer.status), `${answer.status} ${JSON.stringify(answer.body)}`);
      assert.match(String(answer.body.message), reason);
      const pushed = await push(bytes);
      assert.notEqual(pushed.code, 0);
      assert.match(pushed.stderr, reason);
      assert.ok(performance.now() - begin < 60_000, 'the refusals took too long');
      assert.equal(await refs().catch(() => null), before);
    };
    /** Everything is as if nothing had been, and writes go on. */
    const recovers = async () => {
      const answer = await write();
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.equal((await push(1000)).code, 0);
      const left = filesBelow(repository).filter((name) => /\.lock$|incoming-|tmp_/.test(name));
      assert.deepEqual(left, []);
      await git(repository, '-c', 'safe.directory=*', 'fsck', '--full', '--strict', '--no-dangling');
      assert.equal(await readiness(), 200);
    };

    console.log(`  the disk is a ${disk.way}`);
    await suite.step('faults: a push that does not fit is refused with a reason, and leaves nothing', async () => {
      const before = await refs();
      disk.bound(pid);
      const pushed = await push((megabytes + 10) * 1024 * 1024);
      assert.notEqual(pushed.code, 0);
      assert.match(pushed.stderr, /storage.*full|No space/i);
      assert.equal(await refs(), before);
      disk.empty(pid);
      await git(work, 'reset', '--quiet', '--hard', 'HEAD~1');
      await recovers();
    });
    await suite.step('faults: a full disk refuses writes with 507, is not ready, and recovers', async () => {
      disk.fill(pid);
      try {
        await refuses([507], /storage.*full/i);
        assert.equal(await readiness(), 503);
        await member.api.expect(200, 'GET', `${project.path}/repository/files/README.md?ref=main`);
      } finally {
        disk.empty(pid);
      }
      await recovers();
    });
    const { readOnly } = disk;
    if (readOnly !== null)
      await suite.step('faults: a read-only disk refuses writes with 503, is read, and recovers', async () => {
        readOnly();
        try {
          await refuses([503], /storage.*(read-only|cannot be written)/i);
          assert.equal(await readiness(), 503);
          await member.api.expect(200, 'GET', `${project.path}/repository/files/README.md?ref=main`);
          await git(work, 'fetch', '--quiet', 'origin');
        } finally {
          disk.writable();
        }
        await recovers();
      });
    else console.log('  not run: a read-only disk; nothing here makes one for root');
    await suite.step(
      'faults: a repository whose directory vanished is told as missing, and comes back whole',
      async () => {
        renameSync(repository, `${repository}.away`);
        try {
          await refuses([503], /repository.*(missing|not there)/i);
        } finally {
          renameSync(`${repository}.away`, repository);
        }
        await recovers();
      },
    );
    await suite.step(
      'faults: a storage that vanished is told, nothing is made in its place, and it comes back',
      async () => {
        renameSync(repositories, `${repositories}-away`);
        try {
          await refuses([503], /(repository|storage).*(missing|not there)/i);
          assert.equal(await readiness(), 503);
          const body = { name: 'nowhere', path: 'nowhere' };
          assert.equal((await member.api.call('POST', '/projects', body)).status, 503);
          assert.equal((await member.api.call('GET', '/projects/root%2Fnowhere')).status, 404);
        } finally {
          renameSync(`${repositories}-away`, repositories);
        }
        await recovers();
      },
    );
  } finally {
    await cluster.stop();
    disk.remove();
  }
}
