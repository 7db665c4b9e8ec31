/** Serving fetches: git's upload-pack with the caller's view of references, over HTTP (stateless) and SSH. */
import type { Readable } from 'node:stream';
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { type Input, ownedOutput, streamGit } from '../process/run.ts';

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

/**
 * Answers one stateless request (HTTP). The body must be decoded already. Destroying the stream ends git; a failure in
 * the middle destroys it with a GitError. Give the repository handle the request's signal.
 */
export async function uploadPack(
  repo: Repo,
  options: UploadPackOptions & { version: 0 | 1 | 2; body: Input },
): Promise<Readable> {
  const stream = await streamGit(repo, ['upload-pack', '--stateless-rpc', '--strict', repo.path], {
    work: 'pack',
    input: options.body,
    config: uploadPackConfig(options),
    env: { GIT_PROTOCOL: `version=${options.version}` },
  });
  return ownedOutput(stream, toldToClient);
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
