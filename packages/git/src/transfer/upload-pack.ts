/** Serving fetches: git's upload-pack with the caller's view of references, over HTTP (stateless) and SSH. */
import type { Readable } from 'node:stream';
import { type Repo, withSignal } from '../context.ts';
import { GitError } from '../errors.ts';
import { type GitStream, type Input, ownedOutput, streamGit } from '../process/run.ts';
import type { RefsSnapshot } from '../refs/snapshot.ts';
import type { RefName } from '../types.ts';
import { fetchDigest } from './answer-key.ts';

export interface UploadPackOptions {
  /** Prefixes of references that do not exist for this caller (`refs/internal`); `!refs/x` makes an exception. */
  hideRefs?: readonly string[];
  /** Objects that may be asked for by id besides visible tips. Default `reachable`. Version 2 itself always allows any. */
  wants?: 'tips' | 'reachable' | 'any';
}

/** Settings for one caller's upload-pack; nothing here comes from a user. */
export function uploadPackConfig(options: UploadPackOptions): string[] {
  const hidden = (options.hideRefs ?? []).map((prefix) => {
    if (!/^!?refs\/[\w/-]+$/.test(prefix)) throw new GitError('invalid', 'not an acceptable prefix of references');
    return `uploadpack.hideRefs=${prefix}`;
  });
  const wants = options.wants ?? 'reachable';
  return [
    ...hidden,
    'uploadpack.allowFilter=true',
    'uploadpack.allowTipSHA1InWant=true',
    `uploadpack.allowReachableSHA1InWant=${wants !== 'tips'}`,
    `uploadpack.allowAnySHA1InWant=${wants === 'any'}`,
    // Trees of depth 0 and the like are cheap; path filters would let a client name arbitrary blobs.
    'uploadpackfilter.sparse:oid.allow=false',
  ];
}

export interface UploadPackRequest extends UploadPackOptions {
  version: 0 | 1 | 2;
  /** Decoded already. */
  body: Input;
  /**
   * The references as they are now, and which of them this caller sees: an answer that was kept for the same request is
   * given again where all that it wants is among them. Without it, and for a body that is streamed, git answers.
   */
  refs?: { snapshot: RefsSnapshot; visible: (ref: RefName) => boolean };
}

/**
 * Answers one stateless request (HTTP). Destroying the stream ends git; a failure in the middle destroys it with a
 * GitError. Give the repository handle the request's signal.
 */
export async function uploadPack(repo: Repo, options: UploadPackRequest): Promise<Readable> {
  const { version, body, refs } = options;
  const config = uploadPackConfig(options);
  const start = (place: Repo): Promise<GitStream> =>
    streamGit(place, ['upload-pack', '--stateless-rpc', '--strict', repo.path], {
      work: 'pack',
      input: body,
      config,
      env: { GIT_PROTOCOL: `version=${version}` },
    });
  const { answers } = repo.git;
  const digest =
    answers && refs && Buffer.isBuffer(body) ? await fetchDigest({ version, body, config, ...refs }) : null;
  if (answers === null || digest === null) return ownedOutput(await start(repo), toldToClient);
  const asked = { repository: repo.path, digest, sharing: repo.caller };
  return await answers.answer(asked, (signal) => start(withSignal(repo, signal)), repo.signal);
}

/** A whole fetch over a two-way connection (SSH): `input` comes from the client, the result goes to it. */
export async function uploadPackSession(
  repo: Repo,
  options: UploadPackOptions & { version: 0 | 1 | 2; input: AsyncIterable<Buffer> },
): Promise<Readable> {
  const stream = await streamGit(repo, ['upload-pack', '--strict', repo.path], {
    work: 'pack',
    input: options.input,
    config: uploadPackConfig(options),
    env: { GIT_PROTOCOL: `version=${options.version}` },
  });
  return ownedOutput(stream, toldToClient);
}

// A refusal is told inside the protocol (ERR line) with exit 128: only a broken stream is an error of ours.
function toldToClient(error: GitError): boolean {
  return error.exitCode !== null;
}
