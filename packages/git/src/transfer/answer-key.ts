/** What the answer to a fetch depends on, as one digest; and whether it may be given to others at all. */
import { createHash } from 'node:crypto';
import type { RefsSnapshot } from '../refs/snapshot.ts';
import type { RefName } from '../types.ts';
import { parseV2Request } from './ls-refs.ts';
import { createPacketReader } from './pkt-line.ts';

export interface FetchRequest {
  version: 0 | 1 | 2;
  body: Buffer;
  snapshot: RefsSnapshot;
  visible: (ref: RefName) => boolean;
  /** What git is told besides. */
  config: readonly string[];
}

/** Say who asks, not what. */
const aboutTheClient = /^(agent|session-id)=/;

interface Lines {
  lines: string[];
  wants: string[];
  final: boolean;
}

/** The lines of a version 0 or 1 request: wants with capabilities behind the first, then what the client has. */
async function linesOfV0(body: Buffer): Promise<Lines> {
  async function* once() {
    yield body;
  }
  const reader = createPacketReader(once());
  const lines: string[] = [];
  for (let packet = await reader.next(); packet.type !== 'end'; packet = await reader.next()) {
    if (packet.type !== 'data') {
      lines.push('');
      continue;
    }
    const line = packet.data.toString('utf8').replace(/\n$/, '');
    const [first = '', ...capabilities] = line.split(' ');
    lines.push(
      first === 'want' ? [first, ...capabilities.filter((word) => !aboutTheClient.test(word))].join(' ') : line,
    );
  }
  const wants = lines.filter((line) => line.startsWith('want ')).map((line) => line.slice(5, 45));
  return { lines, wants, final: lines.at(-1) === 'done' };
}

async function linesOfV2(body: Buffer): Promise<Lines | null> {
  const request = await parseV2Request(body);
  if (request.command !== 'fetch') return null;
  const wants = request.arguments.filter((line) => line.startsWith('want ')).map((line) => line.slice(5));
  const lines = [...request.capabilities.filter((line) => !aboutTheClient.test(line)), '', ...request.arguments];
  const byName = request.arguments.some((line) => line.startsWith('want-ref '));
  return { lines, wants, final: request.arguments.includes('done') && !byName };
}

const hashed = new WeakMap<RefsSnapshot, Map<string, string>>();
/** The references below a prefix as one digest; once for a snapshot. */
function refsDigest(snapshot: RefsSnapshot, prefix: string): string {
  let known = hashed.get(snapshot);
  if (!known) {
    known = new Map();
    hashed.set(snapshot, known);
  }
  let digest = known.get(prefix);
  if (digest === undefined) {
    const hash = createHash('sha256');
    for (const { ref, id } of snapshot.refs) if (ref.startsWith(prefix)) hash.update(`${id} ${ref}\n`);
    digest = hash.digest('hex');
    known.set(prefix, digest);
  }
  return digest;
}

/**
 * The digest of a fetch; null where its answer is no one else's: rounds of a negotiation, and wants that are no visible
 * reference now. What depends on references (tags that come along, histories cut at a branch) has these in it.
 */
export async function fetchDigest(request: FetchRequest): Promise<string | null> {
  const { version, body, snapshot, visible, config } = request;
  const found = version === 2 ? await linesOfV2(body) : await linesOfV0(body);
  if (!found?.final || found.wants.length === 0) return null;
  const wants = new Set(found.wants);
  for (const { ref, id } of snapshot.refs) {
    if (wants.size === 0) break;
    if (wants.has(id) && visible(ref)) wants.delete(id);
  }
  if (wants.size > 0) return null;
  const tags = /(^|\s)include-tag(\s|$)/.test(found.lines.join('\n')) ? refsDigest(snapshot, 'refs/tags/') : '';
  const cut = found.lines.some((line) => line.startsWith('deepen-not ')) ? refsDigest(snapshot, '') : '';
  return createHash('sha256')
    .update(JSON.stringify([version, config, found.lines, tags, cut]))
    .digest('hex');
}
