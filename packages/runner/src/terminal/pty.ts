/** A shell on a pseudo-terminal that the program `script` makes, inside of whatever isolates the job. */
import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { quote } from '../executors/script.ts';
import type { Size, Terminal } from './types.ts';

const programs = ['/usr/bin/script', '/bin/script'];
const stty = ['/usr/bin/stty', '/bin/stty'];
/** What a terminal begins with, and sets its first size. */
const preparing = 'stty sane';

/** The program that makes pseudo-terminals, or undefined: there are no terminals then. */
export const scriptProgram = (): string | undefined =>
  process.platform === 'linux' ? programs.find((path) => existsSync(path)) : undefined;

/** The text of a script that runs `command` on a pseudo-terminal of this size; its input and output are pipes. */
export function onTerminal(program: string, command: string, { columns, rows }: Size): string {
  // Without a terminal of its own `script` makes one without size and echo.
  // Characters of several bytes are erased whole where the input is known to have some.
  const prepared = `${preparing} columns ${columns} rows ${rows} 2>/dev/null; stty iutf8 2>/dev/null; exec ${command}`;
  return `SHELL=/bin/sh exec ${program} -q -f -c ${quote(prepared)} /dev/null\n`;
}

/** An interactive shell without anybody's start files; `name` of the prompt. */
export const shellCommand = (path: string, isBash: boolean): string =>
  isBash ? `${path} --noprofile --norc -i` : `${path} -i`;

/** The first descendant of a process that has a terminal as its input, once its size has been prepared. */
function holder(pid: number): number | undefined {
  try {
    if (/^\/dev\/(pts\/\d+|console)$/.test(readlinkSync(`/proc/${pid}/fd/0`)))
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(preparing) ? undefined : pid;
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

/** Milliseconds between two tries of a new size, more with each: a terminal that starts has no size to set yet. */
const RESIZE_EVERY = 50;
const RESIZE_MOST = 1000;

/** Whether the terminal of a process's descendants has that size now. Lists of children can miss some while others end. */
async function resized(program: string, pid: number, { columns, rows }: Size): Promise<boolean> {
  const shell = holder(pid);
  if (!shell) return false;
  // The link leads to the terminal itself, whatever the job's namespace calls it.
  const args = ['-F', `/proc/${shell}/fd/0`, 'columns', String(columns), 'rows', String(rows)];
  return await new Promise((resolve) => {
    execFile(program, args, { env: {}, timeout: 5000 }, (error) => resolve(error === null));
  });
}

/** Sets sizes one after the other, the last one in the end. */
function resizer(pid: number, exited: Promise<unknown>): (size: Size) => void {
  let wanted: Size | undefined;
  let over = false;
  void exited.then(() => {
    over = true;
  });
  async function work(program: string): Promise<void> {
    for (let tries = 1; wanted && !over; tries += 1) {
      const size: Size = wanted;
      if (!(await resized(program, pid, size))) await sleep(Math.min(RESIZE_EVERY * tries, RESIZE_MOST));
      else if (wanted === size) break;
      else tries = 0;
    }
    wanted = undefined;
  }
  const program = stty.find((path) => existsSync(path));
  return (size) => {
    const idle = wanted === undefined;
    wanted = size;
    if (idle && program) void work(program);
  };
}

/** The terminal of a child that runs such a script. */
export function terminalOf(child: ChildProcess, end: () => void): Terminal {
  const { stdin, stdout, pid } = child;
  if (!stdin || !stdout || pid === undefined) throw new Error('the shell could not be started');
  const exited = new Promise<number>((resolve) => {
    child.once('error', () => resolve(127));
    child.once('close', (code) => resolve(code ?? 128));
  });
  return { input: stdin, output: stdout, exited, resize: resizer(pid, exited), end };
}
