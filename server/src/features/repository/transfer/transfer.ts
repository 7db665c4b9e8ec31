/** The repository side of git's transports: what is advertised, fetched and pushed, whichever way it arrives. */
import { Readable } from 'node:stream';
import * as git from '@millrace/git';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { Holding } from '../../../kernel/http/held-bytes.ts';
import { asHttpError } from '../reading/git-reader.ts';
import { pushable, type ReceiveDependencies, receiving } from './receive.ts';

export interface TransferDependencies<S> extends ReceiveDependencies<S> {
  /** Further prefixes of refs that a caller does not see. */
  readonly hiddenFrom?: (subject: S, caller: Caller) => readonly string[];
  /** Objects of the repository are sent to somebody. */
  readonly fetched: (subject: S, caller: Caller) => void;
  /** Files of a commit are sent to somebody. */
  readonly archived: (subject: S, caller: Caller) => void;
}

export type GitService = 'git-upload-pack' | 'git-receive-pack';

/** The two-way connection of a session. */
export interface SessionConnection {
  readonly input: AsyncIterable<Buffer>;
  /** Sends to the client; resolves when it may be given more. */
  send(data: Readable | Uint8Array): Promise<void>;
  readonly version: 0 | 1 | 2;
  readonly signal: AbortSignal;
}

/** Refs that clients do not see. Those of merge requests, pipelines and environments they see, but only the service writes them. */
const hidden = ['refs/keep-around', 'refs/remotes', 'refs/tmp'];
const v2RequestLimit = 1024 * 1024;

/** The same function for the same prefixes: long answers are remembered by it. */
const visibilities = new Map<string, (ref: string) => boolean>();
function visibleBut(hideRefs: readonly string[]): (ref: string) => boolean {
  const key = hideRefs.join(' ');
  const made = visibilities.get(key) ?? ((ref: string) => !hideRefs.some((prefix) => ref.startsWith(`${prefix}/`)));
  visibilities.set(key, made);
  return made;
}

const one = (data: Uint8Array) => Readable.from([data], { objectMode: false });

/** Lines of git's protocol; what is none is refused with words, before git ends on it without any. */
async function* framed(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* git.checkedPackets(input);
  } catch (error) {
    throw asHttpError(error);
  }
}

/** Ends what is longer than it may be. */
async function* bounded(body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes)
      throw new HttpError(413, {
        message: `413 Request Entity Too Large - the negotiation has more than ${maxBytes} bytes (max_negotiation_bytes)`,
      });
    yield chunk;
  }
}

async function collect(
  body: AsyncIterable<Buffer>,
  limit: number,
  holding: Holding,
): Promise<{ whole: Buffer | null; rest: AsyncIterable<Buffer> }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const iterator = body[Symbol.asyncIterator]();
  for (;;) {
    const step = await iterator.next();
    if (step.done) {
      const whole = Buffer.concat(chunks);
      return { whole, rest: Readable.from([whole]) };
    }
    holding.take(step.value.length);
    chunks.push(step.value);
    size += step.value.length;
    if (size > limit) {
      async function* all() {
        yield* chunks;
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
      }
      return { whole: null, rest: all() };
    }
  }
}

