/** Signatures of commits and tags, with the bytes that they are over. */
import type { Repo } from '../context.ts';
import { rawObject } from '../process/cat-file.ts';
import type { Sha } from '../types.ts';
import { parseCommit, parseTag } from './parse.ts';

export interface Signed {
  /** As it is armoured in the object. */
  signature: string;
  /** The object without its signature. */
  payload: Buffer;
  /** Of the committer, or of who made the tag. */
  email: string;
}

const MAX_BYTES = 32 * 1024 * 1024;
/** git leaves both out of what either signs. */
const SIGNATURES = new Set(['gpgsig', 'gpgsig-sha256']);

/** The bytes of a commit without the headers of its signatures and the lines that continue them. */
function withoutSignatures(data: Buffer): Buffer {
  const kept: Buffer[] = [];
  let inside = false;
  let at = 0;
  while (at < data.length && data[at] !== 10) {
    const newline = data.indexOf(10, at);
    const end = newline < 0 ? data.length : newline + 1;
    const line = data.subarray(at, end);
    if (line[0] !== 32) inside = SIGNATURES.has(line.toString('latin1', 0, Math.max(0, line.indexOf(32))));
    if (!inside) kept.push(line);
    at = end;
  }
  return Buffer.concat([...kept, data.subarray(at)]);
}

/** Null for what is no commit, or has no signature. */
export async function signedCommit(repo: Repo, id: Sha): Promise<Signed | null> {
  const object = await rawObject(repo, id, MAX_BYTES);
  if (object?.type !== 'commit') return null;
  const { signature, committer } = parseCommit(id, object.data);
  if (signature === null) return null;
  return { signature, payload: withoutSignatures(object.data), email: committer.email };
}

/** Null for what is no annotated tag, or has no signature. */
export async function signedTag(repo: Repo, id: Sha): Promise<Signed | null> {
  const object = await rawObject(repo, id, MAX_BYTES);
  if (object?.type !== 'tag') return null;
  const { signature, tagger } = parseTag(id, object.data);
  if (signature === null) return null;
  // The text of a message may have been decoded: the signature is what stands last.
  const payload = object.data.subarray(0, object.data.length - Buffer.byteLength(signature));
  return { signature, payload, email: tagger?.email ?? '' };
}
