/** The files that start what was bundled. */

/**
 * V8 lets its space of young objects grow to 2 x 16 MB and never gives it back; with 4 a server that was busy keeps 230 MB in place
 * of 340 (measured, `GET` of projects, 8 connections) for the same processor time. Only the command line can say so: the server
 * takes the place of the process that was started.
 */
const youngMegabytes = 4;

/** The entry itself only switches the compile cache on: code imported statically would be compiled before that. */
export function entryText(main: string): string {
  return `#!/usr/bin/env node
import { enableCompileCache, flushCompileCache } from 'node:module';
import { join } from 'node:path';
const flags = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ');
if (process.argv[2] === 'serve' && process.execve && !/max[-_]semi[-_]space[-_]size|--inspect/.test(flags)) {
  const command = [process.execPath, '--max-semi-space-size=${youngMegabytes}', ...process.execArgv, ...process.argv.slice(1)];
  process.execve(process.execPath, command, process.env);
}
enableCompileCache(join(import.meta.dirname, '..', '.cache', 'compile'));
// A process that is killed leaves the cache for the next one all the same.
setTimeout(() => flushCompileCache(), 10_000).unref();
await import('./${main}');
`;
}
