/** The launcher in a small checkout of its own: what it does when, and that it hands on arguments, signals and the end. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

let root = '';

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Stands for the product: says how it was called, and ends when told to. */
const product = `
process.on('SIGTERM', () => process.exit(7));
console.log(JSON.stringify(process.argv.slice(2)));
if (process.argv.includes('wait')) setInterval(() => {}, 1000);
`;
const lock = {
  packages: { '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0', optional: true } },
};

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'launcher-'));
  for (const path of ['start.mjs', 'node.mjs', 'lib/toolchain.mjs']) {
    cpSync(join(import.meta.dirname, path), join(root, 'scripts', path), { recursive: true });
  }
  write('.node-version', `${process.versions.node}\n`);
  write('package.json', '{"type":"module"}');
  write('package-lock.json', JSON.stringify(lock));
  write('node_modules/.package-lock.json', JSON.stringify({ packages: { 'node_modules/a': { version: '1.0.0' } } }));
  write('web/dist/index.html', '');
  write('cli/src/millrace.ts', product);
  write(
    'scripts/build.ts',
    `import { cpSync, mkdirSync } from 'node:fs';
console.log('built', ...process.argv.slice(2));
mkdirSync('dist', { recursive: true });
cpSync('cli/src/millrace.ts', 'dist/millrace.mjs');\n`,
  );
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function start(...args: string[]): { code: number | null; out: string; err: string } {
  const run = spawnSync(process.execPath, [join(root, 'scripts/start.mjs'), ...args], { cwd: tmpdir() });
  return { code: run.status, out: run.stdout.toString(), err: run.stderr.toString() };
}

test('builds once, again only after a change of the sources, and passes arguments on', () => {
  const first = start('--one', 'two');
  expect(first).toMatchObject({ code: 0, out: '["serve","--one","two"]\n' });
  expect(first.err).toContain('built bundle page');
  expect(start().err).toBe('');
  write('cli/src/other.ts', 'export {};');
  expect(start().err).toContain('built bundle\n');
  write('cli/src/other.test.ts', 'export {};');
  expect(start().err).toBe('');
});

test('a build that fails is an error and is tried again', () => {
  write('scripts/build.ts', 'process.exit(3);');
  expect(start()).toMatchObject({ code: 1, out: '' });
  expect(start().err).toContain('The build failed.');
});

test('an installation that somebody else made is accepted when it holds what the lock file names', () => {
  start();
  const stamp = JSON.parse(readFileSync(join(root, 'node_modules/.millrace-install.json'), 'utf8')) as {
    scope: string;
  };
  expect(stamp.scope).toBe('all');
});

test('the lock of a process that is gone is taken over', () => {
  const gone = spawnSync(process.execPath, ['-e', '']).pid;
  write('.cache/launcher.lock', String(gone));
  expect(start().code).toBe(0);
});

async function output(child: ChildProcess): Promise<string> {
  const [chunk] = (await once(child.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  return chunk.toString();
}

test.each(['start.mjs', 'node.mjs'])('%s hands a signal on and ends with the code of what it runs', async (script) => {
  start();
  const args = script === 'node.mjs' ? ['--built', join(root, 'dist/millrace.mjs'), 'wait'] : ['wait'];
  const child = spawn(process.execPath, [join(root, 'scripts', script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(await output(child)).toContain('"wait"');
  child.kill('SIGTERM');
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(7);
});
