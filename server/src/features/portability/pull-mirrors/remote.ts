/** A repository elsewhere that is fetched from, over HTTP or SSH. */
import { isGitError, type Offer, type Sha } from '@millrace/git';
import { BrokenOff, type Outbound } from '../../../kernel/outbound/index.ts';
import { mirrorRemote, NotMirrored } from '../mirrors/remote-http.ts';
import { largeOverSsh, openSshFetch, type SshProof, sshRemote } from '../mirrors/remote-ssh.ts';
import { offerOf, packOf, RefusedRemote } from '../project-archives/http-fetch.ts';
import type { Remote } from '../project-archives/lfs-source.ts';

export interface PullSession {
  readonly offer: Offer;
  /** The key that the server showed, over SSH. */
  readonly hostKey: string | null;
  /** Where its objects of Git LFS are asked for. */
  large(): Promise<Remote>;
  /** Gives `take` the pack with the wanted objects and what they reach, but for what the others reach. */
  fetch<T>(wanted: readonly Sha[], have: readonly Sha[], take: (pack: AsyncIterable<Buffer>) => Promise<T>): Promise<T>;
  close(): void;
}

/** Errors of the other side in words for who set the mirror up. */
export function asNotMirrored(error: unknown): unknown {
  if (error instanceof RefusedRemote || error instanceof BrokenOff) return new NotMirrored(error.message);
  if (isGitError(error) && ['corrupt', 'limit', 'invalid'].includes(error.code))
    return new NotMirrored(`The repository was refused: ${error.message}`);
  return error;
}

/** Connects, by whatever protocol the address has. Who got a session closes it. */
export async function pullSession(
  outbound: Outbound,
  address: string,
  proof: SshProof | null,
  signal: AbortSignal,
): Promise<PullSession> {
  const ssh = sshRemote(address);
  if (ssh && proof) {
    const session = await openSshFetch(outbound, ssh, proof, signal);
    return {
      ...session,
      // Another connection, to the server that this one is to.
      large: () => largeOverSsh(outbound, ssh, { ...proof, hostKeys: [session.hostKey] }, 'download', signal),
      fetch: (wanted, have, take) => take(session.fetch(wanted, have)),
    };
  }
  const asked = mirrorRemote(address);
  if (asked === null) throw new NotMirrored('The address is not one of HTTP or SSH');
  const found = await offerOf(outbound, { remote: asked, kind: 'mirror' }, signal);
  return {
    ...found,
    hostKey: null,
    large: async () => found.remote,
    fetch: (wanted, have, take) => packOf(outbound, { ...found, kind: 'mirror' }, { wanted, have }, signal, take),
    close: () => undefined,
  };
}
