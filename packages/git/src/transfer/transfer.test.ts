/** Pushes and fetches by a real git client over HTTP, and what a hostile client sends. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { changedFiles } from '../diff/diff.ts';
import { newCommits } from '../history/log.ts';
import { createQuarantine, discardQuarantine } from '../objects/quarantine.ts';
import { readRef } from '../refs/files.ts';
import { fsck } from '../repository/maintenance.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { startTestServer, type TestServer, type TestServerOptions } from '../test-server.ts';
import { type RefName, type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { checkConnectivity, ingestPack } from './ingest.ts';
import { parseV2Request } from './ls-refs.ts';
import { createPacketReader, FLUSH, pktLine, sideBand } from './pkt-line.ts';
import { readReceiveRequest, receiveReport } from './receive-pack.ts';

const run = promisify(execFile);
let fixture: Fixture;
let repo: Repo;
const servers: TestServer[] = [];

beforeAll(() => {
  fixture = createFixture();
});
beforeEach(async () => {
  repo = await fixture.create();
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
  await fixture.close();
});

async function serve(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(repo, options);
  servers.push(server);
  return server;
}

const environment = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_COMMITTER_NAME: 'C',
  GIT_COMMITTER_EMAIL: 'c@example.org',
  LC_ALL: 'C',
};

/** The client runs beside the server, so it must not block this process. */
async function client(at: string, ...args: string[]): Promise<{ ok: boolean; text: string }> {
  try {
    const { stdout, stderr } = await run('git', args, { cwd: at, env: environment, maxBuffer: 64 * 1024 * 1024 });
    return { ok: true, text: stdout + stderr };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : '' };
  }
}

let works = 0;
async function workingCopy(url: string): Promise<string> {
  works += 1;
  const at = join(fixture.directory, `work${works}`);
  mkdirSync(at);
  await client(at, 'init', '-q', '-b', 'main');
  await client(at, 'remote', 'add', 'origin', url);
  return at;
}

async function commit(at: string, file: string, content: string): Promise<string> {
  writeFileSync(join(at, file), content);
  await client(at, 'add', '-A');
  await client(at, 'commit', '-q', '-m', `add ${file}`);
  return (await client(at, 'rev-parse', 'HEAD')).text.trim();
}

const ref = (name: string) => readRef(repo, name as RefName);
const quarantines = () => readdirSync(join(repo.path, 'objects')).filter((name) => name.startsWith('incoming-'));

