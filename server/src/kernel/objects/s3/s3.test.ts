/** A bucket that misbehaves: what is retried, what fails clearly, what is left behind; addresses that are given away. Slow, sampled: waits until connections are given up. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Fault, startStorage, type TestStorage } from '../../../../test/s3/index.ts';
import { loadConfig } from '../../config/config.ts';
import { type ObjectStore, openObjectStore } from '../index.ts';
import { parseS3Url } from './location.ts';

let root: string;
let storage: TestStorage;
let store: ObjectStore;
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'millrace-s3-'));
  storage = await startStorage();
  store = await opened();
});
afterEach(() => {
  storage.fault = () => null;
});
afterAll(async () => {
  await storage.close();
  await rm(root, { recursive: true, force: true });
});

const opened = (options = '', env: Record<string, string> = {}) =>
  openObjectStore(
    loadConfig({ MILLRACE_DATA: root, ...storage.environment('some/place', options), ...env }, null).values,
  );

/** The first request that matches fails so. */
function once(pattern: RegExp, fault: Fault, times = 1): void {
  let left = times;
  storage.fault = (request) => {
    if (left === 0 || !pattern.test(request)) return null;
    left -= 1;
    return fault;
  };
}
const large = randomBytes(20 * 1024 * 1024);
const put = (bytes: Buffer) => store.put(Readable.from([bytes]));

it.each<[string, RegExp, Fault]>([
  ['the request for an upload is lost', /POST .*uploads/, 'unheard'],
  ['a part is lost', /partNumber=2/, 'unheard'],
  ['the answer to a part is lost', /partNumber=3/, 'unanswered'],
  ['the answer to the whole is lost', /POST .*uploadId=/, 'unanswered'],
])('a large object is kept although %s', async (_what, pattern, fault) => {
  once(pattern, fault);
  const { key } = await put(large);
  expect(storage.objects.get(`some/place/${key}`)?.equals(large)).toBe(true);
  await store.remove(key);
});

it('a connection that breaks while an object is read is taken up where it ended', async () => {
  const { key } = await put(large);
  once(/^GET /, 'broken', 3);
  const before = storage.requests.length;
  expect((await buffer(store.get(key))).equals(large)).toBe(true);
  expect((await buffer(store.get(key, { start: 5, end: 10_000_004 }))).equals(large.subarray(5, 10_000_005))).toBe(
    true,
  );
  expect(storage.requests.length - before).toBe(5);
  await store.remove(key);
});

it.each<[string, RegExp]>([
  ['a small object', /^PUT /],
  ['the request for an upload', /^POST .*uploads/],
  ['a part', /partNumber=2/],
  ['the whole', /^POST .*uploadId=/],
])('%s that is refused leaves nothing, and the error says why without a secret', async (what, pattern) => {
  once(pattern, 'refused', 10);
  const error: Error = await put(what === 'a small object' ? Buffer.from('x') : large).then(
    () => new Error('kept'),
    (caught) => caught,
  );
  expect(error.name).toBe('ObjectStorageError');
  expect(error.message).toMatch(/cannot be stored: AccessDenied \(403\): the storage says AccessDenied$/);
  expect(JSON.stringify(Object.entries(error)) + error.stack).not.toContain(storage.keys.id);
  expect([storage.objects.size, storage.uploads.size]).toEqual([0, 0]);
});

it('reading, looking and removing say that the storage refuses; nothing is taken for missing', async () => {
  const { key } = await put(Buffer.from('x'));
  once(/./, 'refused', 10);
  await expect(buffer(store.get(key))).rejects.toThrow('cannot be read: AccessDenied (403)');
  await expect(store.exists(key)).rejects.toThrow('an object cannot be looked up: (403)');
  await expect(store.remove(key)).rejects.toThrow('an object cannot be removed: AccessDenied (403)');
  storage.fault = () => null;
  await store.remove(key);
});

it('uploads that nobody finished are given up by the sweep, young ones and those of others are not', async () => {
  const part = { parts: new Map(), started: new Date(Date.now() - 25 * 3_600_000) };
  const [mine, others] = [`some/place/${'a'.repeat(32)}`, `some/place/deeper/${'a'.repeat(32)}`];
  storage.uploads.set('old', { ...part, name: mine });
  storage.uploads.set('young', { ...part, name: mine, started: new Date() });
  storage.uploads.set('others', { ...part, name: others });
  await store.sweep();
  expect([...storage.uploads.keys()]).toEqual(['young', 'others']);
  storage.uploads.clear();
});

