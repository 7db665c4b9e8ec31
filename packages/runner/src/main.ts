/** The built-in runner as a child process: one JSON line on stdin says everything; when stdin closes, it ends. */
import { createInterface } from 'node:readline';
import { messageOf } from './errors.ts';
import { EXECUTOR_NAMES } from './executors/choose.ts';
import { type RunnerOptions, runRunner } from './runner.ts';

/** What the parent writes: the runner's options that are data. The token comes this way because arguments and environment are readable. */
type Configuration = Omit<RunnerOptions, 'signal' | 'log'>;

const write = (level: string) => (message: string) => {
  process.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), level, message })}\n`);
};
const log = { info: write('info'), warn: write('warn') };

function parse(line: string): Configuration {
  const value = JSON.parse(line) as Partial<Configuration>;
  for (const key of ['url', 'token', 'systemId', 'workDir'] as const) {
    if (typeof value[key] !== 'string' || value[key] === '') throw new Error(`the configuration has no ${key}`);
  }
  if (value.executor !== undefined && !EXECUTOR_NAMES.includes(value.executor))
    throw new Error(`no executor is called ${value.executor}`);
  return value as Configuration;
}

async function main(): Promise<void> {
  const stop = new AbortController();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, () => stop.abort());
  // Nobody reads our log any more: that is no reason to leave jobs behind.
  process.stdout.on('error', () => stop.abort());
  const lines = createInterface({ input: process.stdin });
  const line = await new Promise<string>((resolve) => {
    lines.once('line', resolve);
    lines.once('close', () => resolve(''));
  });
  lines.once('close', () => stop.abort());
  await runRunner({ ...parse(line), signal: stop.signal, log });
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  },
);
