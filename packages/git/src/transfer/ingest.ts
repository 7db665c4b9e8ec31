/** A pack from outside into a quarantine: bounded, checked by fsck, and connected to what the repository has. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { GitError, type GitErrorCode } from '../errors.ts';
import type { Quarantine } from '../objects/quarantine.ts';
import { runGit } from '../process/run.ts';
import { isSha, type RefName, type Sha, ZERO_SHA } from '../types.ts';
import { surelyConnected } from './connected.ts';

/**
 * Flaws of old histories that do no harm; all else that fsck finds is refused. The same list serves push, import and
 * mirror.
 */
const TOLERATED = [
  'missingSpaceBeforeDate',
  'badTimezone',
  'zeroPaddedFilemode',
  'missingTaggerEntry',
  'zeroPaddedDate',
  'badDate',
  'missingEmail',
  'missingNameBeforeEmail',
];
const STRICT = `--strict=${TOLERATED.map((id) => `${id}=ignore`).join(',')}`;

/** Failures that are not the pack's. */
const own: ReadonlySet<GitErrorCode> = new Set([
  'limit',
  'memory',
  'busy',
  'missing',
  'storage_full',
  'storage_failed',
]);

export interface IngestOptions {
  /** Bytes of the pack as sent; beyond it `limit`. Any number unless told. */
  maxBytes?: number;
  /** Progress as git prints it. */
  onProgress?: (text: string) => void;
  /** Packs with fewer objects become loose objects, as in git, unless they are large; default 100. */
  unpackLimit?: number;
}

export interface Ingested {
  objects: number;
  bytes: number;
  /** Everything that its objects refer to is among them: a whole history, as the first push brings it. */
  closed: boolean;
}

interface Counter {
  bytes: number;
}

/**
 * A few large files stay the pack that they came in: fetches send it on, and need not look for differences between
 * hundreds of megabytes of loose objects.
 */
const LARGE_BYTES = 4 * 1024 * 1024;

/** Reads until the end, or until there is more than so much; what was read is put to `chunks`. */
async function endsWithin(
  iterator: AsyncIterator<Buffer>,
  chunks: Buffer[],
  counter: Counter,
  bytes: number,
): Promise<boolean> {
  while (counter.bytes <= bytes) {
    const step = await iterator.next().catch((cause: unknown) => {
      if (cause instanceof GitError) throw cause;
      throw new GitError('aborted', 'the input ended with an error', { cause });
    });
    if (step.done) return true;
    counter.bytes += step.value.length;
    chunks.push(step.value);
  }
  return false;
}

async function* counted(
  first: readonly Buffer[],
  iterator: AsyncIterator<Buffer>,
  counter: Counter,
  maxBytes: number,
): AsyncGenerator<Buffer> {
  const check = () => {
    if (counter.bytes > maxBytes) throw new GitError('limit', `the pack is larger than the limit of ${maxBytes} bytes`);
  };
  check();
  yield* first;
  for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
    counter.bytes += step.value.length;
    check();
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
  if (head.length === 0) return { objects: 0, bytes: 0, closed: false };
  const version = head.length >= 12 ? head.readUInt32BE(4) : 0;
  if (head.toString('latin1', 0, 4) !== 'PACK' || (version !== 2 && version !== 3)) {
    throw new GitError('corrupt', 'what was sent is no pack');
  }
  const objects = head.readUInt32BE(8);
  const counter: Counter = { bytes: head.length };
  const { maxBytes = Number.MAX_SAFE_INTEGER } = options;
  const first = [head];
  const few = objects < (options.unpackLimit ?? 100);
  const small = few && (await endsWithin(iterator, first, counter, Math.min(LARGE_BYTES, maxBytes)));
  const input = counted(first, iterator, counter, maxBytes);
  const size = `--max-input-size=${maxBytes}`;
  const progress = options.onProgress ? ['--show-resolving-progress'] : [];
  const args = small
    ? ['unpack-objects', '-q', STRICT, size]
    : ['index-pack', '--stdin', '--fix-thin', STRICT, size, '--check-self-contained-and-connected', ...progress];
  let closed = false;
  try {
    const { code } = await runGit(quarantine.repo, args, {
      work: 'write',
      input,
      // 1 of index-pack: the pack is good, and refers to objects outside of it.
      okCodes: small ? [0] : [0, 1],
      ...(options.onProgress && !small ? { onStderr: options.onProgress } : {}),
    });
    closed = !small && code === 0;
  } catch (error) {
    if (!(error instanceof GitError) || error.exitCode === null || own.has(error.code)) throw error;
    throw new GitError('corrupt', 'the pack was refused', { stderr: error.stderr, exitCode: error.exitCode });
  }
  return { objects, bytes: counter.bytes, closed };
}

/** Whether the quarantine itself holds these objects, not the repository behind it. */
async function holdsAll(quarantine: Quarantine, ids: readonly Sha[]): Promise<boolean> {
  const { stdout } = await runGit(quarantine.base, ['cat-file', '--batch-check', '--buffer'], {
    work: 'read',
    input: `${ids.join('\n')}\n`,
    env: { GIT_OBJECT_DIRECTORY: quarantine.path },
  });
  return !/ missing$/m.test(stdout.toString('latin1'));
}

/**
 * Whether everything reachable from the new ids is here, in the quarantine or behind existing references. Throws
 * `corrupt` naming nothing: missing objects are the client's secret or its damage. A pack that is closed has been walked
 * already while it was indexed: ids inside it need no second walk over the whole history. Nor do a few objects that build
 * on references `near` them, those that a push moves.
 */
export async function checkConnectivity(
  quarantine: Quarantine,
  ids: readonly Sha[],
  ingested: Pick<Ingested, 'closed'> = { closed: false },
  near: readonly RefName[] = [],
): Promise<void> {
  const tips = [...new Set(ids)].filter((id) => isSha(id) && id !== ZERO_SHA);
  if (tips.length === 0) return;
  if (ingested.closed && (await holdsAll(quarantine, tips))) return;
  if (await surelyConnected(quarantine, tips, near)) return;
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
    if (!(error instanceof GitError) || error.exitCode === null || own.has(error.code)) throw error;
    throw new GitError('corrupt', 'objects are missing', { stderr: error.stderr, exitCode: error.exitCode });
  }
}
