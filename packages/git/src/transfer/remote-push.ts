/** The client's side of a push over HTTP or SSH: the commands in front of the pack, and what the server says became of them. */
import { GitError } from '../errors.ts';
import type { Sha } from '../types.ts';
import { createPacketReader, FLUSH, type PacketReader, pktLines } from './pkt-line.ts';
import { type Offer, plainWords, readRefs } from './remote.ts';

/** A reference to move at the server; the zero id where it is not there, or is to go. */
export interface RemoteCommand {
  readonly ref: string;
  readonly old: Sha;
  readonly new: Sha;
}

/** The body of the request up to the pack. Throws `invalid` for a server that says nothing of what became of a push. */
export function pushHead(offer: Offer, commands: readonly RemoteCommand[]): Buffer {
  if (!offer.capabilities.has('report-status')) throw new GitError('invalid', 'the server is too old');
  const known = ['report-status', 'side-band-64k', 'quiet'].filter((each) => offer.capabilities.has(each));
  const said = [...known, 'agent=git/millrace'].join(' ');
  const lines = commands.map(
    (command, index) => `${command.old} ${command.new} ${command.ref}${index === 0 ? `\0 ${said}` : ''}\n`,
  );
  return Buffer.concat([pktLines(lines), FLUSH]);
}

/** The report inside of a side-band answer; what the server writes for people besides is left out. */
async function* reported(packets: PacketReader): AsyncGenerator<Buffer> {
  for (;;) {
    const packet = await packets.next();
    if (packet.type !== 'data') return;
    const band = packet.data[0];
    if (band === 1) yield packet.data.subarray(1);
    else if (band === 3) throw new GitError('invalid', plainWords(packet.data.toString('utf8', 1)));
  }
}

/**
 * Why the server refused references, by their names; empty where it took all of them. Throws `invalid` where it took
 * nothing, and where it does not say.
 */
export async function readPushReport(
  offer: Offer,
  source: AsyncIterable<Uint8Array>,
): Promise<ReadonlyMap<string, string>> {
  return await readReport(offer, createPacketReader(source));
}

/** What `git-receive-pack` says over one connection, as SSH has it: what is there first, and the report in the end. */
export function receivePackAnswers(source: AsyncIterable<Uint8Array>): {
  readonly offer: () => Promise<Offer>;
  readonly report: (offer: Offer) => Promise<ReadonlyMap<string, string>>;
} {
  const packets = createPacketReader(source);
  return { offer: () => readRefs(packets), report: (offer) => readReport(offer, packets) };
}

async function readReport(offer: Offer, answers: PacketReader): Promise<ReadonlyMap<string, string>> {
  const packets = offer.capabilities.has('side-band-64k') ? createPacketReader(reported(answers)) : answers;
  const refusals = new Map<string, string>();
  let unpacked = false;
  for (let packet = await packets.next(); packet.type === 'data'; packet = await packets.next()) {
    const line = packet.data.toString('utf8').trimEnd();
    const [, refused, reason = ''] = /^ng (\S+)(?: (.*))?$/.exec(line) ?? [];
    if (line === 'unpack ok') unpacked = true;
    else if (line.startsWith('unpack ')) throw new GitError('invalid', plainWords(line.slice('unpack '.length)));
    else if (refused !== undefined) refusals.set(refused, plainWords(reason) || 'refused');
  }
  if (!unpacked) throw new GitError('invalid', 'the server did not say what became of the push');
  return refusals;
}
