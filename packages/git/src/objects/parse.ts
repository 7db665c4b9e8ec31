/** Bytes of commits, tags and trees into typed values. */
import { type FileMode, type ObjectType, type Sha, shaFromGit } from '../types.ts';

export interface Ident {
  name: string;
  email: string;
  /** Seconds since 1970. */
  seconds: number;
  /** As git writes it: `+0200`. */
  offset: string;
  /** ISO 8601 with milliseconds and the person's own offset: `2024-05-01T12:00:00.000+02:00`. */
  date: string;
}

export interface Trailer {
  key: string;
  value: string;
}

export interface Commit {
  id: Sha;
  tree: Sha;
  parents: Sha[];
  author: Ident;
  committer: Ident;
  /** The whole message, with its final newline. */
  message: string;
  /** The first paragraph on one line. */
  title: string;
  /** From the commit's `encoding` header; default UTF-8. */
  encoding: string;
  /** The armoured signature of the `gpgsig` header. */
  signature: string | null;
  trailers: Trailer[];
}

export interface Tag {
  id: Sha;
  target: Sha;
  targetType: ObjectType;
  name: string;
  tagger: Ident | null;
  /** Without the signature. */
  message: string;
  signature: string | null;
}

export interface TreeEntry {
  mode: FileMode;
  type: 'tree' | 'blob' | 'commit';
  id: Sha;
  /** One path component; bytes that are not UTF-8 are shown as U+FFFD. */
  name: string;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Text in the declared encoding; unknown encodings and invalid bytes fall back to Latin-1, which never fails. */
function decodeText(bytes: Uint8Array, encoding = 'utf-8'): string {
  try {
    return /^utf-?8$/i.test(encoding) ? utf8.decode(bytes) : new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return Buffer.from(bytes).toString('latin1');
  }
}

/** ISO 8601 of seconds in an offset such as `+0530`; nonsense offsets count as UTC. */
export function isoDate(seconds: number, offset: string): string {
  const match = /^([+-])(\d{2})(\d{2})$/.exec(offset);
  const minutes = match ? (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3])) : 0;
  const sane = Math.abs(minutes) < 24 * 60 ? minutes : 0;
  const local = new Date((seconds + sane * 60) * 1000);
  if (Number.isNaN(local.getTime())) return '1970-01-01T00:00:00.000+00:00';
  const pad = (value: number) => String(value).padStart(2, '0');
  const zone = `${sane < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(sane) / 60))}:${pad(Math.abs(sane) % 60)}`;
  return `${local.toISOString().slice(0, -1)}${zone}`;
}

export function parseIdent(line: string): Ident {
  // The last `>` ends the address: names with stray brackets exist in old histories.
  const close = line.lastIndexOf('>');
  const open = line.lastIndexOf('<', close);
  const name = (open < 0 ? line : line.slice(0, open)).trim();
  const email = open < 0 ? '' : line.slice(open + 1, close).trim();
  const [secondsText = '', offset = '+0000'] =
    close < 0
      ? []
      : line
          .slice(close + 1)
          .trim()
          .split(' ');
  const seconds = /^-?\d{1,15}$/.test(secondsText) ? Number(secondsText) : 0;
  return { name, email, seconds, offset, date: isoDate(seconds, offset) };
}

/** Header lines (continuations joined with newlines) and the position after the blank line. */
function parseHeaders(data: Buffer): { headers: [string, Buffer][]; body: Buffer } {
  const headers: [string, Buffer][] = [];
  let at = 0;
  while (at < data.length) {
    let end = data.indexOf(10, at);
    if (end < 0) end = data.length;
    if (end === at) return { headers, body: data.subarray(at + 1) };
    const line = data.subarray(at, end);
    const last = headers.at(-1);
    if (line[0] === 32 && last) last[1] = Buffer.concat([last[1], Buffer.from('\n'), line.subarray(1)]);
    else {
      const space = line.indexOf(32);
      headers.push([line.toString('latin1', 0, space < 0 ? line.length : space), line.subarray(space + 1)]);
    }
    at = end + 1;
  }
  return { headers, body: Buffer.alloc(0) };
}

