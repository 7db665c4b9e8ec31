/**
 * A push as it arrives: commands and options, the pack into a quarantine, then the one write path. Every refusal reaches the
 * client as a report, and each ref has its own reason.
 */
import { PassThrough, type Readable } from 'node:stream';
import * as git from '@millrace/git';
import type { Caller } from '../../../kernel/authz/subjects.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import type { HeldBytes } from '../../../kernel/http/held-bytes.ts';
import type { RepositoryRow } from '../face.ts';
import type { CountLimits, PushLimit } from '../limits/limits.ts';
import { type OpenRepository, refusalBehind } from '../reading/git-reader.ts';
import type { RefChange } from '../writes/protection.ts';
import type { RefOutcome, WritePath } from '../writes/write-path.ts';
import { fsckReasons } from './fsck-reasons.ts';

/** What has become of a push, for those who tell the person more about it. */
export interface Pushed<S> {
  readonly subject: S;
  readonly caller: Caller;
  readonly moved: readonly RefChange[];
  readonly pushOptions: readonly string[];
}

/** Bounds on what clients say before objects are sent. */
export interface Negotiation {
  readonly held: HeldBytes;
  /** Unpacked bytes of one request, or of one connection. */
  readonly maxBytes: number;
}

export interface ReceiveDependencies<S> {
  readonly negotiation: Negotiation;
  readonly open: OpenRepository;
  readonly repositoryOf: (subject: S) => RepositoryRow;
  readonly writes: WritePath<S>;
  /** How much one push may move and ask for. */
  readonly counts: () => Promise<CountLimits>;
  /** What one push may bring; null for anything. */
  readonly limit: (subject: S) => Promise<PushLimit | null>;
  /** Lines for the person who pushed, like the address for a merge request. Never throws. */
  readonly afterwards: (pushed: Pushed<S>) => Promise<readonly string[]>;
}

/** When a refused client is told so: after all that it sends (HTTP), or while it still sends (a two-way connection). */
export type Refusing = 'drain-first' | 'report-first';

const keepAliveMilliseconds = 5_000;
/** What a refused client sends is read this far, so that it gets to read why. */
const drainedBytes = 5 * 1024 ** 3;

/** Namespaces that clients see and never write. */
const readOnly = /^refs\/(merge-requests|pipelines|environments)\//;

/** What a pushing client is told: refs that it may write, so that it does not try to delete the others when it mirrors. */
export const pushable = (ref: string) => /^refs\/(heads|tags|notes)\//.test(ref);