it('readiness asks the bucket, and writes to it once a minute', async () => {
  const asked = () => storage.requests.splice(0).map((request) => request.replace(/\?.*/, ''));
  asked();
  await store.check();
  await store.check();
  expect(asked()).toEqual(['HEAD /millrace/', 'PUT /millrace/some/place/check', 'HEAD /millrace/']);
  const wrong = await opened('', { AWS_SECRET_ACCESS_KEY: 'wrong' });
  await expect(wrong.check()).rejects.toThrow('bucket millrace: (403)');
  const nowhere = await opened('', { MILLRACE_OBJECTS: 's3://millrace?endpoint=http://127.0.0.1:9' });
  await expect(nowhere.check()).rejects.toThrow('bucket millrace: ECONNREFUSED');
  await expect(opened('', { AWS_SECRET_ACCESS_KEY: '' })).rejects.toThrow('AWS_SECRET_ACCESS_KEY');
});

it('an address that is given away answers with the headers that were signed into it, until it expires', async () => {
  const { key } = await put(Buffer.from('archive'));
  const url = await store.signedUrl(key, { seconds: 60, filename: 'a "ä".zip', contentType: 'application/zip' });
  const answer = await fetch(url ?? '');
  expect([answer.status, await answer.text()]).toEqual([200, 'archive']);
  expect(answer.headers.get('content-type')).toBe('application/zip');
  expect(answer.headers.get('content-disposition')).toBe(
    `attachment; filename="a ___.zip"; filename*=UTF-8''a%20%22%C3%A4%22.zip`,
  );
  expect((await fetch(url?.replace('application%2Fzip', 'text%2Fhtml') ?? '')).status).toBe(403);
  expect((await fetch(url?.replace('X-Amz-Expires=60', 'X-Amz-Expires=600') ?? '')).status).toBe(403);
  expect(url).not.toContain(storage.keys.secret);

  const closed = await opened('&proxy=true');
  expect(await closed.signedUrl(key, { seconds: 60 })).toBe(null);
  const outside = await opened('&public_endpoint=https://files.example.com');
  expect(await outside.signedUrl(key, { seconds: 60 })).toMatch(
    /^https:\/\/files\.example\.com\/millrace\/some\/place\/[0-9a-f]{32}\?/,
  );
});

it('reads the address of a bucket', () => {
  expect(parseS3Url('s3://my-bucket')).toEqual({
    bucket: 'my-bucket',
    prefix: '',
    endpoint: null,
    publicEndpoint: null,
    region: null,
    pathStyle: false,
    proxy: false,
  });
  expect(parseS3Url('s3://b1.x/a/b/?endpoint=http://minio:9000&region=eu-1&proxy=1')).toMatchObject({
    prefix: 'a/b/',
    endpoint: 'http://minio:9000',
    region: 'eu-1',
    pathStyle: true,
    proxy: true,
  });
});

it.each([
  ['s3://', 'bucket has no valid name'],
  ['s3://B', 'bucket has no valid name'],
  ['s3://bucket:9000', 'no port'],
  ['s3://bucket/a b', 'prefix has other characters'],
  ['s3://bucket?colour=red', 'colour is not one of endpoint'],
  ['s3://bucket?proxy=maybe', 'proxy must be true or false'],
  ['s3://bucket?endpoint=minio:9000', 'endpoint must be an http or https URL'],
  ['s3://bucket?endpoint=http://key:hunter2@minio', 'endpoint must be an http or https URL'],
  ['s3://key:hunter2@bucket', 'keys belong into AWS_ACCESS_KEY_ID'],
])('refuses %s and repeats no secret', (text, reason) => {
  expect(() => parseS3Url(text)).toThrow(reason);
  expect(() => loadConfig({ MILLRACE_DATA: root, MILLRACE_OBJECTS: text }, null)).toThrow(
    expect.not.objectContaining({ message: expect.stringContaining('hunter2') }),
  );
});
