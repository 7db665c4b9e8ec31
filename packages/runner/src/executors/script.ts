/** Shell scripts of stages: each command announced and then run, the first failure ends the script. */
import { existsSync } from 'node:fs';

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
