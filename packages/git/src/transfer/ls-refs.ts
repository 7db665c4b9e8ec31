/** Answers protocol version 2's `ls-refs` from a snapshot: most fetches then need no process at all. */
import { GitError } from '../errors.ts';
import { type RefEntry, type RefsSnapshot, rangeOf, refNamed } from '../refs/snapshot.ts';
import type { RefName, Sha } from '../types.ts';
import { createPacketReader, FLUSH, pktLines } from './pkt-line.ts';

export interface V2Request {
  command: string;
  /** `key=value` lines in front of the delimiter. */
  capabilities: string[];
  arguments: string[];
}

async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body;
}

/** Parses one version 2 request body. Throws `invalid` on broken framing. */
export async function parseV2Request(body: Uint8Array): Promise<V2Request> {
  const reader = createPacketReader(once(body));
  const request: V2Request = { command: '', capabilities: [], arguments: [] };
  let target = request.capabilities;
  for (let packet = await reader.next(); ; packet = await reader.next()) {
    if (packet.type === 'flush' || packet.type === 'end') return request;
    if (packet.type === 'delimiter') {
      target = request.arguments;
      continue;
    }
    const line = packet.data.toString('utf8').replace(/\n$/, '');
    if (target === request.capabilities && line.startsWith('command=')) request.command = line.slice('command='.length);
    else target.push(line);
    if (target.length > 100_000) throw new GitError('limit', 'the request has too many lines');
  }
}

/** The answer to an `ls-refs` request, or null when git has to answer (another command, unknown arguments). */
export function answerLsRefs(
  request: V2Request,
  snapshot: RefsSnapshot,
  visible: (ref: RefName) => boolean = () => true,
): Buffer | null {
  if (request.command !== 'ls-refs') return null;
  const prefixes: string[] = [];
  const flags = { peel: false, symrefs: false, unborn: false };
  for (const argument of request.arguments) {
    if (argument.startsWith('ref-prefix ')) prefixes.push(argument.slice('ref-prefix '.length));
    else if (argument === 'peel' || argument === 'symrefs' || argument === 'unborn') flags[argument] = true;
    else return null;
  }
  const lines: string[] = [];
  const head = snapshot.head;
  if (head && (prefixes.length === 0 || prefixes.some((prefix) => 'HEAD'.startsWith(prefix)))) {
    const id = refNamed(snapshot, head)?.id;
    const target = flags.symrefs ? ` symref-target:${head}` : '';
    if (id) lines.push(`${id} HEAD${target}\n`);
    else if (flags.unborn) lines.push(`unborn HEAD${target}\n`);
  }
  const key = JSON.stringify([flags, prefixes]);
  const known = told.get(snapshot);
  if (known?.key === key && known.visible === visible) return known.answer;
  for (const entry of matching(snapshot, prefixes)) {
    if (!visible(entry.ref)) continue;
    lines.push(`${entry.id} ${entry.ref}${flags.peel && entry.peeled ? ` peeled:${entry.peeled}` : ''}\n`);
  }
  const answer = Buffer.concat([pktLines(lines), FLUSH]);
  if (lines.length >= manyRefs) told.set(snapshot, { key, visible, answer });
  return answer;
}

/** The last long answer of each snapshot: everybody who lists a large repository asks for the same. */
const told = new WeakMap<RefsSnapshot, { key: string; visible: (ref: RefName) => boolean; answer: Buffer }>();
const manyRefs = 1000;

/** Entries with any of the prefixes, each once, in order. */
function* matching(snapshot: RefsSnapshot, prefixes: readonly string[]): Generator<RefEntry> {
  const { refs } = snapshot;
  const ranges =
    prefixes.length === 0 ? [[0, refs.length] as const] : prefixes.map((prefix) => rangeOf(snapshot, prefix));
  let at = 0;
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    for (at = Math.max(at, from); at < to; at += 1) {
      const entry = refs[at];
      if (entry) yield entry;
    }
  }
}

/** Ids that a version 2 `fetch` request wants; null for other commands. */
export function fetchWants(request: V2Request): Sha[] | null {
  if (request.command !== 'fetch') return null;
  const wants = request.arguments.filter((line) => line.startsWith('want '));
  return wants.map((line) => line.slice(5, 45) as Sha);
}
