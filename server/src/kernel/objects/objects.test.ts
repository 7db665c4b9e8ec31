/** Blobs on disk: complete or absent, under generated names. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ObjectStore, openObjectStore } from './index.ts';

let root: string;
let store: ObjectStore;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'millrace-objects-'));
  store = await openObjectStore(`file:${root}`);
});
afterAll(() => rm(root, { recursive: true, force: true }));

const files = async () =>
  (await readdir(root, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

it('keeps a stream and reads all or a part of it', async () => {
  const bytes = randomBytes(300_000);
  const kept = await store.put(Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]));
  expect(kept).toEqual({
    key: expect.stringMatching(/^[0-9a-f]{32}$/),
    size: 300_000,
    sha256: createHash('sha256').update(bytes).digest(),
  });
  expect((await buffer(store.get(kept.key))).equals(bytes)).toBe(true);
  expect((await buffer(store.get(kept.key, { start: 10, end: 19 }))).equals(bytes.subarray(10, 20))).toBe(true);
  expect(await store.exists(kept.key)).toBe(true);
  await store.remove(kept.key);
  await store.remove(kept.key);
  expect(await store.exists(kept.key)).toBe(false);
  await expect(buffer(store.get(kept.key))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('keeps nothing of a stream that is too large, breaks off, or is given up', async () => {
  const large = store.put(Readable.from([Buffer.alloc(60), Buffer.alloc(60)]), {
    maxBytes: 100,
    limitName: 'max_artifacts_size',
  });
  await expect(large).rejects.toMatchObject({
    status: 413,
    message: expect.stringContaining('max_artifacts_size is 100 bytes'),
  });
  const broken = Readable.from(
    (async function* () {
      yield Buffer.alloc(10);
      throw new Error('cable');
    })(),
  );
  await expect(store.put(broken)).rejects.toThrow('cable');
  const abort = new AbortController();
  const endless = new Readable({ read: () => undefined });
  endless.push(Buffer.alloc(10));
  const given = store.put(endless, { signal: abort.signal });
  abort.abort();
  await expect(given).rejects.toMatchObject({ name: 'AbortError' });
  expect(await files()).toEqual([]);
});

it('takes over a file of its temporary directory', async () => {
  const draft = path.join(store.temporary, 'upload');
  await writeFile(draft, 'content');
  const { key } = await store.putFile(draft, { size: 7, sha256: Buffer.alloc(32) });
  expect(await files()).toEqual([key]);
  expect(String(await buffer(store.get(key)))).toBe('content');
});

it.each(['../../etc/passwd', '/etc/passwd', '', 'AB'.repeat(16), `${'a'.repeat(32)}/x`])(
  '[security 2] does not follow %j',
  async (key) => {
    expect(() => store.get(key)).toThrow('not an object key');
    await expect(store.exists(key)).rejects.toThrow('not an object key');
  },
);

it('removes drafts that a dead process left a day ago', async () => {
  const [old, young] = ['old', 'young'].map((name) => path.join(store.temporary, name));
  for (const file of [old, young]) await writeFile(file ?? '', '');
  const yesterday = new Date(Date.now() - 25 * 3_600_000);
  await utimes(old ?? '', yesterday, yesterday);
  await openObjectStore(`file:${root}`);
  expect(await readdir(store.temporary)).toEqual(['young']);
});

it('says when it cannot be used, and what it cannot do yet', async () => {
  await store.check();
  const gone = await openObjectStore(`file:${path.join(root, 'gone')}`);
  await rm(path.join(root, 'gone'), { recursive: true });
  await expect(gone.check()).rejects.toMatchObject({ code: 'ENOENT' });
  await mkdir(path.join(root, 'x'));
  await expect(openObjectStore('s3://bucket')).rejects.toThrow('not available yet');
  await expect(openObjectStore('/srv')).rejects.toThrow('neither file:/path nor s3://bucket');
});
