/** `npm run dev`: the server from its sources, restarted on change, and the page with hot reload. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const children: ChildProcess[] = [];

function start(args: string[], cwd = root): void {
  const child = spawn(process.execPath, args, { cwd, stdio: 'inherit' });
  children.push(child);
  // One without the other is of no use: the first that ends takes the rest with it.
  child.on('exit', (code) => {
    process.exitCode ||= code ?? 0;
    for (const other of children) other.kill('SIGTERM');
  });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    for (const child of children) child.kill('SIGTERM');
  });
}

start(['--watch', '--watch-preserve-output', 'cli/src/millrace.ts', 'serve', ...process.argv.slice(2)]);
if (existsSync(join(root, 'web/index.html'))) {
  start([join(root, 'node_modules/vite/bin/vite.js'), '--clearScreen', 'false'], join(root, 'web'));
}
