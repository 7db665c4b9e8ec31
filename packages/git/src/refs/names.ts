/** git's own rules for reference names (check-ref-format), without starting it, and the house's for branches and tags. */
import type { RefName } from '../types.ts';

/** File systems end a name at 255 bytes, and git appends `.lock`. */
const MAX_COMPONENT_BYTES = 250;
const MAX_NAME_BYTES = 1000;
// Control characters (with U+0080 to U+009F, which git lets pass), space, and what revisions and globs use.
const FORBIDDEN = /[\p{Cc} ~^:?*[\\]/u;
/** A branch that reads as an object id, also as the first part of its name. */
const ID_LIKE_BRANCH = /^[0-9a-f]{40}(-?\/|$)/i;
/** A tag must not even begin with one: revisions are shortened and lengthened by tools. */
const ID_LIKE_TAG = /^[0-9a-f]{40}/i;

/** The rules of `git check-ref-format --allow-onelevel`, and the length that file systems can hold. */
export function isWellFormed(name: string): boolean {
  if (name === '' || name === '@' || FORBIDDEN.test(name) || !name.isWellFormed()) return false;
  if (name.includes('..') || name.includes('@{') || name.endsWith('.')) return false;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return false;
  return name.split('/').every((part) => {
    if (part === '' || part.startsWith('.') || part.endsWith('.lock')) return false;
    return Buffer.byteLength(part) <= MAX_COMPONENT_BYTES;
  });
}

/** A full name below `refs/` that git accepts; null otherwise. */
export function parseRefName(name: string): RefName | null {
  if (!name.startsWith('refs/') || name.split('/').length < 3 || !isWellFormed(name)) return null;
  return name as RefName;
}

export type NameProblem = 'malformed' | 'option-like' | 'object-id' | 'head' | 'refs-prefix';

function problemOf(name: string, idLike: RegExp): NameProblem | null {
  if (!isWellFormed(name)) return 'malformed';
  if (name.startsWith('-')) return 'option-like';
  // `HEAD` and 40 hexadecimal digits read as something else in every revision parameter (CVE-2022-2417).
  if (name === 'HEAD') return 'head';
  if (idLike.test(name)) return 'object-id';
  return null;
}

/** Why this is no acceptable branch name, or null. `name` is short: `main`, `feature/x`. */
export function branchNameProblem(name: string): NameProblem | null {
  // `refs/heads/refs/heads/x` is legal for git and never what anybody meant.
  return problemOf(name, ID_LIKE_BRANCH) ?? (/^refs\/(heads|tags|remotes)\//.test(name) ? 'refs-prefix' : null);
}

/** Why this is no acceptable tag name, or null. `name` is short: `v1.0`. */
export function tagNameProblem(name: string): NameProblem | null {
  return problemOf(name, ID_LIKE_TAG) ?? (/^refs\/(heads|tags|remotes)\//.test(name) ? 'refs-prefix' : null);
}

/** `refs/heads/NAME` of an acceptable branch name; null when it is none. */
export function branchRef(name: string): RefName | null {
  return branchNameProblem(name) === null ? (`refs/heads/${name}` as RefName) : null;
}

/** `refs/tags/NAME` of an acceptable tag name; null when it is none. */
export function tagRef(name: string): RefName | null {
  return tagNameProblem(name) === null ? (`refs/tags/${name}` as RefName) : null;
}

/**
 * Whether a client may create this reference: well-formed, below `refs/`, and for branches and tags the house's rules.
 * The same check serves push, API, import and mirrors.
 */
export function isCreatableRef(name: string): name is RefName {
  if (parseRefName(name) === null) return false;
  if (name.startsWith('refs/heads/')) return branchNameProblem(name.slice('refs/heads/'.length)) === null;
  if (name.startsWith('refs/tags/')) return tagNameProblem(name.slice('refs/tags/'.length)) === null;
  return true;
}

/** The part after `refs/heads/` or `refs/tags/`; other names stay whole. */
export function shortName(ref: string): string {
  return ref.replace(/^refs\/(?:heads|tags)\//, '');
}
