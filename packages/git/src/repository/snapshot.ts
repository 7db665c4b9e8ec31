/** A repository as the files of a bare one: what a backup of a single repository is made of, without a process. */
import { createReadStream } from 'node:fs';
import { link, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Repo } from '../context.ts';
import { storageError } from '../errors.ts';
import type { RefsSnapshot } from '../refs/snapshot.ts';

export interface SnapshotFile {
  /** Below the repository: `objects/pack/pack-1.pack`. */
  readonly name: string;
  readonly size: number;
  readonly open: () => AsyncIterable<Buffer>;
}

export interface Snapshot {
  readonly files: readonly SnapshotFile[];
  /** Removes what was set aside for it. */
  readonly close: () => Promise<void>;
}

/** Loose objects and packs with what belongs to them; nothing that is being written. */
const objectFile = /^(?:[0-9a-f]{2}\/[0-9a-f]{38}|pack\/pack-[0-9a-f]{40}\.(?:pack|idx|rev|bitmap))$/;
const config = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n';

const textFile = (name: string, text: string): SnapshotFile => {
  const bytes = Buffer.from(text);
  async function* body() {
    yield bytes;
  }
  return { name, size: bytes.length, open: body };
};

function packedRefs({ refs }: RefsSnapshot): string {
  const lines = refs.map(({ ref, id, peeled }) => `${id} ${ref}\n${peeled ? `^${peeled}\n` : ''}`);
  return `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`;
}

/**
 * The repository at this moment. Objects are set aside by hard links, so that maintenance does not remove one before it is
 * read. The repository must not be written while this runs (hold its lock); the files are read later. Close it in the end.
 */
export async function snapshotRepository(repo: Repo, refs: RefsSnapshot): Promise<Snapshot> {
  let aside: string | null = null;
  const close = async () => {
    if (aside !== null) await rm(aside, { recursive: true, force: true });
  };
  try {
    // Where sweeps look for what writers that died have left.
    const kept = await mkdtemp(join(repo.path, 'objects', 'incoming-snapshot-'));
    aside = kept;
    const objects = join(repo.path, 'objects');
    const files: SnapshotFile[] = [
      textFile('HEAD', `ref: ${refs.head ?? 'refs/heads/main'}\n`),
      textFile('config', config),
      textFile('packed-refs', packedRefs(refs)),
    ];
    for (const folder of await readdir(objects)) {
      if (!/^(?:[0-9a-f]{2}|pack)$/.test(folder)) continue;
      for (const entry of await readdir(join(objects, folder))) {
        const name = `${folder}/${entry}`;
        if (!objectFile.test(name)) continue;
        const target = join(kept, name);
        await mkdir(dirname(target), { recursive: true });
        await link(join(objects, name), target);
        const { size } = await stat(target);
        files.push({ name: `objects/${name}`, size, open: () => createReadStream(target) });
      }
    }
    return { files, close };
  } catch (error) {
    await close();
    throw storageError(error) ?? error;
  }
}
