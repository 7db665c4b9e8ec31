#!/usr/bin/env node
/** The millrace command. */
import { text } from 'node:stream/consumers';
import { main } from './main.ts';

// A reader that has seen enough (`millrace config | head`) closes the pipe: no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (process.argv[2] !== 'serve') process.exit(0);
});

const code = await main(process.argv.slice(2), {
  env: process.env,
  terminal: process.stderr.isTTY === true,
  print: (line) => void process.stdout.write(`${line}\n`),
  write: (chunk) => void process.stdout.write(chunk),
  warn: (line) => void process.stderr.write(`${line}\n`),
  readInput: () => text(process.stdin),
  console: () => ({ input: process.stdin, output: process.stdout }),
  exit: (status) => process.exit(status),
  interrupted: () => {
    const controller = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => controller.abort(new Error('interrupted')));
    return controller.signal;
  },
});
if (code !== null) process.exitCode = code;
