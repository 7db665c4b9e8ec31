/** Objects of Git LFS that are larger than a server may become: over the file store, and over a bucket that it stands before. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { root, rootToken } from '../src/support/instance.ts';
import type { Suite } from '../src/support/suite.ts';
import { createProject, type Member, type Project, startCluster } from './cluster.ts';
import { type Growth, growthWhile } from './machine.ts';

/**
 * Megabytes that the server may grow by while something large passes through. V8 collects what was read from processes and
 * sockets when 64 MB of it have come together at the latest; whoever keeps what passes through grows by 200 and more.
 */
export const tolerated = 80;

/** Says what there was, and fails where one of them grew. */
export function flat(say: (line: string) => void, growths: Readonly<Record<string, Growth>>): void {
  const shown = Object.entries(growths).map(
    ([what, { before, most }]) => `${what} ${before.toFixed(0)} -> ${most.toFixed(0)}`,
  );
  say(`server process, MB: ${shown.join(', ')}`);
  for (const [what, { before, most }] of Object.entries(growths))
    assert.ok(most - before < tolerated, `${what}: ${before} -> ${most} MB`);
}

const megabyte = 1024 * 1024;

/** Megabytes that differ from each other: nothing that compresses or repeats to the byte. */
function* bytes(megabytes: number): Generator<Buffer> {
  for (let index = 0; index < megabytes; index++) {
    const chunk = Buffer.alloc(megabyte, `${index} `);
    yield chunk;
  }
}

const headers = { Authorization: `Basic ${Buffer.from(`oauth2:${rootToken}`).toString('base64')}` };

async function upload(url: string, megabytes: number): Promise<void> {
  const sent = request(url, { method: 'PUT', headers: { ...headers, 'Content-Length': megabytes * megabyte } });
  const answered = once(sent, 'response');
  answered.catch(() => undefined);
  for (const chunk of bytes(megabytes)) if (!sent.write(chunk)) await once(sent, 'drain');
  sent.end();
  const [answer] = await answered;
  answer.resume();
  assert.equal(answer.statusCode, 200);
}

/** The hash of what is answered. */
async function download(url: string): Promise<string> {
  const asked = request(url, { headers });
  asked.end();
  const [answer] = await once(asked, 'response');
  assert.equal(answer.statusCode, 200);
  const hash = createHash('sha256');
  for await (const chunk of answer) hash.update(chunk);
  return hash.digest('hex');
}

export async function largeObjects(
  suite: Suite,
  where: 'files' | 'a bucket',
  member: Member,
  project: Project,
  megabytes: number,
  say: (line: string) => void,
): Promise<void> {
  const { pid } = member.instance;
  await suite.step(
    `faults: an LFS object of ${megabytes} MB in ${where} leaves the server within ${tolerated} MB`,
    async () => {
      const hash = createHash('sha256');
      for (const chunk of bytes(megabytes)) hash.update(chunk);
      const oid = hash.digest('hex');
      const remote = new URL(project.remote(member));
      const objects = `${remote.origin}${remote.pathname}/gitlab-lfs/objects/${oid}`;
      const uploaded = await growthWhile(pid, () => upload(`${objects}/${megabytes * megabyte}`, megabytes));
      const downloaded = await growthWhile(pid, async () => assert.equal(await download(objects), oid));
      flat(say, {
        [`LFS ${megabytes} MB into ${where}`]: uploaded,
        [`out of ${where}`]: downloaded,
      });
    },
    1800,
  );
}

/** The same with a bucket that clients do not reach, so that every byte passes through the server twice. */
export async function objectsInBucket(
  suite: Suite,
  directory: string,
  megabytes: number,
  say: (line: string) => void,
): Promise<void> {
  mkdirSync(directory, { recursive: true, mode: 0o711 });
  const storage = spawn(process.execPath, [join(root, 'server/test/s3/serve.ts'), 'lfs', '&proxy=true'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = await once(storage.stdout, 'data');
    const cluster = await startCluster(directory, 1, { env: JSON.parse(String(line)) as Record<string, string> });
    try {
      const [member] = cluster.members as [Member];
      await largeObjects(suite, 'a bucket', member, await createProject(member, 'bucket'), megabytes, say);
    } finally {
      await cluster.stop();
    }
  } finally {
    storage.kill('SIGKILL');
  }
}
