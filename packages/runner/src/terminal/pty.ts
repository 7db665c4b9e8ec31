/** A shell on a pseudo-terminal that the program `script` makes, inside of whatever isolates the job. */
import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { quote } from '../executors/script.ts';
import type { Size, Terminal } from './types.ts';

const programs = ['/usr/bin/script', '/bin/script'];
const stty = ['/usr/bin/stty', '/bin/stty'];

/** The program that makes pseudo-terminals, or undefined: there are no terminals then. */
export const scriptProgram = (): string | undefined =>
  process.platform === 'linux' ? programs.find((path) => existsSync(path)) : undefined;

/** The text of a script that runs `command` on a pseudo-terminal of this size; its input and output are pipes. */
export function onTerminal(program: string, command: string, { columns, rows }: Size): string {
  // Without a terminal of its own `script` makes one without size and echo.
  const prepared = `stty sane columns ${columns} rows ${rows} 2>/dev/null; exec ${command}`;
  return `SHELL=/bin/sh exec ${program} -q -f -c ${quote(prepared)} /dev/null\n`;
}

/** An interactive shell without anybody's start files; `name` of the prompt. */
export const shellCommand = (path: string, isBash: boolean): string =>
  isBash ? `${path} --noprofile --norc -i` : `${path} -i`;

/** The first descendant of a process that has a terminal as its input. */
function holder(pid: number): number | undefined {
  try {
    if (/^\/dev\/(pts\/\d+|console)$/.test(readlinkSync(`/proc/${pid}/fd/0`))) return pid;
  } catch {
    // It ended, or is nobody's to look at.
  }
  for (const task of list(`/proc/${pid}/task`))
    for (const child of words(`/proc/${pid}/task/${task}/children`)) {
      const found = holder(Number(child));
      if (found !== undefined) return found;
    }
  return undefined;
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function words(path: string): string[] {
  try {
    return readFileSync(path, 'latin1').split(' ').filter(Boolean);
  } catch {
    return [];
  }
}

function resize(pid: number, { columns, rows }: Size): void {
  const program = stty.find((path) => existsSync(path));
  const shell = program && holder(pid);
  if (!program || !shell) return;
  // The link leads to the terminal itself, whatever the job's namespace calls it.
  const args = ['-F', `/proc/${shell}/fd/0`, 'columns', String(columns), 'rows', String(rows)];
  execFile(program, args, { env: {}, timeout: 5000 }, () => undefined);
}

/** The terminal of a child that runs such a script. */
export function terminalOf(child: ChildProcess, end: () => void): Terminal {
  const { stdin, stdout, pid } = child;
  if (!stdin || !stdout || pid === undefined) throw new Error('the shell could not be started');
  const exited = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 128));
  });
  return { input: stdin, output: stdout, exited, resize: (size) => resize(pid, size), end };
}
