/** Writes blobs, trees, commits and tags as loose objects into a quarantine: hash, deflate, fsync, no process. */
import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflate, deflateSync } from 'node:zlib';
import { GitError } from '../errors.ts';
import type { FileMode, ObjectType, Sha } from '../types.ts';
import type { Quarantine } from './quarantine.ts';

const deflateAsync = promisify(deflate);
/** Below this the thread pool costs more than compressing here. */
const SYNC_DEFLATE_BYTES = 16 * 1024;
/** Objects beyond this are waited for. */
const SETTLE_BYTES = 256 * 1024;
/** Speed over size: maintenance packs loose objects soon. */
const LEVEL = 1;

export interface Person {
  name: string;
  email: string;
  /** Seconds since 1970. */
  seconds: number;
  /** `+0200`; default `+0000`. */
  offset?: string;
}

export interface NewCommit {
  tree: Sha;
  parents: readonly Sha[];
  author: Person;
  committer: Person;
  message: string;
  /** Armoured signature over the commit without it. */
  signature?: string;
}

export interface NewTreeEntry {
  mode: FileMode;
  /** Raw bytes of one path component. */
  name: Buffer;
  id: Sha;
}

/** The id that an object with these bytes has. */
export function hashObject(type: ObjectType, data: Uint8Array): Sha {
  return createHash('sha1').update(`${type} ${data.length}\0`).update(data).digest('hex') as Sha;
}

async function store(quarantine: Quarantine, id: Sha, type: ObjectType, data: Uint8Array): Promise<void> {
  const directory = join(quarantine.path, id.slice(0, 2));
  const whole = Buffer.concat([Buffer.from(`${type} ${data.length}\0`), data]);
  const packed =
    whole.length < SYNC_DEFLATE_BYTES
      ? deflateSync(whole, { level: LEVEL })
      : await deflateAsync(whole, { level: LEVEL });
  await mkdir(directory, { recursive: true });
  const handle = await open(join(directory, id.slice(2)), 'w', 0o444);
  try {
    await handle.writeFile(packed);
    // Nobody reads the quarantine before migration, so no temporary name is needed; the bytes must be on disk though.
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

/** The id is known at once; the writing goes on beside, and whoever needs the files settles the overlay first. */
async function writeObject(quarantine: Quarantine, type: ObjectType, data: Uint8Array): Promise<Sha> {
  const id = hashObject(type, data);
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  quarantine.overlay.add(id, { type, size: data.length, data: bytes }, () => store(quarantine, id, type, data));
  // Large contents must not pile up in memory.
  if (data.length > SETTLE_BYTES) await quarantine.overlay.settle();
  return id;
}

export function writeBlob(quarantine: Quarantine, data: Uint8Array): Promise<Sha> {
  return writeObject(quarantine, 'blob', data);
}

/** git orders tree entries by bytes, directories as if their name ended with a slash. */
function compareEntries(a: NewTreeEntry, b: NewTreeEntry): number {
  const key = (entry: NewTreeEntry) =>
    entry.mode === '040000' ? Buffer.concat([entry.name, Buffer.from('/')]) : entry.name;
  return Buffer.compare(key(a), key(b));
}

/** The bytes of a tree object, sorted as git wants them. */
function treeBytes(entries: readonly NewTreeEntry[]): Buffer {
  const parts: Buffer[] = [];
  for (const entry of [...entries].sort(compareEntries)) {
    // Directories have the mode 40000 in the object, without the leading zero.
    parts.push(
      Buffer.from(`${entry.mode.replace(/^0/, '')} `),
      entry.name,
      Buffer.from('\0'),
      Buffer.from(entry.id, 'hex'),
    );
  }
  return Buffer.concat(parts);
}

export function writeTree(quarantine: Quarantine, entries: readonly NewTreeEntry[]): Promise<Sha> {
  return writeObject(quarantine, 'tree', treeBytes(entries));
}

/** git's rules for names in objects: no angle brackets, newlines, NUL, nor "crud" at the ends. */
function cleanIdent(text: string): string {
  return text.replace(/[<>\p{Cc}]/gu, '').replace(/^[\s.,:;"'\\]+|[\s.,:;"'\\]+$/gu, '');
}

function identLine(person: Person): string {
  const offset = person.offset ?? '+0000';
  if (!/^[+-]\d{4}$/.test(offset) || !Number.isSafeInteger(person.seconds) || person.seconds < 0) {
    throw new GitError('invalid', 'not an acceptable date');
  }
  return `${cleanIdent(person.name)} <${cleanIdent(person.email)}> ${person.seconds} ${offset}`;
}

/** As it was given: who reads it back compares, so not even a line end is added. */
function messageText(message: string): string {
  return message.replace(/\0/g, '').replace(/\r\n/g, '\n');
}

/** A signature of a tag begins a line of its own. */
function tagText(message: string): string {
  const text = messageText(message);
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

/** The bytes of a commit object; without `signature` this is what gets signed. */
export function commitBytes(commit: NewCommit): Buffer {
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${identLine(commit.author)}`,
    `committer ${identLine(commit.committer)}`,
  ];
  if (commit.signature) lines.push(`gpgsig ${commit.signature.trimEnd().split('\n').join('\n ')}`);
  return Buffer.from(`${lines.join('\n')}\n\n${messageText(commit.message)}`);
}

/** Writes a commit object, with the stamp of the quarantine where it has one; moves no reference. */
export function createCommit(quarantine: Quarantine, commit: NewCommit): Promise<Sha> {
  return writeObject(quarantine, 'commit', commitBytes(stamped(quarantine, commit)));
}

function stamped({ stamp }: Quarantine, commit: NewCommit): NewCommit {
  if (!stamp) return commit;
  const { name, email, sign } = stamp;
  const named = { ...commit, committer: { ...commit.committer, name, email } };
  return { ...named, signature: sign(commitBytes(named)) };
}

export interface NewTag {
  target: Sha;
  targetType: ObjectType;
  /** Short name, as in the reference. */
  name: string;
  tagger: Person;
  message: string;
}

/** Writes an annotated tag object; moves no reference. */
export function createTag(quarantine: Quarantine, tag: NewTag): Promise<Sha> {
  const head = [`object ${tag.target}`, `type ${tag.targetType}`, `tag ${tag.name}`, `tagger ${identLine(tag.tagger)}`];
  if (/[\n\0]/.test(tag.name)) throw new GitError('invalid', 'not an acceptable tag name');
  return writeObject(quarantine, 'tag', Buffer.from(`${head.join('\n')}\n\n${tagText(tag.message)}`));
}