const TRAILER = /^([A-Za-z0-9][A-Za-z0-9-]*)\s*:\s*(.*)$/;
const GIT_TRAILER = /^(Signed-off-by: |\(cherry picked from commit )/;

/** The trailers of the last paragraph, by the rules of git-interpret-trailers. */
export function parseTrailers(message: string): Trailer[] {
  const paragraphs = message.trimEnd().split(/\n\s*\n/);
  const last = paragraphs.at(-1);
  if (paragraphs.length < 2 || !last) return [];
  const trailers: Trailer[] = [];
  let others = 0;
  let byGit = false;
  for (const line of last.split('\n')) {
    const match = TRAILER.exec(line);
    const previous = trailers.at(-1);
    byGit ||= GIT_TRAILER.test(line);
    if (match) trailers.push({ key: match[1] ?? '', value: (match[2] ?? '').trim() });
    else if (/^\s+\S/.test(line) && previous) previous.value += ` ${line.trim()}`;
    else if (!GIT_TRAILER.test(line)) others += 1;
  }
  // Prose among them is tolerated only where git itself wrote a trailer, up to three quarters.
  return others === 0 || (byGit && trailers.length * 3 >= others) ? trailers : [];
}

function titleOf(message: string): string {
  const start = message.replace(/^\s*\n/, '');
  const end = start.search(/\n[ \t]*\n/);
  return (end < 0 ? start : start.slice(0, end)).trim().replace(/\s*\n\s*/g, ' ');
}

/** Parses a commit; throws where the headers are not those of a commit. */
export function parseCommit(id: Sha, data: Buffer): Commit {
  const { headers, body } = parseHeaders(data);
  const find = (name: string) => headers.find(([key]) => key === name)?.[1];
  const encoding = find('encoding')?.toString('latin1') ?? 'UTF-8';
  const text = (bytes: Buffer | undefined) => (bytes ? decodeText(bytes, encoding) : '');
  const message = text(body);
  return {
    id,
    tree: shaFromGit(find('tree')?.toString('latin1') ?? ''),
    parents: headers.filter(([key]) => key === 'parent').map(([, value]) => shaFromGit(value.toString('latin1'))),
    author: parseIdent(text(find('author'))),
    committer: parseIdent(text(find('committer'))),
    message,
    title: titleOf(message),
    encoding,
    signature: find('gpgsig')?.toString('utf8') ?? null,
    trailers: parseTrailers(message),
  };
}

const SIGNATURE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----$/m;

export function parseTag(id: Sha, data: Buffer): Tag {
  const { headers, body } = parseHeaders(data);
  const find = (name: string) => headers.find(([key]) => key === name)?.[1];
  const text = decodeText(body);
  const at = text.search(SIGNATURE);
  const tagger = find('tagger');
  return {
    id,
    target: shaFromGit(find('object')?.toString('latin1') ?? ''),
    targetType: (find('type')?.toString('latin1') ?? 'commit') as ObjectType,
    name: decodeText(find('tag') ?? Buffer.alloc(0)),
    tagger: tagger ? parseIdent(decodeText(tagger)) : null,
    message: at < 0 ? text : text.slice(0, at),
    signature: at < 0 ? null : text.slice(at),
  };
}

const MODES: Record<string, FileMode> = {
  '40000': '040000',
  '040000': '040000',
  '100644': '100644',
  '100755': '100755',
  '120000': '120000',
  '160000': '160000',
};

/** Splits a tree; `visit` gets the raw name bytes. Throws on truncated data. */
export function eachTreeEntry(data: Buffer, visit: (mode: FileMode, name: Buffer, id: Sha) => void): void {
  let at = 0;
  while (at < data.length) {
    const space = data.indexOf(32, at);
    const nul = data.indexOf(0, space);
    if (space < 0 || nul < 0 || nul + 21 > data.length) throw new Error('truncated tree object');
    const mode = data.toString('latin1', at, space);
    // Old histories hold modes such as 100664: git treats them by their file type.
    const known = MODES[mode] ?? (mode.startsWith('1007') ? '100755' : '100644');
    visit(known, data.subarray(space + 1, nul), data.toString('hex', nul + 1, nul + 21) as Sha);
    at = nul + 21;
  }
}

function typeOfMode(mode: FileMode): TreeEntry['type'] {
  if (mode === '040000') return 'tree';
  return mode === '160000' ? 'commit' : 'blob';
}

export function parseTree(data: Buffer): TreeEntry[] {
  const entries: TreeEntry[] = [];
  eachTreeEntry(data, (mode, name, id) =>
    entries.push({ mode, type: typeOfMode(mode), id, name: name.toString('utf8') }),
  );
  return entries;
}

/** Entries of a tree by name, a Latin-1 rendering of its bytes, so that none is lost. */
export type NamedEntries = ReadonlyMap<string, { readonly mode: FileMode; readonly id: Sha }>;

export function entriesByName(data: Buffer): NamedEntries {
  const entries = new Map<string, { mode: FileMode; id: Sha }>();
  eachTreeEntry(data, (mode, name, id) => entries.set(name.toString('latin1'), { mode, id }));
  return entries;
}
