/** Makes a backup: the database at one point, the repositories as they were then, and all objects. */
import { readFile } from 'node:fs/promises';
import { isGitError } from '@millrace/git';
import type { DatabaseDump, Snapshot } from '../../../kernel/db/dump.ts';
import type { ObjectStore } from '../../../kernel/objects/index.ts';
import type { CapturedRepository, RepositoryBackups } from '../../repository/index.ts';
import { entriesOf, linesOf } from './catalog.ts';
import type { Destination } from './destination.ts';
import {
  type Blob,
  headOf,
  type ManifestBody,
  type ManifestHead,
  newName,
  newSealing,
  plain,
  type RepositoryEntry,
  type Sealing,
  sealingOf,
} from './manifest.ts';
import { DamagedBackup } from './sealing.ts';
import { tableStream } from './table-stream.ts';

/** What is told while it runs, and at its end. */
export interface BackupProgress {
  phase: 'database' | 'repositories' | 'objects' | 'manifest' | 'done';
  repositoriesTotal: number | null;
  repositoriesDone: number;
  objectsDone: number;
  /** Bytes of all files of the backup, and of those that were written now. */
  bytesTotal: number;
  bytesStored: number;
  pointAt: Date | null;
  encrypted: boolean;
  readonly problems: string[];
}

interface CreateDependencies {
  readonly dump: DatabaseDump;
  readonly repositories: RepositoryBackups;
  readonly objects: Pick<ObjectStore, 'list' | 'get' | 'exists'>;
  /** The key file. */
  readonly secretsFile: string;
  readonly release: string;
}

interface CreateOptions {
  readonly passphrase: string | null;
  /** Files of earlier backups are not used again. */
  readonly full: boolean;
  readonly signal: AbortSignal;
  /** Called now and then with what was done so far; what it throws ends the backup. */
  readonly report: (progress: BackupProgress) => Promise<void>;
}

/** With more packs than this a repository is stored as one again. */
const mostPacks = 20;
/** Objects on their way at once. */
const atOnce = 4;
/** Problems that are named; more are counted. */
const mostProblems = 100;

/** The newest backup whose files can be used again; null where there is none. */
async function lastUsable(destination: Destination, heads: readonly ManifestHead[], sealing: Sealing) {
  for (const head of heads.toReversed()) {
    if ((head.encryption?.salt ?? plain.id) !== sealing.id) continue;
    try {
      return await destination.body(head, sealing);
    } catch (error) {
      // A damaged backup is no reason not to make another one.
      if (!(error instanceof DamagedBackup)) throw error;
    }
  }
  return null;
}

/** Entries of the backup before, asked for in the order in which they were written. */
async function packsBefore(
  destination: Destination,
  body: ManifestBody | null,
  sealing: Sealing,
): Promise<ReadonlyMap<string, Pick<RepositoryEntry, 'refs' | 'packs'>>> {
  const known = new Map<string, Pick<RepositoryEntry, 'refs' | 'packs'>>();
  if (!body) return known;
  try {
    for await (const { id, refs, packs } of entriesOf<RepositoryEntry>(
      destination.read(body.repositories, 'repositories', sealing),
    ))
      known.set(id, { refs, packs });
  } catch (error) {
    if (!(error instanceof DamagedBackup)) throw error;
    known.clear();
  }
  return known;
}

export async function headsOf(destination: Destination): Promise<ManifestHead[]> {
  const heads: ManifestHead[] = [];
  for (const name of await destination.names())
    try {
      heads.push(await destination.head(name));
    } catch (error) {
      if (!(error instanceof DamagedBackup)) throw error;
    }
  return heads;
}

const sameRefs = (a: RepositoryEntry['refs'], b: RepositoryEntry['refs']) =>
  a.length === b.length && a.every(([ref, id], at) => b[at]?.[0] === ref && b[at]?.[1] === id);