describe('push', () => {
  test('first push, second push, tag, force, delete, and the message for the user', async () => {
    const server = await serve();
    const at = await workingCopy(server.url);
    const first = await commit(at, 'a', 'one\n');
    const pushed = await client(at, 'push', 'origin', 'main');
    expect(pushed).toMatchObject({ ok: true });
    expect(pushed.text).toContain('remote: hello from the server');
    expect(await ref('refs/heads/main')).toBe(first);
    const second = await commit(at, 'a', 'two\n');
    await client(at, 'tag', '-a', 'v1', '-m', 'tag');
    expect((await client(at, 'push', 'origin', 'main', 'v1', 'HEAD:refs/heads/other')).ok).toBe(true);
    expect(await ref('refs/heads/other')).toBe(second);
    await client(at, 'reset', '-q', '--hard', first);
    expect((await client(at, 'push', 'origin', 'main')).ok).toBe(false);
    expect((await client(at, 'push', '-f', 'origin', 'main')).ok).toBe(true);
    expect(await ref('refs/heads/main')).toBe(first);
    expect((await client(at, 'push', 'origin', ':other', ':refs/tags/v1')).ok).toBe(true);
    expect(await ref('refs/heads/other')).toBeNull();
    await expect.poll(quarantines).toEqual([]);
    expect((await fsck(repo)).healthy).toBe(true);
  });

  test('a history of many objects arrives as a pack, from a thin pack too', async () => {
    const source = await fixture.create();
    const tips = randomHistory(fixture, source, 51, 120);
    const server = await serve();
    expect((await client(source.path, 'push', server.url, '--all')).ok).toBe(true);
    expect(readdirSync(join(repo.path, 'objects/pack')).some((name) => name.endsWith('.idx'))).toBe(true);
    expect(await ref('refs/heads/feature/one')).toBe(tips[0]);
    const at = await workingCopy(server.url);
    await client(at, 'pull', '-q', 'origin', 'main');
    for (let i = 0; i < 60; i += 1) await commit(at, `many${i}`, `${i}\n`.repeat(50));
    expect((await client(at, 'push', '--thin', 'origin', 'main')).ok).toBe(true);
    expect((await fsck(repo)).healthy).toBe(true);
  });

  test('policy reads the quarantine; refusal of one reference, and of all when atomic', async () => {
    const seen: unknown[] = [];
    const server = await serve({
      policy: async (quarantine, command, pushOptions) => {
        const ids = await newCommits(quarantine.repo, [command.new], { limit: 10 });
        const files = await changedFiles(quarantine.repo, null, command.new);
        seen.push([command.name, ids.length, files.map(({ newPath }) => newPath), pushOptions]);
        if (command.name.endsWith('/bad')) throw new Error('this branch is protected');
      },
    });
    const at = await workingCopy(server.url);
    const id = await commit(at, 'file', 'x\n');
    const refused = await client(at, 'push', '-o', 'ci.skip', 'origin', 'HEAD:refs/heads/good', 'HEAD:refs/heads/bad');
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain('this branch is protected');
    expect(seen).toContainEqual(['refs/heads/good', 1, ['file'], ['ci.skip']]);
    expect([await ref('refs/heads/good'), await ref('refs/heads/bad')]).toEqual([id, null]);
    const atomic = await client(at, 'push', '--atomic', 'origin', 'HEAD:refs/heads/fine', 'HEAD:refs/heads/bad');
    expect(atomic.ok).toBe(false);
    expect(await ref('refs/heads/fine')).toBeNull();
    await expect.poll(quarantines).toEqual([]);
  });

  test('a shallow clone can push', async () => {
    const server = await serve();
    const at = await workingCopy(server.url);
    for (const n of [1, 2, 3]) await commit(at, `f${n}`, `${n}\n`);
    await client(at, 'push', 'origin', 'main');
    const shallow = join(fixture.directory, 'shallow');
    expect((await client(fixture.directory, 'clone', '-q', '--depth=1', '-b', 'main', server.url, shallow)).ok).toBe(
      true,
    );
    const id = await commit(shallow, 'more', 'x\n');
    expect((await client(shallow, 'push', 'origin', 'main')).ok).toBe(true);
    expect(await ref('refs/heads/main')).toBe(id);
  });

  test('concurrent pushes to one branch: one wins, the other is told, nothing is left behind', {
    retry: 0,
  }, async () => {
    const server = await serve();
    const at = await workingCopy(server.url);
    await commit(at, 'base', 'x\n');
    await client(at, 'push', 'origin', 'main');
    const copies = await Promise.all([0, 1, 2].map(() => workingCopy(server.url)));
    for (const [i, copy] of copies.entries()) {
      await client(copy, 'pull', '-q', 'origin', 'main');
      await commit(copy, `c${i}`, `${i}\n`);
    }
    const results = await Promise.all(copies.map((copy) => client(copy, 'push', 'origin', 'main')));
    expect(results.filter(({ ok }) => ok)).toHaveLength(1);
    await expect.poll(quarantines).toEqual([]);
  });

  test('the size limit stops a push and names the limit', async () => {
    const server = await serve({ maxBytes: 50_000 });
    const at = await workingCopy(server.url);
    const { randomBytes } = await import('node:crypto');
    writeFileSync(join(at, 'big'), randomBytes(200_000));
    await client(at, 'add', '-A');
    await client(at, 'commit', '-q', '-m', 'big');
    const refused = await client(at, 'push', 'origin', 'main');
    expect(refused.ok).toBe(false);
    expect(refused.text).toContain('50000');
    expect(await ref('refs/heads/main')).toBeNull();
    await expect.poll(quarantines).toEqual([]);
  });

  test('security 22: names that the house refuses are refused in a push as well', async () => {
    const server = await serve();
    const at = await workingCopy(server.url);
    await commit(at, 'a', 'x\n');
    for (const name of ['deadbeef'.repeat(5), 'HEAD', '-x']) {
      const result = await client(at, 'push', 'origin', `HEAD:refs/heads/${name}`);
      expect(result.ok).toBe(false);
    }
    expect(readdirSync(join(repo.path, 'refs/heads'))).toEqual([]);
  });
});

