/** The programs: used in place when they can be, copied once when not. */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { packageRoot, prepareBinaries } from './binaries.ts';
import { isReachable } from './reach.ts';

function temporary(): string {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-pgbin-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

test('programs that our own uid runs stay where npm put them', async () => {
  const root = temporary();
  const binaries = await prepareBinaries(root, undefined);
  expect(binaries).toMatchObject({ major: 18, minor: '18.4' });
  expect(binaries.postgres).toContain('node_modules');
});

test('reach is decided for the other uid along the whole path', async () => {
  const root = temporary();
  const account = { uid: 64100, gid: 64100 };
  expect(await isReachable(root, account)).toBe(false);
  chmodSync(root, 0o755);
  expect(await isReachable(root, account)).toBe(true);
});

test('a package that the server cannot read, with its links missing, is copied once and works', async () => {
  const root = temporary();
  const source = join(root, 'package');
  const target = join(root, 'data');
  mkdirSync(source, { mode: 0o700 });
  mkdirSync(target);
  cpSync(packageRoot(), source, { recursive: true, filter: (path) => !path.endsWith('libicuuc.so.60') });
  const account = { uid: 64100, gid: 64100 };
  const binaries = await prepareBinaries(target, account, source);
  expect(binaries.postgres).toBe(join(target, `postgres-${binaries.version}/native/bin/postgres`));
  expect(execFileSync(binaries.postgres, ['--version'], { encoding: 'utf8' })).toContain('18.4');
  const { ino } = statSync(binaries.postgres);
  chmodSync(target, 0o755);
  expect((await prepareBinaries(target, account, source)).postgres).toBe(binaries.postgres);
  expect(statSync(binaries.postgres).ino).toBe(ino);
});