export function transfer<S>(deps: TransferDependencies<S>) {
  const { repositoryOf } = deps;
  const receiver = receiving(deps);
  const open = (subject: S) => deps.open(repositoryOf(subject));
  const generationOf = (subject: S) => repositoryOf(subject).refs_generation;

  const hiddenFrom = (subject: S, caller: Caller) => [...hidden, ...(deps.hiddenFrom?.(subject, caller) ?? [])];

  async function advertise(
    subject: S,
    caller: Caller,
    service: GitService,
    version: number,
    signal: AbortSignal,
  ): Promise<Readable> {
    const repo = open(subject);
    try {
      if (service === 'git-receive-pack') {
        const snapshot = await git.refsSnapshot(repo, generationOf(subject));
        return one(git.receivePackAdvertisement(snapshot, pushable));
      }
      const hideRefs = hiddenFrom(subject, caller);
      const options = { version: version as 0 | 1 | 2, generation: generationOf(subject), hideRefs };
      return one(await git.uploadPackAdvertisement(git.withSignal(repo, signal), options));
    } catch (error) {
      throw asHttpError(error);
    }
  }

  async function uploadPack(
    subject: S,
    caller: Caller,
    body: AsyncIterable<Buffer>,
    version: number,
    signal: AbortSignal,
  ): Promise<Readable> {
    const repo = git.withSignal(open(subject), signal);
    const { held, maxBytes } = deps.negotiation;
    const holding = held.hold(caller.credential.kind === 'none' ? 'anonymous' : 'identified');
    try {
      const hideRefs = hiddenFrom(subject, caller);
      const { whole, rest } = await collect(bounded(body, maxBytes), v2RequestLimit, holding);
      const refs = whole && {
        snapshot: await git.refsSnapshot(open(subject), generationOf(subject)),
        visible: visibleBut(hideRefs),
      };
      if (version === 2 && refs) {
        const answered = git.answerLsRefs(await git.parseV2Request(whole), refs.snapshot, refs.visible);
        if (answered) {
          holding.release();
          return one(answered);
        }
      }
      // The round that ends the negotiation is the one that sends.
      if (whole === null || whole.includes('done')) deps.fetched(subject, caller);
      const request = { version: version as 0 | 1 | 2, body: whole ?? rest, hideRefs };
      const answer = await git.uploadPack(repo, refs ? { ...request, refs } : request);
      answer.once('close', holding.release);
      return answer;
    } catch (error) {
      holding.release();
      throw asHttpError(error);
    }
  }

  async function receivePack(subject: S, caller: Caller, body: Readable, signal: AbortSignal): Promise<Readable> {
    const request = await receiver.read(body).catch((error: unknown) => {
      throw asHttpError(error);
    });
    return receiver.received(subject, caller, request, signal, 'drain-first');
  }

  /** A fetch over a two-way connection. Version 2 has requests that stand alone: each is answered as over HTTP. */
  async function uploadPackSession(subject: S, caller: Caller, connection: SessionConnection): Promise<void> {
    const { input, send, version, signal } = connection;
    if (version !== 2) {
      deps.fetched(subject, caller);
      const repo = git.withSignal(open(subject), signal);
      const asked = bounded(framed(input), deps.negotiation.maxBytes);
      await send(await git.uploadPackSession(repo, { version, input: asked, hideRefs: hiddenFrom(subject, caller) }));
      return;
    }
    await send(await advertise(subject, caller, 'git-upload-pack', version, signal));
    const requests = git.createRequestReader(input);
    for (let request = await requests.next(); request; request = await requests.next())
      await send(await uploadPack(subject, caller, request, version, signal));
  }

  async function receivePackSession(
    subject: S,
    caller: Caller,
    { input, send, signal }: SessionConnection,
  ): Promise<void> {
    await send(await advertise(subject, caller, 'git-receive-pack', 0, signal));
    const request = await receiver.read(input);
    // A client that finds everything up to date sends no commands and wants no answer.
    if (request.commands.length > 0) await send(receiver.received(subject, caller, request, signal, 'report-first'));
  }

  /** One program of git over a two-way connection, from its first byte to its last. */
  async function session(
    subject: S,
    caller: Caller,
    service: GitService | 'git-upload-archive',
    connection: SessionConnection,
  ): Promise<void> {
    try {
      if (service === 'git-upload-pack') await uploadPackSession(subject, caller, connection);
      else if (service === 'git-receive-pack') await receivePackSession(subject, caller, connection);
      else {
        deps.archived(subject, caller);
        const repo = git.withSignal(open(subject), connection.signal);
        await connection.send(await git.uploadArchive(repo, connection.input));
      }
    } catch (error) {
      throw asHttpError(error);
    }
  }

  return { advertise, uploadPack, receivePack, session };
}
