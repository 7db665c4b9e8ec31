import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryText } from './lib/entry.ts';

let directory: string;
let entry: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'millrace-entry-'));
  mkdirSync(join(directory, 'dist'));
  entry = join(directory, 'dist', 'millrace.mjs');
  writeFileSync(entry, entryText('main.mjs'));
  const told = '{ flags: process.execArgv, words: process.argv.slice(2), id: process.pid }';
  writeFileSync(join(directory, 'dist', 'main.mjs'), `console.log(JSON.stringify(${told}));`);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function started(words: readonly string[], flags: readonly string[] = []): { flags: string[]; words: string[] } {
  const { pid, stdout } = spawnSync(process.execPath, [...flags, entry, ...words], { env: { PATH: process.env.PATH } });
  const told = JSON.parse(stdout.toString()) as { flags: string[]; words: string[]; id: number };
  expect(told.id).toBe(pid);
  return told;
}

test('the server starts with a small space of young objects, in the same process', () => {
  const { flags, words } = started(['serve', '--port', '0'], ['--no-warnings']);
  expect(flags).toEqual(['--max-semi-space-size=4', '--no-warnings']);
  expect(words).toEqual(['serve', '--port', '0']);
});

test('other commands start at once, and what the operator says about the space stays', () => {
  expect(started(['version']).flags).toEqual([]);
  expect(started(['serve'], ['--max-semi-space-size=16']).flags).toEqual(['--max-semi-space-size=16']);
});
