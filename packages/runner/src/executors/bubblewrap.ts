/** Commands run in namespaces of their own (bubblewrap): the host read-only, our data hidden, its own /tmp and pids. */
import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { JobLimits } from '../limits.ts';
import { localSandbox } from './local-process.ts';
import { dropPrivileges } from './shell.ts';
import type { Account, Executor, JobDirectories } from './types.ts';

/** The bwrap program in `path` (colon-separated directories), or undefined. */
export function findBubblewrap(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(Boolean)
    .map((directory) => join(directory, 'bwrap'))
    .find((file) => existsSync(file));
}

/** Whether bwrap works here; kernels and containers may forbid the namespaces that it needs. */
export function bubblewrapWorks(program: string, account: Account | undefined): Promise<boolean> {
  const command = [...namespaces([]), '--', ...dropPrivileges(account), 'true'];
  return new Promise((resolve) => execFile(program, command, { env: {}, timeout: 5000 }, (error) => resolve(!error)));
}

/** The bubblewrap executor. `hidden` are directories that appear empty (the data directory, first of all). */
export function bubblewrapExecutor(program: string, hidden: string[], limits: JobLimits = {}): Executor {
  return {
    name: 'bubblewrap',
    hasShell: true,
    open: async (directories, account) =>
      localSandbox('bubblewrap', directories, account, limits, (command) => ({
        command: [
          program,
          ...namespaces(hidden),
          ...binds(hidden, directories),
          '--',
          ...dropPrivileges(account),
          ...command,
        ],
        account: undefined,
        wrapped: true,
      })),
  };
}

// Order counts: what is hidden first, then the job's own directories inside of it.
function namespaces(hidden: string[]): string[] {
  return [
    ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--die-with-parent', '--new-session'],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...mountsOver(hidden).flatMap((path) => [
      ...(/(tmp|shm)$/.test(path) ? ['--perms', '1777'] : []),
      ...['--tmpfs', path],
    ]),
    // Name resolution often lives below /run.
    ...['--ro-bind-try', '/run/systemd/resolve', '/run/systemd/resolve'],
  ];
}

function mountsOver(hidden: string[]): string[] {
  const empty = ['/tmp', '/var/tmp', '/run', '/root', '/home', '/dev/shm', ...hidden];
  return [...new Set(empty.map(real))].filter((path) => path !== '/' && existsSync(path));
}

function binds(hidden: string[], directories: JobDirectories): string[] {
  const mounts = mountsOver(hidden);
  return [directories.workspace, directories.private].map(real).flatMap((path) => [
    // bwrap would make these as closed as the directory that it mounts below them.
    ...ancestors(path)
      .filter((directory) => mounts.some((mount) => directory.startsWith(`${mount}/`)))
      .flatMap((directory) => ['--perms', '0755', '--dir', directory]),
    ...['--bind', path, path],
  ]);
}

function ancestors(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [...ancestors(parent), parent];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
