/** The files of one cluster: layout, creation with initdb, password, version check. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, lchown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Account, Accounts } from './account.ts';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { openWay } from './reach.ts';

export const SUPERUSER = 'millrace';

export type ClusterPaths = { root: string; data: string; password: string; log: string; socket: string };

/** Where things are below the cluster's directory. */
export function clusterPaths(root: string): ClusterPaths {
  return {
    root,
    data: join(root, 'data'),
    password: join(root, 'password'),
    log: join(root, 'postgres.log'),
    socket: join(root, 'run'),
  };
}

/** Makes the cluster's directory (passable for the server's uid) and returns the superuser's password, made once. */
export async function prepareDirectory(paths: ClusterPaths, accounts: Accounts): Promise<string> {
  await mkdir(dirname(paths.root), { recursive: true });
  await mkdir(paths.root, { recursive: true, mode: accounts.server ? 0o711 : 0o700 });
  if (accounts.server && accounts.initdb) {
    await chmod(paths.root, 0o711);
    await openWay(paths.data, dirname(paths.root), [accounts.server, accounts.initdb]);
  }
  const existing = await readFile(paths.password, 'utf8').catch(() => undefined);
  if (existing?.trim()) return existing.trim();
  const password = randomBytes(24).toString('base64url');
  await writeFile(`${paths.password}.new`, password, { mode: 0o600, flush: true });
  await rename(`${paths.password}.new`, paths.password);
  return password;
}

/** The cluster's major version, or undefined if there is no cluster yet. */
export async function clusterMajor(paths: ClusterPaths): Promise<number | undefined> {
  const text = await readFile(join(paths.data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/** Throws unless the cluster was made by the major version that `binaries` run. */
export function assertMajor(paths: ClusterPaths, found: number, binaries: Binaries): void {
  if (found === binaries.major) return;
  throw new EmbeddedPostgresError(
    `${paths.data} was made by PostgreSQL ${found}, and this release brings PostgreSQL ${binaries.major}: restore a backup into a new data directory, or run PostgreSQL ${found} yourself and set DATABASE_URL`,
  );
}

/** Creates the cluster next to its final place and renames it, so that an interrupted start leaves nothing half made. */
export async function createCluster(
  paths: ClusterPaths,
  binaries: Binaries,
  accounts: Accounts,
  password: string,
  durable: boolean,
): Promise<void> {
  const partial = `${paths.data}.partial`;
  const pwfile = `${paths.password}.initdb`;
  await rm(partial, { recursive: true, force: true });
  await rm(pwfile, { force: true });
  await mkdir(partial, { mode: 0o700 });
  await writeFile(pwfile, password, { mode: 0o600 });
  if (accounts.initdb) {
    await chown(partial, accounts.initdb.uid, accounts.initdb.gid);
    await chown(pwfile, accounts.initdb.uid, accounts.initdb.gid);
  }
  try {
    await initdb(binaries, accounts.initdb, [
      `--pgdata=${partial}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${pwfile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
      // The password has 192 random bits: iterations would only slow down each new connection.
      '--set=scram_iterations=1',
      ...(durable ? [] : ['--no-sync']),
    ]);
  } finally {
    await rm(pwfile, { force: true });
  }
  if (accounts.server) await chownTree(partial, accounts.server);
  await rename(partial, paths.data);
}

function initdb(binaries: Binaries, account: Account | undefined, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const options = { env: { LC_ALL: 'C', PATH: '/usr/bin:/bin' }, cwd: '/', ...account };
    execFile(binaries.initdb, args, options, (error, stdout, stderr) => {
      if (!error) return resolve();
      const said = `${stdout}${stderr}`.trim().split('\n').slice(-8).join('\n');
      reject(new EmbeddedPostgresError(`initdb failed: ${said || error.message}`, { cause: error }));
    });
  });
}

async function chownTree(path: string, account: Account): Promise<void> {
  await lchown(path, account.uid, account.gid);
  for (const entry of await readdir(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) await chownTree(child, account);
    else await lchown(child, account.uid, account.gid);
  }
}
