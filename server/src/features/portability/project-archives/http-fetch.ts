/** Repositories elsewhere that are fetched over HTTP: what they offer, and the pack with what is wanted of it. */
import { fetchAll, isGitError, type Offer, readFetched, readOffer, type Sha } from '@millrace/git';
import { lively, type Outbound, type OutboundKind } from '../../../kernel/outbound/index.ts';
import type { Remote } from './lfs-source.ts';

/** Until the other side begins to answer, in milliseconds: servers pack for a while before they send. */
const patience = { asking: 10_000, packing: 600_000 };
/** Until all of what is offered is told: somebody waits for it. */
const offering = 60_000;
/** Nothing came for so long: the other side hangs. */
const silence = 120_000;

/** What is wrong with the address or the repository behind it, in words for who gave it. */
export class RefusedRemote extends Error {
  /** Whether there is nothing at the address, or nothing for whoever asks. */
  readonly missing: boolean;
  constructor(message: string, missing = false) {
    super(message);
    this.missing = missing;
  }
}

/** A name or password as an address has it, without its escapes. */
export const plainPart = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** An address as it is entered, with what proves us there apart. Null for what is no address of http or https. */
export function remoteOf(entered: string): Remote | null {
  const url = URL.parse(entered);
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const { username, password } = url;
  [url.username, url.password, url.hash] = ['', '', ''];
  const proof = Buffer.from(`${plainPart(username)}:${plainPart(password)}`).toString('base64');
  return {
    url: url.href.replace(/\/+$/, ''),
    headers: username || password ? { Authorization: `Basic ${proof}` } : {},
  };
}

/** What the server offers, and where it is in the end. */
export async function offerOf(
  outbound: Outbound,
  { remote, kind }: { readonly remote: Remote; readonly kind: OutboundKind },
  outer?: AbortSignal,
): Promise<{ offer: Offer; remote: Remote }> {
  const asked = URL.parse(remote.url);
  if (!asked) throw new RefusedRemote('The address is not one of http or https');
  asked.pathname = `${asked.pathname}/info/refs`;
  asked.searchParams.set('service', 'git-upload-pack');
  const over = AbortSignal.timeout(offering);
  const answer = await outbound.open({
    url: asked.href,
    kind,
    // Servers tell programs that they know.
    headers: { ...remote.headers, 'User-Agent': 'git/2.39 (millrace)', Accept: '*/*' },
    timeout: patience.asking,
    redirects: 3,
    signal: outer ? AbortSignal.any([over, outer]) : over,
  });
  if (!answer.ok) throw new RefusedRemote(answer.message);
  try {
    if (answer.status === 401 || answer.status === 403)
      throw new RefusedRemote('The repository is not public, or the name and password are wrong', true);
    if (answer.status !== 200) throw new RefusedRemote(`The server answered ${answer.status}`, answer.status === 404);
    const moved = new URL(answer.url);
    const elsewhere = moved.origin !== asked.origin;
    moved.search = '';
    moved.pathname = moved.pathname.replace(/\/info\/refs$/, '');
    const offer = await readOffer(lively(answer, silence));
    return { offer, remote: { url: moved.href, headers: elsewhere ? {} : remote.headers } };
  } catch (error) {
    if (isGitError(error)) throw new RefusedRemote(error.message);
    throw error;
  } finally {
    answer.close();
  }
}

/** The branch that the server's HEAD names, where it is there. */
export const branchOf = ({ head, refs }: Offer): string | null => {
  const name = head?.startsWith('refs/heads/') ? head.slice('refs/heads/'.length) : null;
  return name !== null && refs.some(({ ref }) => ref === head) ? name : null;
};

/** Gives `take` the pack with the wanted objects and all that they reach, but for what the others reach. */
export async function packOf<T>(
  outbound: Outbound,
  { offer, remote, kind }: { readonly offer: Offer; readonly remote: Remote; readonly kind: OutboundKind },
  { wanted, have = [] }: { readonly wanted: readonly Sha[]; readonly have?: readonly Sha[] },
  signal: AbortSignal,
  take: (pack: AsyncIterable<Buffer>) => Promise<T>,
): Promise<T> {
  const answer = await outbound.open({
    url: `${remote.url}/git-upload-pack`,
    kind,
    method: 'POST',
    headers: {
      ...remote.headers,
      'User-Agent': 'git/2.39 (millrace)',
      'Content-Type': 'application/x-git-upload-pack-request',
      Accept: 'application/x-git-upload-pack-result',
    },
    body: fetchAll(offer, wanted, have),
    timeout: patience.packing,
    signal,
  });
  if (!answer.ok) throw new RefusedRemote(answer.message);
  try {
    if (answer.status !== 200) throw new RefusedRemote(`The server answered ${answer.status}`);
    return await take(readFetched(lively(answer, silence)));
  } finally {
    answer.close();
  }
}
