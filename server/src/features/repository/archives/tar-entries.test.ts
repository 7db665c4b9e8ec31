/** The entries of a tar file that arrives in pieces. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { tarEntries } from './tar-entries.ts';

let directory: string;
let tar: Buffer;
beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'millrace-tar-'));
  await writeFile(path.join(directory, 'a'), 'first');
  await writeFile(path.join(directory, 'b'), 'second');
  tar = execFileSync('tar', ['cf', '-', '--blocking-factor=20', '-C', directory, 'a', 'b']);
});
afterAll(async () => await rm(directory, { recursive: true, force: true }));

it.each([1, 511, 512, 513, 10_240])(
  'are found in pieces of %d bytes, and the writer may end what it writes',
  async (size) => {
    let written = 0;
    async function* pieces() {
      for (let at = 0; at < tar.length; at += size) {
        yield tar.subarray(at, at + size);
        written = Math.min(tar.length, at + size);
      }
    }
    const found: string[] = [];
    for await (const { name, body } of tarEntries(Readable.from(pieces(), { highWaterMark: 1 })))
      found.push(`${name} ${Buffer.concat(await Array.fromAsync(body))}`);
    expect(found).toEqual(['a first', 'b second']);
    expect(written).toBe(tar.length);
  },
);
