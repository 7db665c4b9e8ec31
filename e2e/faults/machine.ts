/** What the faults are made of: processes found and killed, memory measured, a disk that fills and turns read-only. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

export interface Process {
  readonly pid: number;
  /** Program and arguments. */
  readonly words: readonly string[];
}

/** Everything below a process, not the process itself. */
export function below(pid: number): Process[] {
  const found: Process[] = [];
  const visit = (id: number) => {
    for (const thread of list(`/proc/${id}/task`))
      for (const child of read(`/proc/${id}/task/${thread}/children`).trim().split(' ').filter(Boolean)) {
        const words = read(`/proc/${child}/cmdline`).split('\0').filter(Boolean);
        found.push({ pid: Number(child), words });
        visit(Number(child));
      }
  };
  visit(pid);
  return found;
}

const list = (directory: string): string[] => {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
};

const gitWork = [
  'update-ref',
  'unpack-objects',
  'index-pack',
  'rev-list',
  'merge-tree',
  'cat-file',
  'pack-refs',
  'repack',
];

/** Kills one git that works for a server, whichever comes first; its name, or null when there was none. */
export function killOneGit(pid: number, below_: (limit: number) => number): string | null {
  const candidates = below(pid).flatMap(({ pid: id, words }) => {
    const name = gitWork.find((work) => words.includes(work));
    // Readers live long and would be found nearly always.
    return name && (name !== 'cat-file' || below_(10) === 0) ? [{ id, name }] : [];
  });
  const chosen = candidates[below_(Math.max(1, candidates.length))];
  if (!chosen) return null;
  try {
    process.kill(chosen.id, 'SIGKILL');
  } catch {
    return null;
  }
  return chosen.name;
}

/** Megabytes of one process that are its own, or its share of what it shares. */
export function memoryOf(pid: number): number {
  const pss = /^Pss:\s+(\d+) kB/m.exec(read(`/proc/${pid}/smaps_rollup`))?.[1];
  return pss ? Number(pss) / 1024 : Number.NaN;
}

/** What a process has at most while something runs, over what it had before. */
export async function growthWhile(pid: number, work: () => Promise<unknown>): Promise<Growth> {
  const before = memoryOf(pid);
  let most = before;
  const timer = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, 100);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return { before, most };
}

/** In megabytes. */
export interface Growth {
  readonly before: number;
  readonly most: number;
}

export function filesBelow(directory: string): string[] {
  for (let again = 10; ; again--)
    try {
      return readdirSync(directory, { recursive: true, encoding: 'utf8' });
    } catch (error) {
      // A directory that was removed while its content was about to be read.
      if (again === 0 || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
}

/** The one bare repository below a directory; empty when there is none. */
export function findRepository(directory: string): string {
  const found = filesBelow(directory).find(
    (name) => name.endsWith('.git') && statSync(join(directory, name)).isDirectory(),
  );
  return found === undefined ? '' : join(directory, found);
}

/** A small disk for repositories. */
export interface Disk {
  readonly path: string;
  /** How it was made: what the report says. */
  readonly way: string;
  /** The server may not write more than the disk holds. */
  bound(pid: number): void;
  /** No more can be written by the server. */
  fill(pid: number): void;
  empty(pid: number): void;
  /** Null where nothing here can do that: modes do not bind root. */
  readonly readOnly: (() => void) | null;
  writable(): void;
  remove(): void;
}

/** A mounted file system where this machine permits it; otherwise limits of processes and modes of directories. */
export function smallDisk(path: string, megabytes: number): Disk {
  mkdirSync(path, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', path]).status === 0;
  return mounted ? tmpfs(path, megabytes) : limits(path, megabytes);
}

function tmpfs(path: string, megabytes: number): Disk {
  const filler = join(path, 'filler');
  const remount = (mode: string) => execFileSync('mount', ['-o', `remount,${mode}`, path]);
  return {
    path,
    way: `tmpfs of ${megabytes} MB`,
    bound: () => undefined,
    fill: () => {
      // Ends with an error when nothing fits any more: that is the point.
      spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k', `count=${megabytes * 16}`], { stdio: 'ignore' });
    },
    empty: () => rmSync(filler, { force: true }),
    readOnly: () => remount('ro'),
    writable: () => remount('rw'),
    remove: () => execFileSync('umount', ['-l', path]),
  };
}

/** What keeps a directory from being written, and lets it be again; null where nothing does. */
function sealing(path: string): { readonly way: string; seal(name: string): void; unseal(name: string): void } | null {
  if (process.getuid?.() !== 0)
    return {
      way: 'directory modes',
      seal: (name) => chmodSync(name, 0o500),
      unseal: (name) => chmodSync(name, 0o700),
    };
  const flag = (word: string, name: string) => spawnSync('chattr', [word, name], { stdio: 'ignore' }).status === 0;
  const works = flag('+i', path);
  flag('-i', path);
  return works
    ? { way: 'immutable directories', seal: (name) => flag('+i', name), unseal: (name) => flag('-i', name) }
    : null;
}

function limits(path: string, megabytes: number): Disk {
  const directories = () =>
    [path, ...filesBelow(path).map((name) => join(path, name))].filter((name) => statSync(name).isDirectory());
  const bar = sealing(path);
  // The limit of one file: of the process, and of every git that it starts.
  const limit = (pid: number, bytes: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  return {
    path,
    way: `file size limit (${megabytes} MB, then 0) and ${bar?.way ?? 'nothing else'}: nothing can be mounted here`,
    bound: (pid) => limit(pid, String(megabytes * 1024 * 1024)),
    fill: (pid) => limit(pid, '0'),
    empty: (pid) => limit(pid, 'unlimited'),
    readOnly:
      bar &&
      (() => {
        for (const name of directories()) bar.seal(name);
      }),
    writable: () => {
      for (const name of directories()) bar?.unseal(name);
    },
    remove: () => undefined,
  };
}
