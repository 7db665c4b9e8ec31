/** The built product as a process: started from a clean data directory, watched, stopped. */
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');
export const rootToken = `glpat-e2e${'0123456789abcdef'.repeat(2)}`;
export const rootPassword = 'correct-horse-battery-staple';

export interface Instance {
  readonly url: string;
  readonly data: string;
  readonly startMilliseconds: number;
  readonly pid: number;
  /** Everything that the process printed. */
  log(): string;
  /** SIGTERM; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL to the server process alone, as a crash does; resolves when it has gone. */
  kill(): Promise<void>;
  remove(): void;
}

/** Starts an instance and waits for its ready line; `data` continues an earlier one. */
export async function startInstance(options: { data?: string; env?: Record<string, string> } = {}): Promise<Instance> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'mr-e2e-'));
  // The embedded database and jobs run under other uids and must be able to pass.
  chmodSync(data, 0o711);
  const started = performance.now();
  const child: ChildProcess = spawn(process.execPath, [join(root, 'dist/millrace.mjs'), 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: data,
      LANG: 'C.UTF-8',
      MILLRACE_DATA: join(data, 'millrace'),
      MILLRACE_PORT: '0',
      MILLRACE_SSH_PORT: 'off',
      MILLRACE_ROOT_PASSWORD: rootPassword,
      MILLRACE_ROOT_TOKEN: rootToken,
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ready after 180 s:\n${output}`)), 180_000);
    const read = (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const ready = /^millrace ready (http:\S+)/m.exec(output);
      if (ready?.[1]) {
        clearTimeout(timer);
        resolve(ready[1]);
      }
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    void exited.then((code) => reject(new Error(`ended with ${code} before it was ready:\n${output}`)));
  });
  return {
    url,
    data,
    startMilliseconds: performance.now() - started,
    pid: child.pid ?? 0,
    log: () => output,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
      const code = await exited;
      clearTimeout(timer);
      return code;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
    remove: () => rmSync(data, { recursive: true, force: true }),
  };
}