/** Answers the name under which the backup is in the destination. */
export async function createBackup(
  deps: CreateDependencies,
  destination: Destination,
  options: CreateOptions,
): Promise<string> {
  const { signal } = options;
  const heads = await headsOf(destination);
  const sealing = await newSealing(options.passphrase, heads);
  const progress: BackupProgress = {
    phase: 'database',
    repositoriesTotal: null,
    repositoriesDone: 0,
    objectsDone: 0,
    bytesTotal: 0,
    bytesStored: 0,
    pointAt: null,
    encrypted: sealing.key !== null,
    problems: [],
  };
  let problems = 0;
  const problem = (text: string) => {
    problems += 1;
    if (problems <= mostProblems) progress.problems.push(text);
  };
  const references: string[] = [];
  const step = async () => {
    signal.throwIfAborted();
    await options.report(progress);
  };
  /** A file of this backup, new or from an earlier one. */
  const used = ({ key, size }: Blob, stored: number) => {
    references.push(key);
    progress.bytesTotal += size;
    progress.bytesStored += stored;
  };
  const write = async (source: AsyncIterable<string | Buffer>, label: string): Promise<Blob> => {
    const { blob, stored } = await destination.write(source, label, sealing);
    used(blob, stored);
    return blob;
  };

  const before = options.full ? null : await lastUsable(destination, heads, sealing);

  /** Packs that are gone or cut off are not built upon: every later backup would be as incomplete as they are. */
  const allThere = async (packs: readonly Blob[]) =>
    (await Promise.all(packs.map(async ({ key, size }) => (await destination.sizeOf(key)) === size))).every(Boolean);

  async function packsOf(of: CapturedRepository, before: Pick<RepositoryEntry, 'refs' | 'packs'> | undefined) {
    const last = before && (await allThere(before.packs)) ? before : undefined;
    const chain = last && last.packs.length < mostPacks ? last : undefined;
    if (last && sameRefs(last.refs, of.refs)) {
      for (const blob of last.packs) used(blob, 0);
      return last.packs;
    }
    const pack = await of.pack(chain?.refs.map(([, id]) => id) ?? []);
    const packs = chain ? [...chain.packs] : [];
    for (const blob of packs) used(blob, 0);
    if (pack) packs.push(await write(pack, `pack of ${of.id}`));
    return packs;
  }

  async function storeRepositories(snapshot: Snapshot): Promise<{ blob: Blob; count: number }> {
    const known = await packsBefore(destination, before, sealing);
    progress.phase = 'repositories';
    progress.repositoriesTotal = await deps.repositories.count();
    await step();
    const entries: RepositoryEntry[] = [];
    await deps.repositories.each(
      snapshot.name,
      async (found) => {
        if (typeof found === 'string') problem(found);
        else
          try {
            const { id, name, storage, path, head, refs } = found;
            const packs = await packsOf(found, known.get(id));
            entries.push({ id, name, storage, path, head, refs, packs });
          } catch (error) {
            if (!isGitError(error) || signal.aborted) throw error;
            problem(`${found.name}: its repository cannot be read: ${error.message}`);
          }
        progress.repositoriesDone += 1;
        await step();
      },
      signal,
    );
    async function* listed() {
      yield* entries;
    }
    return { blob: await write(linesOf(listed()), 'repositories'), count: entries.length };
  }

  async function* storedObjects() {
    const listed = deps.objects.list()[Symbol.asyncIterator]();
    async function next() {
      const { value, done } = await listed.next();
      if (done) return null;
      const object = value as { key: string; size: number };
      try {
        const { blob, stored } = await destination.writeObject(object, () => deps.objects.get(object.key), {
          sealing,
          again: options.full,
        });
        used(blob, stored);
        progress.objectsDone += 1;
        return object;
      } catch (error) {
        // Not among those at the point: removals of these wait for us.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !(await deps.objects.exists(object.key)))
          return undefined;
        throw error;
      }
    }
    for (;;) {
      const batch = await Promise.all(Array.from({ length: atOnce }, next));
      for (const object of batch) if (object) yield object;
      await step();
      if (batch.includes(null)) return;
    }
  }

  return await deps.dump.withSnapshot(async (snapshot) => {
    progress.pointAt = snapshot.at;
    await step();
    const database = await write(tableStream(snapshot.tables, snapshot.rows, step), 'database');
    const sequences = await snapshot.sequences();
    const jobs = await snapshot.jobs();
    const repositories = await storeRepositories(snapshot);
    progress.phase = 'objects';
    await step();
    const objects = await write(linesOf(storedObjects()), 'objects');
    progress.phase = 'manifest';
    await step();
    const secrets = (await readFile(deps.secretsFile)).toString('base64');
    // Without a key: files are removed without the passphrase, too.
    async function* names() {
      for (const key of references) yield key;
    }
    const { blob: list, stored } = await destination.write(linesOf(names()), 'references', plain);
    progress.bytesTotal += list.size;
    progress.bytesStored += stored;
    if (problems > mostProblems) progress.problems.push(`and ${problems - mostProblems} more`);
    const name = newName(snapshot.at);
    const head = headOf({
      name,
      release: deps.release,
      point_at: snapshot.at.toISOString(),
      encryption: sealing.encryption,
      repositories: repositories.count,
      objects: progress.objectsDone,
      bytes: progress.bytesTotal,
      references: list,
    });
    const body: ManifestBody = {
      migrations: snapshot.migrations,
      tables: snapshot.tables,
      database,
      sequences,
      jobs,
      repositories: repositories.blob,
      objects,
      secrets,
      problems: progress.problems,
    };
    await destination.writeManifest(head, body, sealing);
    progress.phase = 'done';
    await options.report(progress);
    return name;
  });
}

/** Whether the passphrase opens the backup, and what it holds. */
export async function openBackup(
  destination: Destination,
  name: string,
  passphrase: string | null,
): Promise<{ head: ManifestHead; body: ManifestBody; sealing: Sealing }> {
  const head = await destination.head(name);
  const sealing = await sealingOf(head, passphrase);
  return { head, body: await destination.body(head, sealing), sealing };
}
