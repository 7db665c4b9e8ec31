/** Blobs as files and in a bucket, by one contract: complete or absent, under generated names. Slow, sampled: large blobs. */
import { createHash, randomBytes } from 'node:crypto';
import { access, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStorage, type TestStorage } from '../../../test/s3/index.ts';
import { loadConfig } from '../config/config.ts';
import { type ObjectStore, openObjectStore } from './index.ts';

let root: string;
let storage: TestStorage;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'millrace-objects-'));
  storage = await startStorage();
});
afterAll(async () => {
  await storage.close();
  await rm(root, { recursive: true, force: true });
});

const opened = (data: string, env: Record<string, string> = {}) =>
  openObjectStore(loadConfig({ MILLRACE_DATA: data, ...env }, null).values);

interface Kind {
  readonly name: string;
  readonly env: () => Record<string, string>;
  /** Names of all that is kept, whole or in parts. */
  readonly kept: (directory: string) => Promise<string[]>;
}

const filesIn = async (directory: string) =>
  (await readdir(directory, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

const kinds: Kind[] = [
  { name: 'files', env: () => ({}), kept: (directory) => filesIn(path.join(directory, 'objects')) },
  {
    name: 'a bucket',
    env: () => storage.environment('contract'),
    kept: async (directory) => [
      ...(await filesIn(directory)),
      ...[...storage.objects.keys()].map((name) => name.replace('contract/', '')),
      ...storage.uploads.keys(),
    ],
  },
];
const real = process.env.MILLRACE_TEST_S3;
if (real) {
  const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
  const environment = { MILLRACE_OBJECTS: real, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
  kinds.push({
    name: real,
    env: () => environment,
    kept: async () => {
      const names: string[] = [];
      for await (const { key } of (await opened(root, environment)).list()) names.push(key);
      return names;
    },
  });
}

describe.each(kinds)('in $name', ({ env, kept }) => {
  let directory: string;
  let store: ObjectStore;
  beforeAll(async () => {
    directory = await mkdtemp(path.join(root, 'store-'));
    store = await opened(directory, env());
    for await (const { key } of store.list()) await store.remove(key);
  });

  it.each([0, 300_000, 20 * 1024 * 1024])('keeps a stream of %i bytes and reads all or a part of it', async (size) => {
    const bytes = randomBytes(size);
    const stored = await store.put(Readable.from([bytes.subarray(0, size / 3), bytes.subarray(size / 3)]));
    const sha256 = createHash('sha256').update(bytes).digest();
    expect(stored).toEqual({ key: expect.stringMatching(/^[0-9a-f]{32}$/), size, sha256 });
    expect((await buffer(store.get(stored.key))).equals(bytes)).toBe(true);
    expect((await buffer(store.get(stored.key, { start: 10, end: 19 }))).equals(bytes.subarray(10, 20))).toBe(true);
    expect(await store.exists(stored.key)).toBe(true);
    expect(await store.size(stored.key)).toBe(size);
    await store.remove(stored.key);
    await store.remove(stored.key);
    expect(await store.exists(stored.key)).toBe(false);
    expect(await store.size(stored.key)).toBe(null);
    await expect(buffer(store.get(stored.key))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it.each([60, 15 * 1024 * 1024])(
    'keeps nothing of %i bytes that are too many, break off, or are given up',
    async (size) => {
      const large = store.put(Readable.from([Buffer.alloc(size), Buffer.alloc(size)]), {
        maxBytes: 2 * size - 1,
        limitName: 'max_artifacts_size',
      });
      await expect(large).rejects.toMatchObject({
        status: 413,
        message: expect.stringContaining(`max_artifacts_size is ${2 * size - 1} bytes`),
      });
      const broken = Readable.from(
        (async function* () {
          yield Buffer.alloc(size);
          throw new Error('cable');
        })(),
      );
      await expect(store.put(broken)).rejects.toThrow('cable');
      const abort = new AbortController();
      const endless = new Readable({ read: () => undefined });
      endless.push(Buffer.alloc(size));
      const given = store.put(endless, { signal: abort.signal });
      abort.abort();
      await expect(given).rejects.toMatchObject({ name: 'AbortError' });
      expect(endless.destroyed).toBe(true);
      expect(await kept(directory)).toEqual([]);
    },
  );

  it('takes over a file of its temporary directory', async () => {
    const draft = path.join(store.temporary, 'upload');
    await writeFile(draft, 'content');
    const { key } = await store.putFile(draft, { size: 7, sha256: Buffer.alloc(32) });
    expect(await kept(directory)).toEqual([key]);
    expect(String(await buffer(store.get(key)))).toBe('content');
    await expect(access(draft)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('gives up a read without a trace', async () => {
    const { key } = await store.put(Readable.from([Buffer.alloc(2 * 1024 * 1024)]));
    const stream = store.get(key);
    await new Promise((resolve) => stream.once('data', resolve));
    stream.destroy();
    await new Promise((resolve) => stream.once('close', resolve));
    expect(stream.errored).toBeNull();
    await store.remove(key);
  });

  it('lists what it has and takes objects of another store under their keys', async () => {
    for await (const { key } of store.list()) await store.remove(key);
    const keys = ['a', 'b', 'c'].map((letter) => letter.repeat(32));
    for (const [at, key] of keys.entries()) await store.adopt(key, Readable.from([Buffer.alloc(at)]), at);
    await expect(store.adopt('d'.repeat(32), Readable.from([Buffer.alloc(1)]), 2)).rejects.toThrow(
      '1 bytes instead of 2',
    );
    await expect(store.adopt('d'.repeat(32), Readable.from([Buffer.alloc(3)]), 2)).rejects.toMatchObject({
      status: 413,
    });
    const found: unknown[] = [];
    for await (const object of store.list()) found.push(object);
    expect(found).toHaveLength(3);
    expect(found).toEqual(expect.arrayContaining(keys.map((key, size) => ({ key, size }))));
  });

  it.each(['../../etc/passwd', '/etc/passwd', '', 'AB'.repeat(16), `${'a'.repeat(32)}/x`])(
    '[security 2] does not follow %j',
    async (key) => {
      expect(() => store.get(key)).toThrow('not an object key');
      await expect(store.exists(key)).rejects.toThrow('not an object key');
      await expect(store.signedUrl(key, { seconds: 60 })).rejects.toThrow('not an object key');
    },
  );

  it('removes drafts that a dead process left a day ago', async () => {
    const [old = '', young = ''] = ['old', 'young'].map((name) => path.join(store.temporary, name));
    for (const file of [old, young]) await writeFile(file, '');
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await utimes(old, yesterday, yesterday);
    await store.sweep();
    expect(await readdir(store.temporary)).toEqual(['young']);
  });

  it('answers whether it can be used', () => expect(store.check()).resolves.toBeUndefined());
});

it('says when its directory is gone, and what addresses it knows', async () => {
  const gone = await opened(path.join(root, 'gone'));
  expect(await gone.signedUrl('a'.repeat(32), { seconds: 60 })).toBe(null);
  await rm(path.join(root, 'gone'), { recursive: true });
  await expect(gone.check()).rejects.toMatchObject({ code: 'ENOENT' });
  await mkdir(path.join(root, 'x'));
  expect(() => opened(root, { MILLRACE_OBJECTS: '/srv' })).toThrow('must be file:/path or s3://bucket');
});