export function receiving<S>(deps: ReceiveDependencies<S>) {
  const { repositoryOf } = deps;
  const open = (subject: S) => deps.open(repositoryOf(subject));

  async function read(input: AsyncIterable<Uint8Array>) {
    const { refs, options, optionBytes } = await deps.counts();
    const { held, maxBytes } = deps.negotiation;
    const holding = held.hold('identified');
    const counts = { maxCommands: refs.most, maxPushOptions: options.most, maxPushOptionBytes: optionBytes.most };
    const onBytes = holding.take;
    const request = await git
      .readReceiveRequest(input, { ...counts, maxBytes, onBytes })
      .catch((error: unknown) => {
        throw git.isGitError(error, 'limit')
          ? new git.GitError('limit', `${error.message} (max_negotiation_bytes)`)
          : error;
      })
      .finally(holding.release);
    const limit = { commands: refs, options, 'option-bytes': optionBytes };
    return { ...request, excess: request.excess === null ? null : limit[request.excess].reason };
  }
  type Request = Awaited<ReturnType<typeof read>>;

  function received(subject: S, caller: Caller, request: Request, signal: AbortSignal, refusing: Refusing): Readable {
    const out = new PassThrough();
    receive(subject, caller, request, out, signal, refusing).then(
      () => out.end(),
      (error: unknown) => out.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    return out;
  }

  const drain = async ({ pack }: Request, signal: AbortSignal): Promise<void> => {
    if (pack && !signal.aborted) await git.drainPack(pack, drainedBytes).catch(() => false);
  };

  /** Fills the quarantine; throws what the client is to be told. */
  async function takeIn(subject: S, quarantine: git.Quarantine, request: Request, out: PassThrough): Promise<void> {
    if (request.excess !== null) throw new git.GitError('limit', request.excess);
    const { capabilities, commands, pack } = request;
    // A shallow clone tells where its history ends. Where we have those commits whole, that is nothing to us; where we
    // do not, their parents are missing below.
    let ingested: git.Ingested | undefined;
    if (pack) {
      const limit = await deps.limit(subject);
      const ingesting = git.ingestPack(quarantine, pack, {
        ...(limit ? { maxBytes: limit.bytes } : {}),
        onProgress: (text) => out.write(git.receiveProgress(capabilities, text)),
      });
      ingested = await ingesting.catch((error: unknown) => {
        throw limit && git.isGitError(error, 'limit') ? new git.GitError('limit', limit.reason) : error;
      });
    }
    await git.checkConnectivity(
      quarantine,
      commands.map((command) => command.new),
      ingested,
      commands.flatMap(({ ref }) => ref ?? []),
    );
  }

  /**
   * What is known of refs before anything is decided: null where there is nothing to do, as for refs of the service that a
   * mirror has as they are and for deletions of what is not there; else why it cannot be done.
   */
  async function foreseen(subject: S, commands: Request['commands']): Promise<Map<string, string | null>> {
    const found = new Map<string, string | null>();
    const seen = new Set<string>();
    for (const { name, ref, old, new: after } of commands) {
      if (seen.has(name)) {
        found.set(name, 'a ref can be named once in a push');
        continue;
      }
      seen.add(name);
      if (ref === null) continue;
      const nothing = old === git.ZERO_SHA && after === git.ZERO_SHA;
      const now = nothing || readOnly.test(ref) ? await git.readRef(open(subject), ref) : undefined;
      if (nothing) found.set(name, now === null ? null : 'the ref was changed at the same time: fetch first');
      else if (now === after) found.set(name, null);
    }
    return found;
  }

  /** Takes the pack in outside the lock, then decides and moves under it. */
  async function receive(
    subject: S,
    caller: Caller,
    request: Request,
    out: PassThrough,
    signal: AbortSignal,
    refusing: Refusing,
  ): Promise<void> {
    const { capabilities, commands } = request;
    if (commands.length === 0) {
      out.write(git.receiveReport(capabilities, { unpackError: null, outcomes: [] }));
      return;
    }
    const say = (text: string) => out.write(git.receiveMessage(capabilities, text));
    // While the pack arrives nothing is sent: a client that stops in the middle of it must be seen to have stopped.
    let heard = request.pack === null;
    const pack = request.pack && untilItsEnd(request.pack, () => (heard = true));
    const alive = setInterval(() => {
      if (heard) out.write(git.receiveKeepAlive(capabilities));
    }, keepAliveMilliseconds);
    let quarantine: git.Quarantine | null = null;
    let used = false;
    try {
      const brought = await git.createQuarantine(git.withSignal(open(subject), signal));
      quarantine = brought;
      await takeIn(subject, brought, { ...request, pack }, out);
      const named = commands.flatMap(({ ref, old, new: after }) => (ref === null ? [] : [{ ref, before: old, after }]));
      const before = await foreseen(subject, commands);
      const changes: readonly RefChange[] = named.filter(({ ref }) => !before.has(ref));
      const hopeless = named.length < commands.length || [...before.values()].some((reason) => reason !== null);
      const blocked = capabilities.atomic && hopeless;
      const outcomes: readonly RefOutcome[] =
        blocked || changes.length === 0
          ? changes.map(({ ref }) => ({ ref, reason: 'Another ref of the atomic push was refused.' }))
          : await deps.writes.exclusively(repositoryOf(subject), () => {
              used = true;
              return deps.writes.apply(
                { quarantine: brought, changes },
                {
                  subject,
                  caller,
                  kind: 'push',
                  pushOptions: request.pushOptions,
                  atomic: capabilities.atomic,
                  authorised: false,
                  author: null,
                },
              );
            });
      const byRef = new Map(outcomes.map((outcome) => [outcome.ref, outcome]));
      const moved = changes.filter(({ ref }) => byRef.get(ref)?.reason === null);
      for (const reason of new Set(outcomes.flatMap((outcome) => outcome.reason ?? []))) say(`\nMillrace: ${reason}\n`);
      const { pushOptions } = request;
      const lines = moved.length > 0 ? await deps.afterwards({ subject, caller, moved, pushOptions }) : [];
      if (lines.length > 0) say(`\n${lines.join('\n')}\n`);
      const report = commands.map((command) => ({
        ...command,
        error:
          command.ref === null
            ? nameProblem(command)
            : (before.get(command.name) ?? problemOf(byRef.get(command.name))),
      }));
      out.write(git.receiveReport(capabilities, { unpackError: null, outcomes: report }));
    } catch (thrown) {
      const error = refusalBehind(thrown) ?? git.storageError(thrown) ?? thrown;
      if (!git.isGitError(error) && !(error instanceof HttpError)) throw error;
      // Over HTTP the client reads our report only after it has sent everything.
      if (refusing === 'drain-first') await drain(request, signal);
      const corrupt = git.isGitError(error, 'corrupt');
      for (const reason of corrupt ? fsckReasons(error.stderr) : []) say(`Millrace: ${reason}`);
      out.write(
        git.receiveReport(capabilities, {
          unpackError: `${error.message}${corrupt ? shallowHint(request) : ''}`,
          outcomes: commands.map((command) => ({ ...command, error: 'unpacker error' })),
        }),
      );
      if (refusing === 'report-first') {
        clearInterval(alive);
        await drain(request, signal);
      }
    } finally {
      clearInterval(alive);
      if (!used && quarantine) await git.discardQuarantine(quarantine);
    }
  }

  return { read, received };
}

/** What stands beside a ref that did not move: the words that scripts look for, and the reason. */
function problemOf(outcome: RefOutcome | undefined): string | null {
  if (!outcome?.reason) return null;
  const [line = ''] = outcome.reason.split('\n', 1);
  return outcome.refusal ? `pre-receive hook declined: ${line}` : line;
}

/** Why no ref may have the name. */
function nameProblem({ name, bytes }: git.PushCommand): string {
  if (bytes) return 'the name of the ref is not valid UTF-8';
  const short = git.shortName(name);
  if (name.startsWith('refs/heads/') && git.branchNameProblem(short) === 'object-id')
    return 'a branch cannot have the name of an object: 40 hexadecimal digits';
  if (name.startsWith('refs/tags/') && git.tagNameProblem(short) === 'object-id')
    return 'the name of a tag cannot begin like that of an object: with 40 hexadecimal digits';
  return 'the name of the ref is not allowed';
}

/** What may be behind it when objects are missing. */
const shallowHint = ({ shallow }: { readonly shallow: readonly string[] }): string =>
  shallow.length > 0
    ? '; this clone is shallow: the history it lacks may be missing here too (git fetch --unshallow)'
    : '';

async function* untilItsEnd(pack: AsyncIterable<Buffer>, ended: () => void): AsyncGenerator<Buffer> {
  yield* pack;
  ended();
}
