/** Slow files that a run leaves out. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { leftOutFiles } from './sampled-files.ts';
import { sweepParts } from './sweeps.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sampled-'));
  const files = {
    'server/src/quick.test.ts': '/** Quick. */\n',
    'server/src/slow.test.ts': '/** All routes. Slow: there are many. */\n// Slow, sampled: not in the first line\n',
    'server/node_modules/other/other.test.ts': '/** Slow, sampled: of somebody else. */\n',
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `packages/git/src/s${at}.test.ts`,
        '/** Slow, sampled: starts servers. */\n',
      ]),
    ),
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(join(root, file, '..'), { recursive: true });
    writeFileSync(join(root, file), text);
  }
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('each part leaves most of them out, all parts together none; others stay', () => {
  const parts = Array.from({ length: sweepParts }, (_, seed) =>
    leftOutFiles(root, { whole: false, exhaustive: false, seed }),
  );
  for (const part of parts) expect(part.length).toBeGreaterThan(10);
  const taken = new Set(
    parts.flatMap((part) =>
      Array.from({ length: 20 }, (_, at) => `packages/git/src/s${at}.test.ts`).filter((file) => !part.includes(file)),
    ),
  );
  expect(taken.size).toBe(20);
  expect(parts.flat().filter((file) => !file.startsWith('packages/'))).toEqual([]);
});

test('a whole run leaves none out', () => {
  expect(leftOutFiles(root, { whole: true, exhaustive: false, seed: 3 })).toEqual([]);
});