describe('fetch', () => {
  test.each([0, 1, 2])('clone, fetch and ls-remote with protocol version %i', async (version) => {
    randomHistory(fixture, repo, 61);
    fixture.plain(repo.path, ['update-ref', 'refs/secret/x', 'refs/heads/main']);
    const server = await serve({ hideRefs: ['refs/secret'] });
    const protocol = ['-c', `protocol.version=${version}`];
    const at = join(fixture.directory, `clone${version}`);
    expect((await client(fixture.directory, ...protocol, 'clone', '-q', server.url, at)).ok).toBe(true);
    expect((await client(at, 'rev-parse', 'HEAD')).text.trim()).toBe(await ref('refs/heads/main'));
    const listed = (await client(at, ...protocol, 'ls-remote', server.url)).text.trim();
    const local = fixture.plain(at, ['ls-remote', repo.path]).trim().split('\n');
    expect(listed).toBe(local.filter((line) => !line.includes('refs/secret')).join('\n'));
    fixture.plain(repo.path, ['update-ref', 'refs/pipelines/7', 'refs/heads/two']);
    const id = await ref('refs/pipelines/7');
    expect((await client(at, ...protocol, 'fetch', '-q', 'origin', `${id}:refs/remotes/pipeline`)).ok).toBe(true);
    expect((await client(at, ...protocol, 'fetch', '-q', '--depth=1', 'origin', 'main')).ok).toBe(true);
  });

  test('partial clones, and an empty repository', async () => {
    const server = await serve();
    const empty = await client(fixture.directory, 'clone', '-q', server.url, 'empty-clone');
    expect(empty.ok).toBe(true);
    const other = await fixture.create();
    randomHistory(fixture, other, 62);
    repo = other;
    const full = await serve();
    const partial = await client(fixture.directory, 'clone', '-q', '--filter=blob:none', full.url, 'partial-clone');
    expect(partial.ok).toBe(true);
    expect(existsSync(join(fixture.directory, 'partial-clone/.git'))).toBe(true);
  });

  test('our ls-refs equals that of git, byte for byte', async () => {
    randomHistory(fixture, repo, 63);
    const { answerLsRefs } = await import('./ls-refs.ts');
    const { refsSnapshot } = await import('../refs/snapshot.ts');
    const variants = [
      ['peel', 'symrefs', 'unborn', 'ref-prefix refs/heads/', 'ref-prefix HEAD'],
      ['peel'],
      ['symrefs', 'ref-prefix refs/tags/v'],
      ['ref-prefix refs/tags/', 'ref-prefix refs/heads/main', 'ref-prefix refs/heads/m', 'ref-prefix refs/none'],
      [],
    ];
    for (const list of variants) {
      const body = Buffer.concat([
        pktLine('command=ls-refs\n'),
        pktLine('object-format=sha1'),
        Buffer.from('0001'),
        ...list.map((line) => pktLine(`${line}\n`)),
        FLUSH,
      ]);
      const config = ['-c', 'protocol.version=2'];
      const theirs = await new Promise<Buffer>((resolve) => {
        const child = execFile(
          'git',
          [...config, 'upload-pack', '--stateless-rpc', repo.path],
          { env: { ...environment, GIT_PROTOCOL: 'version=2' }, encoding: 'buffer' },
          (_error, stdout) => resolve(stdout),
        );
        child.stdin?.end(body);
      });
      const ours = answerLsRefs(await parseV2Request(body), await refsSnapshot(repo, 1));
      expect(ours?.toString()).toBe(theirs.toString());
    }
  });
});

