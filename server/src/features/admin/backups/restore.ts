/** Restores a backup into an empty instance: key, objects and repositories first, the database last and at once. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import * as git from '@millrace/git';
import type pg from 'pg';
import { loadDump, refusalOfLoad } from '../../../kernel/db/dump.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import { migrateQueue } from '../../../kernel/queue/index.ts';
import { restoreRepository } from '../../repository/index.ts';
import { entriesOf } from './catalog.ts';
import { openBackup } from './create.ts';
import type { Destination } from './destination.ts';
import { type ObjectEntry, plain, type RepositoryEntry } from './manifest.ts';
import { DamagedBackup } from './sealing.ts';
import { readTables } from './table-stream.ts';

/** The backup cannot be restored here; the message says why. */
class RestoreRefused extends Error {
  override readonly name = 'RestoreRefused';
}

interface RestoreTarget {
  readonly pool: pg.Pool;
  readonly objects: Pick<ObjectStore, 'size' | 'adopt'>;
  readonly storages: Readonly<Record<string, string>>;
  readonly secretsFile: string;
}

interface Restored {
  readonly repositories: number;
  readonly objects: number;
  readonly tables: number;
  readonly pointAt: string;
  readonly problems: readonly string[];
}

async function putKey(file: string, content: Buffer): Promise<void> {
  const there = await readFile(file).catch(() => null);
  if (there?.equals(content)) return;
  if (there) throw new RestoreRefused(`${file} holds another key: remove it, or set MILLRACE_SECRETS to another file`);
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, content, { mode: 0o600, flag: 'wx', flush: true });
}

export async function restoreBackup(
  destination: Destination,
  name: string,
  passphrase: string | null,
  target: RestoreTarget,
  report: (text: string) => void,
): Promise<Restored> {
  const { head, body, sealing } = await openBackup(destination, name, passphrase);
  const refusal = await refusalOfLoad(target.pool, body.migrations);
  if (refusal !== null) throw new RestoreRefused(refusal);
  // Every file is there before anything is written; their content is checked while it is read.
  const needed = new Map<string, number | null>();
  const need = (blob: { key: string; size: number }) => needed.set(blob.key, blob.size);
  need(body.database);
  // Nothing is restored from it, but a backup with any damaged file is refused.
  for await (const key of entriesOf<string>(destination.read(head.references, 'references', plain)))
    if (!needed.has(key)) needed.set(key, null);
  const storages = new Set<string>();
  const repositories = () => entriesOf<RepositoryEntry>(destination.read(body.repositories, 'repositories', sealing));
  const objects = () => entriesOf<ObjectEntry>(destination.read(body.objects, 'objects', sealing));
  for await (const { storage, packs } of repositories()) {
    storages.add(storage);
    for (const pack of packs) need(pack);
  }
  for await (const object of objects()) need(destination.objectBlob(object, sealing));
  for (const [key, size] of needed) {
    const there = await destination.sizeOf(key);
    if (there === null || (size !== null && there !== size))
      throw new DamagedBackup(`backup ${name} is not complete: file ${key} is missing or cut off`);
  }
  const unknown = [...storages].filter((storage) => target.storages[storage] === undefined);
  if (unknown.length > 0)
    throw new RestoreRefused(
      `the backup has repositories in storage ${unknown.join(', ')}: name a directory for it in MILLRACE_REPOSITORIES`,
    );

  await putKey(target.secretsFile, Buffer.from(body.secrets, 'base64'));
  const shared = git.createGit();
  let repositoryCount = 0;
  try {
    for await (const entry of repositories()) {
      const packs = entry.packs.map((pack) => destination.read(pack, `pack of ${entry.id}`, sealing));
      try {
        await restoreRepository(shared, target.storages[entry.storage] ?? '', entry, packs);
      } catch (error) {
        if (!git.isGitError(error)) throw error;
        if (error.cause instanceof DamagedBackup) throw error.cause;
        throw new DamagedBackup(`the repository of ${entry.name} is damaged: ${error.message}`, { cause: error });
      }
      repositoryCount += 1;
      report(`repository ${repositoryCount}: ${entry.name}`);
    }
  } finally {
    await shared.close();
  }
  let objectCount = 0;
  for await (const object of objects()) {
    if ((await target.objects.size(object.key)) !== object.size)
      await target.objects.adopt(object.key, Readable.from(destination.readObject(object, sealing)), object.size);
    objectCount += 1;
  }
  report(`${objectCount} objects`);
  await loadDump(
    target.pool,
    {
      migrations: body.migrations,
      tables: body.tables,
      rows: () => readTables(destination.read(body.database, 'database', sealing)),
      sequences: body.sequences,
      jobs: body.jobs,
    },
    migrateQueue,
    // The backup itself was running at its point.
    async (client) => void (await client.query(`delete from backups where state = 'running'`)),
  );
  return {
    repositories: repositoryCount,
    objects: objectCount,
    tables: body.tables.length,
    pointAt: head.point_at,
    problems: body.problems,
  };
}
