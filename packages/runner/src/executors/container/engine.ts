/** The command line of a container engine, docker or podman: found, checked, called. */
import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';

export type EngineResult = { code: number; stdout: string; stderr: string };

export type CallOptions = {
  /** Ends the call (not what it started in the engine). */
  signal?: AbortSignal | undefined;
  milliseconds?: number;
  /** Gets the output instead of the result, stdout and stderr in their order. */
  output?: (chunk: Buffer) => void;
};

export type Engine = {
  program: string;
  kind: 'docker' | 'podman';
  /** Of everything that starts the program. */
  environment: Record<string, string>;
  call(args: readonly string[], options?: CallOptions): Promise<EngineResult>;
};

const MOST_OUTPUT = 4 * 1024 * 1024;
/** Of the environment of the runner and of jobs nothing reaches the engine: variables could send it elsewhere. */
function environmentOf(path: string): Record<string, string> {
  const runtime = `/run/user/${process.getuid?.() ?? 0}`;
  const home = homedir();
  return { PATH: path, ...(home ? { HOME: home } : {}), ...(existsSync(runtime) ? { XDG_RUNTIME_DIR: runtime } : {}) };
}

/** The engine behind a program. */
function engineOf(program: string, path: string): Engine {
  const env = environmentOf(path);
  return {
    program,
    environment: env,
    kind: basename(program).includes('podman') ? 'podman' : 'docker',
    call: (args, options = {}) => call(program, args, env, options),
  };
}

function call(program: string, args: readonly string[], env: Record<string, string>, options: CallOptions) {
  const { signal, milliseconds, output } = options;
  return new Promise<EngineResult>((resolve, reject) => {
    const signals = [signal, milliseconds === undefined ? undefined : AbortSignal.timeout(milliseconds)];
    const ends = signals.filter((one) => one !== undefined);
    const child = spawn(program, [...args], {
      env,
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      killSignal: 'SIGKILL',
      ...(ends.length > 0 ? { signal: AbortSignal.any(ends) } : {}),
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].on('data', (chunk: Buffer) => {
        if (output) output(chunk);
        else if (texts[name].length < MOST_OUTPUT) texts[name] += chunk.toString('utf8');
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ code: code ?? 137, ...texts }));
  });
}

/** The last line of what the engine said, for a message. */
export function reasonOf(result: EngineResult): string {
  return result.stderr.trim().split('\n').at(-1)?.slice(0, 500) || `exit status ${result.code}`;
}

/** Whether the engine answers: docker without its daemon does not. */
async function engineWorks(engine: Engine): Promise<boolean> {
  const args = ['version', '--format', engine.kind === 'docker' ? '{{.Server.Version}}' : '{{.Client.Version}}'];
  return await engine.call(args, { milliseconds: 10_000 }).then(
    ({ code }) => code === 0,
    () => false,
  );
}

/** The engine to use: the one that is named, else the first of podman and docker in `path` that works. */
export async function findEngine(named: string | undefined, path: string): Promise<Engine | undefined> {
  const directories = path.split(delimiter).filter(Boolean);
  const programs = named?.includes('/')
    ? [named]
    : (named ? [named] : ['podman', 'docker']).flatMap((name) => directories.map((directory) => join(directory, name)));
  for (const program of programs) {
    if (!isProgram(program)) continue;
    const engine = engineOf(program, path);
    if (await engineWorks(engine)) return engine;
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
