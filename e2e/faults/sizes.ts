/** Large things do not make the server large: a big push, many refs, a client that stalls or never reads. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { until } from '../src/support/api.ts';
import { git } from '../src/support/git.ts';
import { rootToken } from '../src/support/instance.ts';
import type { Suite } from '../src/support/suite.ts';
import { commit, createFile, createProject, type Member, startCluster } from './cluster.ts';
import { flat, largeObjects, objectsInBucket, tolerated } from './lfs-sizes.ts';
import { below, filesBelow, findRepository, growthWhile } from './machine.ts';

export interface Sizes {
  readonly pushMegabytes: number;
  readonly lfsMegabytes: number;
  /** None when 0. */
  readonly bucketMegabytes: number;
  readonly refs: number;
}

function writeRandom(path: string, megabytes: number): void {
  const file = openSync(path, 'w');
  for (let index = 0; index < megabytes; index++) writeSync(file, randomBytes(1024 * 1024));
  closeSync(file);
}

export async function largeThings(
  suite: Suite,
  directory: string,
  sizes: Sizes,
  say: (line: string) => void,
): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const cluster = await startCluster(directory, 1, { env: { MILLRACE_GIT_HTTP_STALL_SECONDS: '12' } });
  const [member] = cluster.members as [Member];
  const { pid } = member.instance;
  try {
    const project = await createProject(member, 'large');
    await commit(member, project, 'main', [createFile('README.md')]);
    const repository = findRepository(cluster.repositories);
    const work = join(directory, 'work');
    await git(directory, 'clone', '--quiet', project.remote(member), 'work');
    // Looking for differences of noise takes the client minutes.
    await git(work, 'config', 'core.bigFileThreshold', '1m');
    await git(work, 'config', 'core.compression', '0');
    const push = (...specs: string[]) => git(work, 'push', '--quiet', 'origin', ...specs);
    await suite.step(
      `faults: a push of ${sizes.pushMegabytes} MB and its clone leave the server within ${tolerated} MB`,
      async () => {
        const files = Math.max(1, sizes.pushMegabytes / 100);
        for (let index = 0; index < files; index++)
          writeRandom(join(work, `large-${index}`), sizes.pushMegabytes / files);
        await git(work, 'add', '.');
        await git(work, 'commit', '--quiet', '-m', 'Large');
        const pushed = await growthWhile(pid, () => push('HEAD:refs/heads/large'));
        const cloned = await growthWhile(pid, () =>
          git(directory, 'clone', '--quiet', '--bare', project.remote(member), 'copy.git'),
        );
        flat(say, { push: pushed, clone: cloned });
      },
      1800,
    );

    await largeObjects(suite, 'files', member, project, sizes.lfsMegabytes, say);

    await suite.step('faults: a client that sends half a pack and stops is cut off and leaves nothing', async () => {
      const head = await git(work, 'rev-parse', 'HEAD');
      const line = `${'0'.repeat(40)} ${head} refs/heads/half\0report-status side-band-64k`;
      const command = `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
      const pack = Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 1, 0]), randomBytes(1000)]);
      const url = new URL(project.remote(member));
      const socket = connect(Number(url.port), url.hostname);
      const authorization = Buffer.from(`oauth2:${rootToken}`).toString('base64');
      const head_ = [
        `POST ${url.pathname}/git-receive-pack HTTP/1.1`,
        `Host: ${url.host}`,
        `Authorization: Basic ${authorization}`,
        'Content-Type: application/x-git-receive-pack-request',
        'Content-Length: 100000',
        '',
        '',
      ].join('\r\n');
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.on('error', () => undefined);
      socket.resume();
      socket.write(Buffer.concat([Buffer.from(head_), Buffer.from(command), pack]));
      await until('the quarantine', 60, async () =>
        filesBelow(repository).some((name) => name.startsWith('objects/incoming-')),
      );
      const late = new Promise<never>((_, reject) => {
        setTimeout(() => reject(new Error('still connected after 180 s')), 180_000).unref();
      });
      await Promise.race([closed, late]);
      await until('a clean repository', 60, async () => {
        const left = filesBelow(repository).filter((name) => /incoming-|\.lock$|tmp_/.test(name));
        const running = below(pid).filter(({ words }) => words.includes('index-pack'));
        return left.length === 0 && running.length === 0;
      });
      await push('HEAD:refs/heads/after-half');
    });

    await suite.step('faults: a client that never reads its clone is cut off, and its git ends', async () => {
      const url = new URL(project.remote(member));
      const head = await git(work, 'rev-parse', 'HEAD');
      const pkt = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
      const body = `${pkt('command=fetch')}0001${pkt('no-progress')}${pkt(`want ${head}\n`)}${pkt('done\n')}0000`;
      const socket = connect(Number(url.port), url.hostname);
      socket.on('error', () => undefined);
      socket.pause();
      const authorization = Buffer.from(`oauth2:${rootToken}`).toString('base64');
      const head_ = [
        `POST ${url.pathname}/git-upload-pack HTTP/1.1`,
        `Host: ${url.host}`,
        `Authorization: Basic ${authorization}`,
        'Git-Protocol: version=2',
        'Content-Type: application/x-git-upload-pack-request',
        `Content-Length: ${body.length}`,
        '',
        '',
      ].join('\r\n');
      socket.write(head_ + body);
      const serving = () =>
        below(pid).filter(({ words }) => words.some((word) => /^(upload-pack|pack-objects)$/.test(word)));
      await until('a git that serves', 60, async () => serving().length > 0);
      await until('its end', 180, async () => serving().length === 0);
      socket.destroy();
    });

    await suite.step(
      `faults: a repository with ${sizes.refs.toLocaleString('en')} refs is pushed to, listed and fetched`,
      async () => {
        const tip = await git(work, 'rev-parse', 'HEAD~1');
        // git over HTTP compares each pushed name with each there is: most are there before, as after years.
        const pushed = Math.min(sizes.refs, 1000);
        const lines = (from: number, to: number) =>
          Array.from({ length: to - from }, (_, index) => `${tip} refs/heads/many/${from + index}`).join('\n');
        if (sizes.refs > pushed) {
          await member.kill();
          await git(repository, '-c', 'safe.directory=*', 'pack-refs', '--all');
          const packed = join(repository, 'packed-refs');
          const there = readFileSync(packed, 'utf8').split('\n').slice(1).filter(Boolean).join('\n');
          // Without the header that says that they are sorted.
          writeFileSync(packed, `${there}\n${lines(pushed, sizes.refs)}\n`);
          await member.restart();
        }
        writeFileSync(join(work, '.git/packed-refs'), `${lines(0, pushed)}\n`);
        const pushBegin = performance.now();
        await git(work, 'push', '--quiet', project.remote(member), 'refs/heads/many/*:refs/heads/many/*');
        say(`${pushed} refs pushed to ${sizes.refs - pushed} in ${Math.round(performance.now() - pushBegin)} ms`);
        const begin = performance.now();
        const branches = await member.api.call<unknown[]>(
          'GET',
          `${project.path}/repository/branches?search=many/1&per_page=20`,
        );
        assert.equal(branches.status, 200);
        assert.equal(branches.body.length, 20);
        const listed = performance.now();
        const one = await git(work, 'ls-remote', project.remote(member), 'refs/heads/many/7');
        assert.match(one, /refs\/heads\/many\/7$/);
        const asked = performance.now();
        await commit(member, project, 'main', [createFile(`among-${sizes.refs}`)]);
        const written = performance.now();
        await git(work, 'fetch', '--quiet', project.remote(member), 'main');
        say(
          `${sizes.refs} refs: branches page ${Math.round(listed - begin)} ms, ls-remote ${Math.round(asked - listed)} ms, commit ${Math.round(written - asked)} ms, fetch ${Math.round(performance.now() - written)} ms`,
        );
      },
      1800,
    );
  } finally {
    await cluster.stop();
  }
  if (sizes.bucketMegabytes > 0) await objectsInBucket(suite, join(directory, 'bucket'), sizes.bucketMegabytes, say);
}
