/** New files move into a repository while others tidy it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveFile } from './move-file.ts';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-move-file-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

test('a directory that packing removed while it was still empty is made again', async () => {
  const from = join(directory, 'new');
  writeFileSync(from, 'kept');
  const to = join(directory, 'objects', 'ab', 'cd');
  await moveFile(from, to);
  expect([existsSync(from), readFileSync(to, 'utf8')]).toEqual([false, 'kept']);
});

test('a repository that was removed meanwhile does not come back', async () => {
  const repository = join(directory, 'removed');
  const from = join(repository, 'objects', 'incoming-1', 'new');
  await expect(moveFile(from, join(repository, 'objects', 'ab', 'cd'))).rejects.toMatchObject({ code: 'ENOENT' });
  expect(existsSync(repository)).toBe(false);
  // Nor does a file that is in the way of a directory become one.
  mkdirSync(repository);
  writeFileSync(join(repository, 'objects'), '');
  await expect(moveFile(from, join(repository, 'objects', 'ab', 'cd'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});
