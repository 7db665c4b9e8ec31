/** Shell scripts of stages: each command announced and then run, the first failure ends the script. */
import { existsSync } from 'node:fs';
import type { JobLimits } from '../limits.ts';
import type { Account } from './types.ts';

export type Shell = { path: string; name: 'bash' | 'sh' };

/** bash where there is one, else the system's sh. */
export function findShell(): Shell {
  const bash = ['/bin/bash', '/usr/bin/bash', '/usr/local/bin/bash'].find((path) => existsSync(path));
  return bash ? { path: bash, name: 'bash' } : { path: '/bin/sh', name: 'sh' };
}

/** Quotes for any POSIX shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/**
 * What a script begins with to be held to limits by the kernel: once lowered they cannot be raised again, and nothing of
 * the job has run before. Processes are counted by uid: only a job with a uid of its own can be held to a number of them.
 */
export function limitsText(shell: Shell, { processes, diskBytes }: JobLimits, account: Account | undefined): string {
  const bash = shell.name === 'bash';
  const lines = ['ulimit -c 0'];
  // dash calls it -p, others -u.
  if (processes && account)
    lines.push([...(bash ? [] : [lowered('p', processes)]), lowered('u', processes)].join(' || '));
  // One file cannot be larger than all of them: ends what would fill the disk between two looks.
  if (diskBytes) lines.push(lowered('f', Math.ceil(diskBytes / (bash ? 1024 : 512))));
  return lines.map((line) => `${line} || exit 1\n`).join('');
}

// A lower limit stays as it is.
const lowered = (option: string, value: number) =>
  `ulimit -${option} ${value} 2>/dev/null || [ "$(ulimit -H -${option} 2>/dev/null)" -le ${value} ] 2>/dev/null`;

/** What a shell takes as the name of a variable. */
const shellName = /^[A-Za-z_]\w*$/;

/**
 * A command that gives what follows the environment of the job. Some names belong to the shell, which keeps its values and
 * takes the others; what no shell has, such as `1A`, is left out: some end at once when they are told to take it. One command
 * for all: each that says where its errors go costs the shell as much as a short script.
 */
export function exportsOf(environment: Readonly<Record<string, string>>): string {
  const values = Object.entries(environment)
    .filter(([name]) => shellName.test(name))
    .map(([name, value]) => `${name}=${quote(value)}`);
  return values.length > 0 ? `export ${values.join(' ')} 2>/dev/null || :\n` : '';
}

/** The text of a script that runs `commands` in `cwd`. */
export function shellScript(shell: Shell, commands: string[], cwd: string, echo: boolean): string {
  const lines = [
    // One pipe for both keeps the order of the output.
    'exec 2>&1',
    shell.name === 'bash' ? 'set -eo pipefail' : 'set -e',
    'set +o noclobber',
    `cd ${quote(cwd)}`,
  ];
  for (const command of commands) {
    if (echo) lines.push(`printf '%s\\n' ${quote(announcement(command))}`);
    lines.push(command);
  }
  return `${lines.join('\n')}\n`;
}

function announcement(command: string): string {
  const [first = '', ...rest] = command.trimEnd().split('\n');
  const more = rest.length > 0 ? ' # collapsed multi-line command' : '';
  return `\u001b[32;1m$ ${first}${more}\u001b[0;m`;
}
