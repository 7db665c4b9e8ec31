/** The repository side of git's transports: what is advertised, fetched and pushed, whichever way it arrives. */
import { PassThrough, Readable } from 'node:stream';
import * as git from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { asHttpError, type OpenRepository } from '../reading/git-reader.ts';
import type { RefChange } from '../writes/protection.ts';
import type { WritePath } from '../writes/write-path.ts';

export interface TransferDependencies {
  readonly open: OpenRepository;
  readonly writes: WritePath;
  /** Bytes of one push. */
  readonly maximumPushBytes: number;
  /** Objects of the project are sent to somebody. */
  readonly fetched: (projectId: number) => void;
  /** Lines for the person who pushed, like the address for a merge request. */
  readonly greeting: (subject: ProjectSubject, moved: readonly RefChange[]) => string[];
}

export type GitService = 'git-upload-pack' | 'git-receive-pack';

/** Refs that clients see but that only the service writes. */
const hidden = ['refs/keep-around', 'refs/environments', 'refs/tmp'];
const visible = (ref: string) => !hidden.some((prefix) => ref.startsWith(`${prefix}/`));
/** What a pushing client is told: its own refs, so that it does not try to delete the others when it mirrors. */
const pushable = (ref: string) => ref.startsWith('refs/heads/') || ref.startsWith('refs/tags/');

const keepAliveMilliseconds = 5_000;
const v2RequestLimit = 1024 * 1024;

const one = (data: Uint8Array) => Readable.from([data], { objectMode: false });

