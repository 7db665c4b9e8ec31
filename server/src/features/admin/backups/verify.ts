/** Reads a whole backup and compares it with its checksums. */
import { entriesOf } from './catalog.ts';
import { openBackup } from './create.ts';
import type { Destination } from './destination.ts';
import { type ObjectEntry, plain, type RepositoryEntry } from './manifest.ts';
import { DamagedBackup } from './sealing.ts';

export interface Verified {
  readonly files: number;
  readonly bytes: number;
  /** What could not be backed up when it was made. */
  readonly problems: readonly string[];
}

async function drained(source: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of source) bytes += chunk.length;
  return bytes;
}

/** Throws DamagedBackup or PassphraseError, with a sentence that says what is wrong. */
export async function verifyBackup(
  destination: Destination,
  name: string,
  passphrase: string | null,
  options: {
    readonly signal: AbortSignal;
    readonly report?: (files: number, bytes: number) => void;
  },
): Promise<Verified> {
  const { head, body, sealing } = await openBackup(destination, name, passphrase);
  let files = 0;
  let bytes = 0;
  const looked = async (source: AsyncIterable<Buffer>) => {
    options.signal.throwIfAborted();
    const size = await drained(source);
    files += 1;
    bytes += size;
    options.report?.(files, bytes);
    return size;
  };
  await looked(destination.read(body.database, 'database', sealing));
  for await (const entry of entriesOf<RepositoryEntry>(destination.read(body.repositories, 'repositories', sealing)))
    for (const pack of entry.packs) await looked(destination.read(pack, `pack of ${entry.id}`, sealing));
  for await (const object of entriesOf<ObjectEntry>(destination.read(body.objects, 'objects', sealing)))
    if ((await looked(destination.readObject(object, sealing))) !== object.size)
      throw new DamagedBackup(`object ${object.key} is damaged`);
  await looked(destination.read(head.references, 'references', plain));
  return { files, bytes, problems: body.problems };
}
