/** Files in flight that are given up while they are still being opened, as on a slow disk. */
import fs from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { writeDraft } from './drafts.ts';
import { measure } from './store.ts';

/** The files that were opened after all. */
const opened = new Set<string>();
let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-drafts-'));
  const real = fs.open as (...args: unknown[]) => void;
  // What streams call: a mocked module would not reach those that other files of this worker have loaded.
  vi.spyOn(fs, 'open').mockImplementation((...args: unknown[]) => {
    const done = args.pop() as (...results: unknown[]) => void;
    const late = (...results: unknown[]) => {
      done(...results);
      opened.add(path.basename(String(args[0])));
    };
    setTimeout(() => real(...args, late), 30);
  });
});
afterAll(async () => {
  vi.restoreAllMocks();
  await rm(directory, { recursive: true, force: true });
});

it('leaves nothing when a stream breaks before the file is open', async () => {
  const { through } = measure({ maxBytes: 20 });
  await expect(writeDraft(path.join(directory, 'a'), Readable.from([Buffer.alloc(60)]), [through])).rejects.toThrow(
    'max_object_bytes',
  );
  await vi.waitUntil(() => opened.has('a'), { timeout: 60_000 });
  await expect.poll(() => readdir(directory)).toEqual([]);
});

it('leaves nothing when it is given up before the file is open', async () => {
  const abort = new AbortController();
  const given = writeDraft(path.join(directory, 'b'), new PassThrough(), [], abort.signal);
  abort.abort();
  await expect(given).rejects.toMatchObject({ name: 'AbortError' });
  await vi.waitUntil(() => opened.has('b'), { timeout: 60_000 });
  await expect.poll(() => readdir(directory)).toEqual([]);
});
