/** Small files among what waits in a quarantine, without asking git where that can be read directly. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import { runGit, streamGit } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';
import type { Quarantine } from './quarantine.ts';

export interface SmallBlob {
  readonly id: Sha;
  readonly data: Buffer;
}

const inflated = promisify(inflate);
/** What compression adds to bytes that it cannot make fewer, with git's header before them. */
const OVERHEAD = 64;
const READ_AT_ONCE = 32;
/** Ids in one request to git. */
const CHUNK = 10_000;

async function looseBlob(file: string, id: Sha, maxBytes: number): Promise<SmallBlob | null> {
  if ((await stat(file)).size > maxBytes + OVERHEAD) return null;
  // What unpacks to more is no small file.
  const data = await inflated(await readFile(file), { maxOutputLength: maxBytes + OVERHEAD }).catch(() => null);
  if (!data?.subarray(0, 5).equals(Buffer.from('blob '))) return null;
  const content = data.subarray(data.indexOf(0) + 1);
  return content.length > maxBytes ? null : { id, data: content };
}

/** Loose objects: small pushes and what was written here. */
async function* looseBlobs(quarantine: Quarantine, maxBytes: number): AsyncGenerator<SmallBlob> {
  const names = await readdir(quarantine.path);
  const files: { file: string; id: Sha }[] = [];
  for (const directory of names.filter((name) => /^[0-9a-f]{2}$/.test(name)))
    for (const rest of await readdir(join(quarantine.path, directory))) {
      const id = directory + rest;
      if (isSha(id)) files.push({ file: join(quarantine.path, directory, rest), id });
    }
  for (let at = 0; at < files.length; at += READ_AT_ONCE) {
    const some = files.slice(at, at + READ_AT_ONCE);
    for (const blob of await Promise.all(some.map(({ file, id }) => looseBlob(file, id, maxBytes))))
      if (blob) yield blob;
  }
}

/** The quarantine alone, without the repository behind it. */
const ALONE = { work: 'write', env: { GIT_ALTERNATE_OBJECT_DIRECTORIES: '' } } as const;

async function packedIds({ repo }: Quarantine, maxBytes: number): Promise<Sha[]> {
  const list = [
    'cat-file',
    '--batch-all-objects',
    '--unordered',
    '--batch-check=%(objecttype) %(objectsize) %(objectname)',
  ];
  const { stdout, done, stop } = await streamGit(repo, list, ALONE);
  const ids: Sha[] = [];
  let rest = '';
  stdout.setEncoding('latin1');
  try {
    for await (const chunk of stdout as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (!line.startsWith('blob ')) continue;
        const [, size, id = ''] = line.split(' ');
        if (Number(size) <= maxBytes && isSha(id)) ids.push(id);
      }
    }
    await done;
  } finally {
    stop();
  }
  return ids;
}

/** Objects of packs: two processes for a push of any size. */
async function* packedBlobs(quarantine: Quarantine, maxBytes: number): AsyncGenerator<SmallBlob> {
  const packs = await readdir(join(quarantine.path, 'pack'));
  if (!packs.some((name) => name.endsWith('.idx'))) return;
  const ids = await packedIds(quarantine, maxBytes);
  for (let at = 0; at < ids.length; at += CHUNK) {
    const input = `${ids.slice(at, at + CHUNK).join('\n')}\n`;
    const { stdout } = await runGit(quarantine.repo, ['cat-file', '--batch', '--buffer'], { ...ALONE, input });
    for (let start = 0; start < stdout.length; ) {
      const line = stdout.indexOf(10, start);
      const [id = '', , size = ''] = stdout.toString('latin1', start, line).split(' ');
      const end = line + 1 + Number(size);
      if (isSha(id)) yield { id, data: stdout.subarray(line + 1, end) };
      start = end + 1;
    }
  }
}

/**
 * Files of at most `maxBytes` that the quarantine holds. A pack that built on objects of the repository holds copies of
 * these, too: who refuses something for a file asks first whether it is new.
 */
export async function* quarantinedBlobs(quarantine: Quarantine, maxBytes: number): AsyncGenerator<SmallBlob> {
  await quarantine.overlay.settle();
  yield* looseBlobs(quarantine, maxBytes);
  yield* packedBlobs(quarantine, maxBytes);
}
