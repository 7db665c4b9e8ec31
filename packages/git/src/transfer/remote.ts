/** The client's side of a fetch, version 0: what a server offers, the request for objects, and the pack it sends. Pushes: `remote-push.ts`. */
import { GitError } from '../errors.ts';
import { isSha, type Sha } from '../types.ts';
import { createPacketReader, FLUSH, type PacketReader, pktLine, pktLines } from './pkt-line.ts';

export interface Offer {
  /** As the server names them, without what annotated tags point at: nothing is checked but their form. */
  readonly refs: ReadonlyArray<{ readonly ref: string; readonly id: Sha }>;
  /** The branch that the server's HEAD names (`refs/heads/main`); null where it does not say. */
  readonly head: string | null;
  readonly capabilities: ReadonlySet<string>;
}

/** More references than anybody has: the list is kept in memory. */
const mostRefs = 1_000_000;

/**
 * Reads the answer to `info/refs?service=...`. Throws `invalid` for what is no git server that speaks the smart protocol,
 * `limit` for too many references.
 */
export async function readOffer(
  source: AsyncIterable<Uint8Array>,
  service: 'git-upload-pack' | 'git-receive-pack' = 'git-upload-pack',
): Promise<Offer> {
  const packets = createPacketReader(source);
  const first = await packets.next().catch(() => null);
  if (first?.type !== 'data' || !first.data.toString('latin1').startsWith(`# service=${service}`))
    throw new GitError('invalid', 'not a git repository that is served over HTTP');
  if ((await packets.next()).type !== 'flush') throw new GitError('invalid', 'not an answer of git');
  return await readRefs(packets);
}

/** The references that a server offers, up to the end of their list. */
export async function readRefs(packets: PacketReader): Promise<Offer> {
  const refs: { ref: string; id: Sha }[] = [];
  let capabilities = new Set<string>();
  let packet = await packets.next();
  for (; packet.type === 'data'; packet = await packets.next()) {
    const [line = '', said] = packet.data.toString('utf8').replace(/\n$/, '').split('\0');
    if (said !== undefined) capabilities = new Set(said.split(' '));
    const [, id = '', ref = ''] = /^([0-9a-f]{40}) (\S+)$/.exec(line) ?? [];
    if (!isSha(id)) throw new GitError('invalid', 'the server uses objects of another format');
    if (ref === 'capabilities^{}' || ref.endsWith('^{}')) continue;
    refs.push({ ref, id });
    if (refs.length > mostRefs) throw new GitError('limit', 'the repository has too many references');
  }
  if (packet.type !== 'flush') throw new GitError('invalid', 'the answer of the server ended early');
  const symbolic = [...capabilities].find((one) => one.startsWith('symref=HEAD:'))?.slice('symref=HEAD:'.length);
  const atHead = refs.find(({ ref }) => ref === 'HEAD')?.id;
  // Old servers do not say: then the one that people would guess.
  const guessed = ['refs/heads/main', 'refs/heads/master'].find((name) =>
    refs.some(({ ref, id }) => ref === name && id === atHead),
  );
  return { refs: refs.filter(({ ref }) => ref !== 'HEAD'), head: symbolic ?? guessed ?? null, capabilities };
}

/** The request for these objects with all their history, but for what the objects in `have` reach. */
export function fetchAll(offer: Offer, ids: Iterable<Sha>, have: Iterable<Sha> = []): Buffer {
  const wanted = [...new Set(ids)];
  const known = ['side-band-64k', 'ofs-delta', 'no-progress', 'include-tag'];
  const said = ['agent=git/millrace', ...known.filter((each) => offer.capabilities.has(each))].join(' ');
  if (!offer.capabilities.has('side-band-64k')) throw new GitError('invalid', 'the server is too old');
  const lines = wanted.map((id, index) => `want ${id}${index === 0 ? ` ${said}` : ''}\n`);
  const haves = pktLines([...have].map((id) => `have ${id}\n`));
  return Buffer.concat([pktLines(lines), FLUSH, haves, pktLine('done\n')]);
}

/**
 * The pack in the answer, for ingestPack. Throws `invalid` with what the server said where it refuses, and where the answer
 * ends before the pack does.
 */
export async function* readFetched(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  yield* readPack(createPacketReader(source));
}

/** What `git-upload-pack` says over one connection, as SSH has it: what is there first, and the pack in the end. */
export function uploadPackAnswers(source: AsyncIterable<Uint8Array>): {
  readonly offer: () => Promise<Offer>;
  readonly pack: () => AsyncGenerator<Buffer>;
} {
  const packets = createPacketReader(source);
  return { offer: () => readRefs(packets), pack: () => readPack(packets) };
}

async function* readPack(packets: PacketReader): AsyncGenerator<Buffer> {
  const first = await packets.next();
  const answer = first.type === 'data' ? first.data.toString('utf8').trim() : '';
  // Without further capabilities a server names the first object that both sides have.
  if (answer !== 'NAK' && !/^ACK [0-9a-f]{40}$/.test(answer)) throw new GitError('invalid', told(answer));
  for (;;) {
    const packet = await packets.next();
    if (packet.type === 'flush') return;
    if (packet.type !== 'data') throw new GitError('invalid', 'the answer of the server ended early');
    const band = packet.data[0];
    if (band === 1) yield packet.data.subarray(1);
    else if (band === 3) throw new GitError('invalid', told(packet.data.toString('utf8', 1).trim()));
  }
}

/** Words of a stranger, short and without what a terminal or page would take for more. */
export const plainWords = (text: string): string =>
  text
    .replace(/^ERR /, '')
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200);

const told = (text: string) => {
  const plain = plainWords(text);
  return plain === '' ? 'the server sent no pack' : `the server said: ${plain}`;
};
