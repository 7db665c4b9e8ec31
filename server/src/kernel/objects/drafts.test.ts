/** Files in flight that are given up while they are still being opened, as on a slow disk. */
import type fs from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { writeDraft } from './drafts.ts';
import { measure } from './store.ts';

vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>();
  const open = (...args: Parameters<typeof real.open>) => void setTimeout(() => real.open(...args), 30);
  return {
    ...real,
    createWriteStream: (file: string, options: object) =>
      real.createWriteStream(file, { ...options, fs: { open, write: real.write, close: real.close } }),
  };
});

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-drafts-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** Longer than the file takes to be opened. */
const later = () => new Promise((resolve) => setTimeout(resolve, 60));

it('leaves nothing when a stream breaks before the file is open', async () => {
  const { through } = measure({ maxBytes: 20 });
  await expect(writeDraft(path.join(directory, 'a'), Readable.from([Buffer.alloc(60)]), [through])).rejects.toThrow(
    'max_object_bytes',
  );
  await later();
  expect(await readdir(directory)).toEqual([]);
});

it('leaves nothing when it is given up before the file is open', async () => {
  const abort = new AbortController();
  const given = writeDraft(path.join(directory, 'b'), new PassThrough(), [], abort.signal);
  abort.abort();
  await expect(given).rejects.toMatchObject({ name: 'AbortError' });
  await later();
  expect(await readdir(directory)).toEqual([]);
});
