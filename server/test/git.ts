/** The real git client against the application under test, in a directory and an environment of its own. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startProcess } from './spawner.ts';

export interface GitResult {
  readonly code: number;
  readonly stdout: string;
  /** What the person at the terminal reads, with the service's messages. */
  readonly stderr: string;
}

export interface GitClient {
  /** Holds every clone; removed by `close`. */
  readonly directory: string;
  /** Runs git in a directory below `directory` (itself by default) and answers whatever the outcome was. */
  try(args: readonly string[], where?: string, env?: Readonly<Record<string, string>>): Promise<GitResult>;
  /** The same where success is expected: standard output without its last line break. */
  run(args: readonly string[], where?: string, env?: Readonly<Record<string, string>>): Promise<string>;
  /** Writes a file and commits it in a clone; answers the commit's id. */
  commit(where: string, file: string, content: string | Uint8Array, message?: string): Promise<string>;
  close(): Promise<void>;
}

export async function gitClient(): Promise<GitClient> {
  const directory = await mkdtemp(path.join(tmpdir(), 'millrace-git-'));
  // Nothing of the machine's or the developer's configuration, no prompts, no credential helpers.
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: directory,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    GIT_AUTHOR_NAME: 'Ada Author',
    GIT_AUTHOR_EMAIL: 'ada@example.com',
    GIT_COMMITTER_NAME: 'Carl Committer',
    GIT_COMMITTER_EMAIL: 'carl@example.com',
  };
  const attempt: GitClient['try'] = async (args, where = '.', env = {}) => {
    const command = {
      program: 'git',
      args: ['-C', path.resolve(directory, where), '-c', 'init.defaultBranch=main', ...args],
      env: { ...environment, ...env },
    };
    const { child, stdout, stderr } = await startProcess(command);
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    stdout.on('data', (chunk: Buffer) => out.push(chunk));
    stderr.on('data', (chunk: Buffer) => err.push(chunk));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    return {
      code: code ?? -1,
      stdout: Buffer.concat(out).toString('utf8'),
      stderr: Buffer.concat(err).toString('utf8'),
    };
  };
  const run: GitClient['run'] = async (args, where, env) => {
    const { code, stdout, stderr } = await attempt(args, where, env);
    if (code !== 0) throw new Error(`git ${args.join(' ')} ended with ${code}:\n${stderr}`);
    return stdout.replace(/\n$/, '');
  };
  return {
    directory,
    try: attempt,
    run,
    async commit(where, file, content, message = `Change ${file}`) {
      const target = path.join(directory, where, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, content);
      await run(['add', '--', file], where);
      await run(['commit', '-q', '-m', message], where);
      return run(['rev-parse', 'HEAD'], where);
    },
    close: () => rm(directory, { recursive: true, force: true }),
  };
}
