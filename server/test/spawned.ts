/** The product or a script of ours as a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

const root = path.join(import.meta.dirname, '../..');
/** What a process compiled is there for the next one: half of its start. */
const compileCache = path.join(root, '.cache', 'compile-tests');

export interface Spawned {
  readonly child: ChildProcess;
  /** Lines of standard output and error so far. */
  readonly output: string[];
  readonly errors: string[];
  /** The first match of a line of standard output, now or later; fails when the process ends before. */
  line(pattern: RegExp): Promise<RegExpExecArray>;
  /** Exit code, or the signal's name. */
  readonly exit: Promise<number | NodeJS.Signals | null>;
  kill(signal: NodeJS.Signals): void;
}

/** Starts a module of this checkout, `file` from its root. The environment is exactly `env` and a PATH. */
export function spawnModule(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Spawned {
  const child = spawn(process.execPath, [path.join(root, file), ...args], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const errors: string[] = [];
  const watchers = new Set<() => void>();
  const look = () => {
    for (const watcher of watchers) watcher();
  };
  let ended = false;
  createInterface({ input: child.stdout }).on('line', (line) => {
    output.push(line);
    look();
  });
  createInterface({ input: child.stderr }).on('line', (line) => errors.push(line));
  const exit = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => {
      ended = true;
      look();
      resolve(code ?? signal);
    });
  });
  return {
    child,
    output,
    errors,
    exit,
    kill: (signal) => void child.kill(signal),
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const watcher = () => {
          const found = output.map((line) => pattern.exec(line)).find((match) => match !== null);
          if (found) resolve(found);
          else if (ended) reject(new Error(`the process ended without ${pattern}:\n${errors.join('\n')}`));
          else return;
          watchers.delete(watcher);
        };
        watchers.add(watcher);
        watcher();
      }),
  };
}

export interface SpawnedServer extends Spawned {
  /** Where it listens. */
  readonly url: string;
}

/** Starts `millrace serve` on a free port and waits for its ready line. */
export async function spawnServer(env: Readonly<Record<string, string>>): Promise<SpawnedServer> {
  const quiet = { MILLRACE_PORT: '0', MILLRACE_SSH_PORT: 'off', MILLRACE_RUNNER: 'off' };
  const spawned = spawnModule('cli/src/millrace.ts', ['serve'], { ...quiet, ...env });
  const [, url = ''] = await spawned.line(/^millrace ready (\S+)$/);
  return { ...spawned, url };
}