describe('hostile clients', () => {
  const packOf = (objects: { type: number; data: Buffer }[]) => {
    const parts = [Buffer.from('PACK\0\0\0\x02', 'latin1'), Buffer.alloc(4)];
    parts[1]?.writeUInt32BE(objects.length);
    for (const { type, data } of objects) {
      const header = [];
      let size = data.length;
      let byte = (type << 4) | (size & 15);
      size >>= 4;
      while (size > 0) {
        header.push(byte | 0x80);
        byte = size & 0x7f;
        size >>= 7;
      }
      header.push(byte);
      parts.push(Buffer.from(header), deflateSync(data));
    }
    const body = Buffer.concat(parts);
    return Buffer.concat([body, createHash('sha1').update(body).digest()]);
  };
  const entry = (mode: string, name: string, id: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
  const blob = { type: 3, data: Buffer.from('x') };
  const blobId = createHash('sha1').update('blob 1\0x').digest('hex');

  async function ingest(pack: Buffer, maxBytes = 10_000_000, unpackLimit?: number) {
    const quarantine = await createQuarantine(repo);
    try {
      async function* source() {
        for (let at = 0; at < pack.length; at += 7) yield pack.subarray(at, at + 7);
      }
      return await ingestPack(quarantine, source(), {
        maxBytes,
        ...(unpackLimit === undefined ? {} : { unpackLimit }),
      });
    } finally {
      await discardQuarantine(quarantine);
    }
  }

  test.each([0, 100])(
    'security 2: trees with .git, .., slashes or wrong order are refused (unpack limit %i)',
    async (limit) => {
      for (const name of ['.git', '.GIT', '..', '.', 'a/b', '', 'git~1', '.git ']) {
        const pack = packOf([blob, { type: 2, data: entry('100644', name, blobId) }]);
        await expect(ingest(pack, undefined, limit)).rejects.toMatchObject({ code: 'corrupt' });
      }
      const unsorted = Buffer.concat([entry('100644', 'b', blobId), entry('100644', 'a', blobId)]);
      await expect(ingest(packOf([blob, { type: 2, data: unsorted }]), undefined, limit)).rejects.toMatchObject({
        code: 'corrupt',
      });
      expect(
        await ingest(packOf([blob, { type: 2, data: entry('100644', 'fine', blobId) }]), undefined, limit),
      ).toMatchObject({ objects: 2 });
    },
  );

  test.each([0, 100])('damaged, truncated, oversized and impossible packs (unpack limit %i)', async (limit) => {
    const good = packOf([blob]);
    const flipped = Buffer.from(good);
    flipped[14] = (flipped[14] ?? 0) ^ 0xff;
    const lying = Buffer.from(good);
    lying.writeUInt32BE(5, 8);
    for (const pack of [flipped, lying, good.subarray(0, 20), Buffer.from('PACKxxxxxxxxxxxx'), Buffer.from('hello')]) {
      await expect(ingest(pack, undefined, limit)).rejects.toMatchObject({ code: 'corrupt' });
    }
    await expect(ingest(good, 20, limit)).rejects.toMatchObject({ code: 'limit' });
    expect(await ingest(Buffer.alloc(0))).toEqual({ objects: 0, bytes: 0, closed: false });
  });

  test('few small objects become loose ones; a few large ones stay the pack that they came in', async () => {
    const kept = async (bytes: number) => {
      const quarantine = await createQuarantine(repo);
      const pack = packOf([{ type: 3, data: randomBytes(bytes) }]);
      async function* source() {
        for (let at = 0; at < pack.length; at += 65_536) yield pack.subarray(at, at + 65_536);
      }
      const { bytes: read } = await ingestPack(quarantine, source(), {});
      const packs = existsSync(join(quarantine.path, 'pack')) ? readdirSync(join(quarantine.path, 'pack')) : [];
      await discardQuarantine(quarantine);
      return [read === pack.length, packs.some((name) => name.endsWith('.pack'))];
    };
    expect([await kept(100_000), await kept(5_000_000)]).toEqual([
      [true, false],
      [true, true],
    ]);
  });

  test('a pack with everything that it refers to is walked once; ids outside of it are looked for all the same', async () => {
    const known = randomHistory(fixture, repo, 71, 3)[0] as Sha;
    const idOf = (type: string, data: Buffer) =>
      createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex') as Sha;
    const tree = entry('100644', 'fine', blobId);
    const commitOf = (parents: string[]) =>
      Buffer.from(
        `tree ${idOf('tree', tree)}\n${parents.map((id) => `parent ${id}\n`).join('')}author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`,
      );
    const arrive = async (parents: string[], wanted: (own: Sha) => Sha[]) => {
      const data = commitOf(parents);
      const pack = packOf([blob, { type: 2, data: tree }, { type: 1, data }]);
      const quarantine = await createQuarantine(repo);
      try {
        async function* source() {
          yield pack;
        }
        const ingested = await ingestPack(quarantine, source(), { unpackLimit: 0 });
        await checkConnectivity(quarantine, wanted(idOf('commit', data)), ingested);
        return ingested.closed;
      } finally {
        await discardQuarantine(quarantine);
      }
    };
    expect(await arrive([], (own) => [own])).toBe(true);
    expect(await arrive([], (own) => [own, known])).toBe(true);
    expect(await arrive([known], (own) => [own])).toBe(false);
    const absent = 'deadbeef'.repeat(5) as Sha;
    await expect(arrive([], (own) => [own, absent])).rejects.toMatchObject({ code: 'corrupt' });
    await expect(arrive([absent], (own) => [own])).rejects.toMatchObject({ code: 'corrupt' });
    // Here, but behind no reference, and with a parent that is not: existing alone is not enough.
    const orphan = commitOf([absent]);
    const lost = fixture
      .plain(repo.path, ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], orphan)
      .trim() as Sha;
    await expect(arrive([], (own) => [own, lost])).rejects.toMatchObject({ code: 'corrupt' });
  });

  test('forged ids: a reference to objects that were not sent is refused', async () => {
    const absent = 'deadbeef'.repeat(5) as Sha;
    const quarantine = await createQuarantine(repo);
    await expect(checkConnectivity(quarantine, [absent])).rejects.toMatchObject({ code: 'corrupt' });
    const lines = `tree ${absent}\nauthor A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n\nx\n`;
    await expect(ingest(packOf([{ type: 1, data: Buffer.from(lines) }]))).rejects.toMatchObject({ code: 'corrupt' });
    await discardQuarantine(quarantine);
  });

  test('requests with broken framing, too many or odd commands', async () => {
    const parse = (...parts: Buffer[]) => readReceiveRequest(from(Buffer.concat(parts)), { maxCommands: 2 });
    const command = (name: string) => pktLine(`${ZERO_SHA} ${'a'.repeat(40)} ${name}`);
    for (const bad of ['zzzz', '0003', 'fff9', '00ff']) {
      await expect(parse(Buffer.from(bad))).rejects.toMatchObject({ code: 'invalid' });
    }
    await expect(parse(pktLine('nonsense'), FLUSH)).rejects.toMatchObject({ code: 'invalid' });
    await expect(parse(pktLine('push-cert x'), FLUSH)).rejects.toMatchObject({ code: 'invalid' });
    const three = ['a', 'b', 'c'].map((name) => command(`refs/heads/${name}`));
    expect(await parse(...three, FLUSH)).toMatchObject({ commands: { length: 2 }, excess: 'commands' });
    const odd = await parse(command('refs/heads/a..b'), command('../../config'), FLUSH);
    expect(odd.commands.map((one) => one.ref)).toEqual([null, null]);
    expect(await parse(FLUSH)).toMatchObject({ commands: [], pack: null });
    const report = receiveReport(odd.capabilities, { unpackError: null, outcomes: [] });
    expect(report.length).toBe(0);
  });

  test('reports cannot be split by newlines in messages, and long ones are framed', async () => {
    const capabilities = { reportStatus: true, sideBand: true, quiet: false, atomic: false, agent: '' };
    const report = receiveReport(capabilities, {
      unpackError: null,
      outcomes: [{ name: 'refs/heads/x', error: 'line one\n0000ok refs/heads/x' }],
    });
    const packet = await createPacketReader(from(report)).next();
    expect(packet.type === 'data' && packet.data.toString()).toContain(
      'ng refs/heads/x line one 0000ok refs/heads/x\n',
    );
    const long = sideBand(2, Buffer.alloc(200_000, 'x'));
    expect(long.length).toBe(200_000 + 4 * 5);
  });

  test('a client that leaves in the middle of a push leaves no quarantine', async () => {
    const server = await serve();
    const { request } = await import('node:http');
    await new Promise<void>((resolve) => {
      const leaving = request(`${server.url}/git-receive-pack`, { method: 'POST' });
      leaving.on('error', () => resolve());
      leaving.write(pktLine(`${ZERO_SHA} ${'a'.repeat(40)} refs/heads/x\0report-status`));
      leaving.write(FLUSH);
      leaving.write(packOf([blob]).subarray(0, 15));
      setTimeout(() => leaving.destroy(), 300);
    });
    await expect.poll(quarantines).toEqual([]);
    await expect.poll(() => fixture.git.limiter.usage()['write:user']?.active ?? 0).toBe(0);
  });

  async function* from(data: Buffer): AsyncGenerator<Buffer> {
    yield data;
  }
});

test('appending to a packed repository by another process is seen by the running helper', async () => {
  randomHistory(fixture, repo, 71);
  fixture.plain(repo.path, ['repack', '-adq']);
  const { readCommit } = await import('../objects/read.ts');
  const before = shaFromGit(fixture.plain(repo.path, ['rev-parse', 'main']).trim());
  expect(await readCommit(repo, before)).not.toBeNull();
  const tree = fixture.plain(repo.path, ['rev-parse', 'main^{tree}']).trim();
  const later = shaFromGit(fixture.plain(repo.path, ['commit-tree', tree, '-p', before, '-m', 'later']).trim());
  fixture.plain(repo.path, ['update-ref', 'refs/heads/main', later]);
  fixture.plain(repo.path, ['repack', '-adq']);
  expect((await readCommit(repo, later))?.title).toBe('later');
  fixture.git.cache.clear();
  expect((await readCommit(repo, before))?.id).toBe(before);
});
