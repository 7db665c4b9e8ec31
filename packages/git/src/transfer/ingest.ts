/** A pack from outside into a quarantine: bounded, checked by fsck, and connected to what the repository has. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError } from '../errors.ts';
import type { Quarantine } from '../objects/quarantine.ts';
import { runGit } from '../process/run.ts';
import { isSha, type Sha, ZERO_SHA } from '../types.ts';

/**
 * Flaws of old histories that do no harm; all else that fsck finds is refused. The same list serves push, import and
 * mirror.
 */
const TOLERATED = [
  'missingSpaceBeforeDate',
  'badTimezone',
  'zeroPaddedFilemode',
  'missingTaggerEntry',
  'gitmodulesUrl',
  'zeroPaddedDate',
  'badDate',
  'missingEmail',
  'missingNameBeforeEmail',
];
const STRICT = `--strict=${TOLERATED.map((id) => `${id}=ignore`).join(',')}`;

export interface IngestOptions {
  /** Bytes of the pack as sent; beyond it `limit`. */
  maxBytes: number;
  /** Progress as git prints it. */
  onProgress?: (text: string) => void;
  /** Packs with fewer objects become loose objects, as in git; default 100. */
  unpackLimit?: number;
}

export interface Ingested {
  objects: number;
  bytes: number;
}

interface Counter {
  bytes: number;
}

async function* counted(
  first: Buffer,
  iterator: AsyncIterator<Buffer>,
  counter: Counter,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  yield first;
  for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
    counter.bytes += step.value.length;
    if (counter.bytes > maxBytes) throw new GitError('limit', `the pack is larger than the limit of ${maxBytes} bytes`);
    yield step.value;
  }
}

/**
 * Puts a pack into the quarantine. Throws `corrupt` (damaged, forged or refused by fsck; `stderr` says what), `limit`.
 * An empty stream is a pack without objects.
 */
export async function ingestPack(
  quarantine: Quarantine,
  pack: AsyncIterable<Buffer>,
  options: IngestOptions,
): Promise<Ingested> {
  const iterator = pack[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 12) {
    const step = await iterator.next();
    if (step.done) break;
    head = Buffer.concat([head, step.value]);
  }
  if (head.length === 0) return { objects: 0, bytes: 0 };
  const version = head.length >= 12 ? head.readUInt32BE(4) : 0;
  if (head.toString('latin1', 0, 4) !== 'PACK' || (version !== 2 && version !== 3)) {
    throw new GitError('corrupt', 'what was sent is no pack');
  }
  const objects = head.readUInt32BE(8);
  const counter: Counter = { bytes: head.length };
  const input = counted(head, iterator, counter, options.maxBytes);
  const size = `--max-input-size=${options.maxBytes}`;
  const small = objects < (options.unpackLimit ?? 100);
  const progress = options.onProgress ? ['--show-resolving-progress'] : [];
  const args = small
    ? ['unpack-objects', '-q', STRICT, size]
    : ['index-pack', '--stdin', '--fix-thin', STRICT, size, ...progress];
  try {
    await runGit(quarantine.repo, args, {
      work: 'write',
      input,
      ...(options.onProgress && !small ? { onStderr: options.onProgress } : {}),
    });
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === null || error.code === 'limit') throw error;
    throw new GitError('corrupt', 'the pack was refused', { stderr: error.stderr, exitCode: error.exitCode });
  }
  return { objects, bytes: counter.bytes };
}

/**
 * Whether everything reachable from the new ids is here, in the quarantine or behind existing references. Throws
 * `corrupt` naming nothing: missing objects are the client's secret or its damage.
 */
export async function checkConnectivity(quarantine: Quarantine, ids: readonly Sha[]): Promise<void> {
  const tips = [...new Set(ids)].filter((id) => isSha(id) && id !== ZERO_SHA);
  if (tips.length === 0) return;
  // The quarantine sees the repository as an alternate: asking for its references again would cost a process.
  const borrows = await stat(join(quarantine.base.path, 'objects/info/alternates')).then(
    () => true,
    () => false,
  );
  const borrowed = borrows ? ['--alternate-refs'] : [];
  try {
    await runGit(quarantine.repo, ['rev-list', '--objects', '--stdin', '--not', '--all', '--quiet', ...borrowed], {
      work: 'write',
      input: `${tips.join('\n')}\n`,
    });
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === null) throw error;
    throw new GitError('corrupt', 'objects are missing', { stderr: error.stderr, exitCode: error.exitCode });
  }
}
