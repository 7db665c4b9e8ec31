/**
 * Trees that were made here keep the rules of pushes: git's own check decides, and is asked only where a name or a file
 * could break one of them.
 */
import { createHash } from 'node:crypto';
import { open, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { constants, deflateSync, inflate, inflateSync } from 'node:zlib';
import { createLru } from '../lru.ts';
import { ingestPack } from '../transfer/ingest.ts';
import { isSha, type Sha } from '../types.ts';
import { eachTreeEntry } from './parse.ts';
import type { Quarantine } from './quarantine.ts';

const inflated = promisify(inflate);

/** Characters that HFS+ ignores: `.g\u200cit` is `.git` there. */
const hfsIgnored = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
/** More than git refuses: what some system may read as `.git`, or what leads to other places. */
const suspicious = /^\.{0,2}$|[/\\]|^\.git([. :]|$)|^git~/;
/** Files that git reads, by all their names; those of NTFS are shortened. */
const read = /^\.git(modules|attributes)([. :]|$)|^gi[^.]{0,5}~/;
/** Bytes of a loose object that tell its kind. */
const beginning = 64;

/** Files that git has found harmless. */
const approved = createLru<true>(1024 * 1024);

interface LooseTree {
  readonly id: Sha;
  readonly data: Buffer;
}

/** The tree in the file of a loose object; null for other objects, of which only the first bytes are read. */
async function looseTree(file: string, id: Sha): Promise<LooseTree | null> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(beginning), 0, beginning, 0);
    const head = inflateSync(buffer.subarray(0, bytesRead), { finishFlush: constants.Z_SYNC_FLUSH });
    if (!head.subarray(0, 5).equals(Buffer.from('tree '))) return null;
  } finally {
    await handle.close();
  }
  const whole = await inflated(await readFile(file));
  return { id, data: whole.subarray(whole.indexOf(0) + 1) };
}

/** Objects of the quarantine that may be trees. */
async function candidates({ path, overlay }: Quarantine): Promise<Sha[]> {
  const contents = overlay.contents();
  if (contents) return [...contents].flatMap(([id, type]) => (type === 'tree' ? id : []));
  await overlay.settle();
  const directories = (await readdir(path)).filter((name) => /^[0-9a-f]{2}$/.test(name));
  const found = directories.map(async (directory) =>
    (await readdir(join(path, directory))).map((rest) => directory + rest),
  );
  return (await Promise.all(found)).flat().filter(isSha);
}

async function* looseTrees(quarantine: Quarantine): AsyncGenerator<LooseTree> {
  const { path, overlay } = quarantine;
  for (const id of await candidates(quarantine)) {
    const known = overlay.get(id);
    if (known) {
      if (known.type === 'tree') yield { id, data: known.data };
      continue;
    }
    // Too large to be remembered.
    if (overlay.contents()) await overlay.settle();
    const tree = await looseTree(join(path, id.slice(0, 2), id.slice(2)), id);
    if (tree) yield tree;
  }
}

/** A pack of whole trees. */
function packOf(trees: readonly LooseTree[]): Buffer {
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(trees.length, 8);
  const parts = [head];
  for (const { data } of trees) {
    const bytes: number[] = [];
    let rest = Math.floor(data.length / 16);
    // The kind (2: a tree) stands beside the lowest bits of the size.
    bytes.push((rest > 0 ? 0x80 : 0) | (2 << 4) | (data.length & 15));
    while (rest > 0) {
      const low = rest & 0x7f;
      rest = Math.floor(rest / 128);
      bytes.push((rest > 0 ? 0x80 : 0) | low);
    }
    parts.push(Buffer.from(bytes), deflateSync(data, { level: 1 }));
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash('sha1').update(body).digest()]);
}

/**
 * Holds the loose trees of a quarantine, with the files in them that git itself reads, against the rules that pushes are
 * held against. Throws `corrupt`, with what git says in `stderr`.
 */
export async function checkWritten(quarantine: Quarantine): Promise<void> {
  if (!quarantine.overlay.used()) return;
  const trees: LooseTree[] = [];
  const files: Sha[] = [];
  for await (const tree of looseTrees(quarantine)) {
    let doubtful = false;
    eachTreeEntry(tree.data, (mode, bytes, id) => {
      const name = bytes.toString('utf8').replace(hfsIgnored, '').toLowerCase();
      if (read.test(name)) {
        const file = mode === '100644' || mode === '100755';
        if (file && approved.get(id)) return;
        if (file) files.push(id);
        doubtful = true;
      } else if (suspicious.test(name)) doubtful = true;
    });
    if (doubtful) trees.push(tree);
  }
  if (trees.length === 0) return;
  await quarantine.overlay.settle();
  const pack = packOf(trees);
  // They are there already: unpacking writes nothing, and git checks what it unpacks.
  await ingestPack(
    quarantine,
    (async function* () {
      yield pack;
    })(),
    { unpackLimit: Number.MAX_SAFE_INTEGER },
  );
  for (const id of files) approved.set(id, true, id.length);
}
