/** Whether another uid can get at a path: decided from modes, without starting a process as that uid. */
import { chmod, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Account } from './account.ts';
import { EmbeddedPostgresError } from './errors.ts';

type Mode = { uid: number; gid: number; mode: number };

function allows(file: Mode, account: Account, bits: number): boolean {
  const shift = file.uid === account.uid ? 6 : file.gid === account.gid ? 3 : 0;
  return ((file.mode >> shift) & bits) === bits;
}

/** The first directory above `path` that `account` cannot pass, or undefined. */
async function blockingDirectory(path: string, account: Account): Promise<string | undefined> {
  for (let dir = dirname(resolve(path)); ; dir = dirname(dir)) {
    if (!allows(await stat(dir), account, 1)) return dir;
    if (dir === dirname(dir)) return undefined;
  }
}

/** Whether `account` can read (and for directories and programs, enter) `path` itself and pass every directory above. */
export async function isReachable(path: string, account: Account): Promise<boolean> {
  try {
    const file = await stat(path);
    const bits = file.isDirectory() || file.mode & 0o100 ? 5 : 4;
    return allows(file, account, bits) && (await blockingDirectory(path, account)) === undefined;
  } catch {
    return false;
  }
}

/**
 * Lets the server's uid pass `parent` (the directory that holds the cluster, ours by definition) by its execute bits;
 * everything in there keeps its own mode. Directories further up are the operator's: naming one is an error.
 */
export async function openWay(path: string, parent: string, accounts: Account[]): Promise<void> {
  const mode = (await stat(parent)).mode & 0o777;
  if ((mode & 0o011) !== 0o011) await chmod(parent, mode | 0o011);
  for (const account of accounts) {
    const blocked = await blockingDirectory(path, account);
    if (blocked) {
      throw new EmbeddedPostgresError(
        `PostgreSQL does not run as root, and its uid ${account.uid} cannot pass ${blocked}: choose a data directory (MILLRACE_DATA) outside of it, or chmod o+x it`,
      );
    }
  }
}
