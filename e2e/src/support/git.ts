/** The unmodified git as a person at a terminal runs it. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

type Environment = Readonly<Record<string, string>>;

/** Whether the machine has a program. */
export const has = (program: string): boolean =>
  (process.env.PATH ?? '').split(delimiter).some((directory) => existsSync(join(directory, program)));

/** Runs git without any configuration of this machine. */
export const run = (directory: string, args: readonly string[], env?: Environment): Promise<Ran> =>
  runProgram('git', directory, args, env);

/** Runs a program as git is run. */
export function runProgram(
  program: string,
  directory: string,
  args: readonly string[],
  env: Environment = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: directory,
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_TERMINAL_PROMPT: '0',
        GIT_AUTHOR_NAME: 'Ada Dev',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_COMMITTER_NAME: 'Ada Dev',
        GIT_COMMITTER_EMAIL: 'ada@example.com',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString('utf8');
    });
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Runs git and insists on success. */
export async function git(directory: string, ...args: string[]): Promise<string> {
  const ran = await run(directory, args);
  if (ran.code !== 0) throw new Error(`git ${args.join(' ')} ended with ${ran.code}\n${ran.stderr}`);
  return ran.stdout.trim();
}

/** `http://x/y` with a username and a token in it. */
export function withToken(url: string, token: string, user = 'oauth2'): string {
  const target = new URL(url);
  target.username = user;
  target.password = token;
  return target.href;
}
