/** Repositories elsewhere that are pushed to over HTTP: through the guarded way, with what is said in words. */
import { Readable } from 'node:stream';
import { isGitError, type Offer, pushHead, type RemoteCommand, readOffer, readPushReport } from '@millrace/git';
import { BrokenOff, lively, type Outbound } from '../../../kernel/outbound/index.ts';
import { plainPart, remoteOf } from '../project-archives/http-fetch.ts';
import type { Remote } from '../project-archives/lfs-source.ts';

/** Milliseconds. */
export const patience = { asking: 30_000, answering: 600_000, moving: 120_000 };

/** Why a mirror was not updated, in words for who set the mirror up. `again` where another try may help. */
export class NotMirrored extends Error {
  readonly again: boolean;
  constructor(message: string, again = false) {
    super(message);
    this.again = again;
  }
}

/** Null for what is no address of http or https. A query is left out: what is asked for is written behind the address. */
export function mirrorRemote(address: string): Remote | null {
  const remote = /\s/.test(address) ? null : remoteOf(address);
  return remote && { ...remote, url: remote.url.replace(/\/*(?:\?.*)?$/, '') };
}

/** The address as it is shown: stars for name and password. */
export function maskedAddress(address: string): string {
  const url = new URL(address);
  const { username, password, protocol } = url;
  // The account that everybody pushes as proves nothing.
  if (protocol === 'ssh:' && username === 'git') return url.href;
  [url.username, url.password] = ['', ''];
  const stars = `${username ? '*****' : ''}${password ? ':*****' : ''}`;
  return stars ? url.href.replace('://', `://${stars}@`) : url.href;
}

/** Servers may repeat what proved us to them. A token may take the place of the name. */
export function withoutProof(text: string, address: string): string {
  const { username = '', password = '', protocol } = URL.parse(address) ?? {};
  const proof = password || (protocol === 'ssh:' ? '' : username);
  return proof === '' ? text : [proof, plainPart(proof)].reduce((left, word) => left.replaceAll(word, '*****'), text);
}

const agent = { 'User-Agent': 'git/2.39 (millrace)' };

function statusRefusal(status: number): NotMirrored {
  if (status === 401 || status === 403)
    return new NotMirrored('The name and password are wrong, or not enough to push');
  if (status === 404) return new NotMirrored('The server has no such repository, or not for this name and password');
  return new NotMirrored(`The server answered ${status}`, status === 429 || status >= 500);
}

export const failed = ({ reason, message }: { readonly reason: string; readonly message: string }) =>
  new NotMirrored(message, ['connection', 'timeout', 'unresolved'].includes(reason));

/** What reads an answer: words of the protocol and of connections that break off become ours. */
export async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isGitError(error)) throw new NotMirrored(`The update failed: ${error.message}`);
    if (error instanceof BrokenOff) throw new NotMirrored(error.message, true);
    throw error;
  }
}

/** What the mirror has, and what its server can do. */
export async function mirrorOffer(outbound: Outbound, remote: Remote, signal: AbortSignal): Promise<Offer> {
  const answer = await outbound.open({
    url: `${remote.url}/info/refs?service=git-receive-pack`,
    kind: 'mirror',
    headers: { ...agent, ...remote.headers, Accept: '*/*' },
    timeout: patience.asking,
    signal,
  });
  if (!answer.ok) throw failed(answer);
  try {
    if (answer.status !== 200) throw statusRefusal(answer.status);
    return await inWords(() => readOffer(lively(answer, patience.moving), 'git-receive-pack'));
  } finally {
    answer.close();
  }
}

/** Sends the commands with their pack; answers why references were refused, by name. */
export async function pushTo(
  outbound: Outbound,
  remote: Remote,
  {
    offer,
    commands,
    pack,
  }: {
    readonly offer: Offer;
    readonly commands: readonly RemoteCommand[];
    /** Null where references only go. */
    readonly pack: Readable | null;
  },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  // The server is given up when it takes nothing for a while, however long all of it takes.
  const stuck = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const within = (milliseconds: number) => {
    clearTimeout(timer);
    timer = setTimeout(() => stuck.abort(), milliseconds);
  };
  async function* body() {
    yield pushHead(offer, commands);
    for await (const chunk of pack ?? []) {
      within(patience.moving);
      yield chunk as Buffer;
    }
    within(patience.answering);
  }
  try {
    within(patience.moving);
    const answer = await inWords(() =>
      outbound.open({
        url: `${remote.url}/git-receive-pack`,
        kind: 'mirror',
        method: 'POST',
        headers: {
          ...agent,
          ...remote.headers,
          'Content-Type': 'application/x-git-receive-pack-request',
          Accept: 'application/x-git-receive-pack-result',
        },
        body: Readable.from(body(), { objectMode: false }),
        timeout: 2 ** 31 - 1,
        signal: AbortSignal.any([signal, stuck.signal]),
      }),
    );
    if (!answer.ok) throw stuck.signal.aborted ? new NotMirrored('The server took nothing more', true) : failed(answer);
    try {
      if (answer.status !== 200) throw statusRefusal(answer.status);
      return await inWords(() => readPushReport(offer, lively(answer, patience.answering)));
    } finally {
      answer.close();
    }
  } finally {
    clearTimeout(timer);
    pack?.destroy();
  }
}