async function collect(body: Readable, limit: number): Promise<{ whole: Buffer | null; rest: AsyncIterable<Buffer> }> {
  const chunks: Buffer[] = [];
  let size = 0;
  const iterator = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  for (;;) {
    const step = await iterator.next();
    if (step.done) {
      const whole = Buffer.concat(chunks);
      return { whole, rest: Readable.from([whole]) };
    }
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

export function transfer(deps: TransferDependencies) {
  const { open } = deps;

  async function advertise(
    subject: ProjectSubject,
    service: GitService,
    version: number,
    signal: AbortSignal,
  ): Promise<Readable> {
    const repo = open(subject.project);
    try {
      if (service === 'git-receive-pack') {
        const snapshot = await git.refsSnapshot(repo, subject.project.refs_generation);
        return one(git.receivePackAdvertisement(snapshot, pushable));
      }
      const options = { version: version as 0 | 1 | 2, generation: subject.project.refs_generation, hideRefs: hidden };
      return one(await git.uploadPackAdvertisement(git.withSignal(repo, signal), options));
    } catch (error) {
      throw asHttpError(error);
    }
  }

  async function uploadPack(
    subject: ProjectSubject,
    body: Readable,
    version: number,
    signal: AbortSignal,
  ): Promise<Readable> {
    const repo = git.withSignal(open(subject.project), signal);
    try {
      const { whole, rest } = await collect(body, v2RequestLimit);
      if (version === 2 && whole) {
        const snapshot = await git.refsSnapshot(open(subject.project), subject.project.refs_generation);
        const answered = git.answerLsRefs(await git.parseV2Request(whole), snapshot, visible);
        if (answered) return one(answered);
      }
      // The round that ends the negotiation is the one that sends.
      if (whole === null || whole.includes('done')) deps.fetched(subject.project.id);
      return await git.uploadPack(repo, { version: version as 0 | 1 | 2, body: whole ?? rest, hideRefs: hidden });
    } catch (error) {
      throw asHttpError(error);
    }
  }

  async function receivePack(
    subject: ProjectSubject,
    caller: Caller,
    body: Readable,
    signal: AbortSignal,
  ): Promise<Readable> {
    let request: git.ReceiveRequest;
    try {
      request = await git.readReceiveRequest(body);
    } catch (error) {
      throw asHttpError(error);
    }
    const out = new PassThrough();
    receive(subject, caller, request, out, signal).then(
      () => out.end(),
      (error: unknown) => out.destroy(error instanceof Error ? error : new Error(String(error))),
    );
    return out;
  }

  /** Takes the pack in outside the lock, then decides and moves under it. Every refusal reaches the client as a report. */
  async function receive(
    subject: ProjectSubject,
    caller: Caller,
    request: git.ReceiveRequest,
    out: PassThrough,
    signal: AbortSignal,
  ): Promise<void> {
    const { capabilities, commands } = request;
    if (commands.length === 0) {
      out.write(git.receiveReport(capabilities, { unpackError: null, outcomes: [] }));
      return;
    }
    const alive = setInterval(() => out.write(git.receiveKeepAlive(capabilities)), keepAliveMilliseconds);
    const quarantine = await git.createQuarantine(git.withSignal(open(subject.project), signal));
    let used = false;
    try {
      if (request.shallow.length > 0)
        throw new git.GitError(
          'invalid',
          'shallow pushes are not supported: fetch the whole history first (git fetch --unshallow)',
        );
      if (request.pack) {
        await git.ingestPack(quarantine, request.pack, {
          maxBytes: deps.maximumPushBytes,
          onProgress: (text) => out.write(git.receiveProgress(capabilities, text)),
        });
      }
      await git.checkConnectivity(
        quarantine,
        commands.map((command) => command.new),
      );
      const writable = commands.filter((command) => command.ref !== null);
      const refusedNames = commands.filter((command) => command.ref === null);
      const changes = writable.map((command) => ({
        ref: command.name,
        before: command.old as string,
        after: command.new as string,
      }));
      const blocked = capabilities.atomic && refusedNames.length > 0;
      const outcomes = blocked
        ? changes.map(({ ref }) => ({ ref, reason: 'Another ref of the atomic push was refused.' }))
        : await deps.writes.exclusively(subject.project, () => {
            used = true;
            return deps.writes.apply(
              { quarantine, changes },
              {
                subject,
                caller,
                kind: 'push',
                pushOptions: request.pushOptions,
                atomic: capabilities.atomic,
                authorised: false,
              },
            );
          });
      const reasons = new Map(outcomes.map((outcome) => [outcome.ref, outcome.reason]));
      const moved = changes.filter(({ ref }) => reasons.get(ref) === null);
      for (const reason of new Set(outcomes.flatMap((outcome) => outcome.reason ?? [])))
        out.write(git.receiveMessage(capabilities, `\nMillrace: ${reason}\n`));
      const lines = moved.length > 0 ? deps.greeting(subject, moved) : [];
      if (lines.length > 0) out.write(git.receiveMessage(capabilities, `\n${lines.join('\n')}\n`));
      out.write(
        git.receiveReport(capabilities, {
          unpackError: null,
          outcomes: commands.map((command) => ({
            name: command.name,
            error:
              command.ref === null
                ? 'the name of the ref is not allowed'
                : reasons.get(command.name)
                  ? 'pre-receive hook declined'
                  : null,
          })),
        }),
      );
    } catch (error) {
      if (!git.isGitError(error) && !(error instanceof HttpError)) throw error;
      // The client reads our report only after it has sent everything.
      if (request.pack && !signal.aborted) await git.drainPack(request.pack, deps.maximumPushBytes).catch(() => false);
      const detail = git.isGitError(error, 'corrupt') ? fsckReason(error.stderr) : '';
      if (detail) out.write(git.receiveMessage(capabilities, `Millrace: ${detail}`));
      out.write(
        git.receiveReport(capabilities, {
          unpackError: error.message,
          outcomes: commands.map((command) => ({ name: command.name, error: 'unpacker error' })),
        }),
      );
    } finally {
      clearInterval(alive);
      if (!used) await git.discardQuarantine(quarantine);
    }
  }

  return { advertise, uploadPack, receivePack };
}

/** What fsck said, without paths of the server. */
function fsckReason(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => /^(error|fatal):/.test(line) && !line.includes('/objects/'));
  return lines.slice(0, 5).join('\n');
}
