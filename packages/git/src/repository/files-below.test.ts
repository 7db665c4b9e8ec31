/** Directories that go while they are walked. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filesBelow } from './files-below.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-files-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test('files of directories that stay are found while others are removed', async () => {
  const refs = join(root, 'refs');
  const kept: string[] = [];
  const going: string[] = [];
  for (let number = 0; number < 200; number += 1) {
    const directory = join(refs, 'environments', `place-${number}`);
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, 'head'), '');
    if (number % 2 === 0) kept.push(join(directory, 'head'));
    else going.push(directory);
  }
  const removed = Promise.all(going.map((directory) => rm(directory, { recursive: true })));
  const found = await filesBelow(refs);
  await removed;
  expect(found).toEqual(expect.arrayContaining(kept));
  expect((await filesBelow(refs)).sort()).toEqual(kept.sort());
});

test('a directory that is not there has no files, and one that cannot be read is an error', async () => {
  expect(await filesBelow(join(root, 'nothing'))).toEqual([]);
  await expect(filesBelow(`${root}/${'x'.repeat(300)}`)).rejects.toThrow('ENAMETOOLONG');
});
