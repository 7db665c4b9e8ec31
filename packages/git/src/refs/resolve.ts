/** A user's revision becomes an object id here, without git parsing it: only the forms listed in the grammar exist. */
import type { Repo } from '../context.ts';
import { readCommit, readHeader } from '../objects/read.ts';
import { peelToCommit, treeOf } from '../objects/tree.ts';
import { gitText } from '../process/run.ts';
import { isSha, parseSha, type RefName, type Sha } from '../types.ts';
import { readHead, readRefs } from './files.ts';
import { isWellFormed, parseRefName } from './names.ts';

/** A step after the name: `~3`, `^2`, `^{commit}`. */
type Step = { kind: 'ancestor'; count: number } | { kind: 'parent'; index: number } | { kind: 'peel'; to: PeelType };
type PeelType = 'commit' | 'tree' | 'blob' | 'tag' | '';

export interface Revision {
  name: string;
  steps: Step[];
}

const MAX_STEPS = 20;
const MAX_ANCESTORS = 5_000;
const STEP = /^(?:~(\d{0,6})|\^(\d{0,3})(?!\{)|\^\{(commit|tree|blob|tag|)\})/;

/**
 * Splits `NAME[~N|^N|^{type}]...`; null for everything else: options, ranges, `:path`, `@{...}`, `:/text`. `@` alone
 * is HEAD.
 */
export function parseRevision(text: string): Revision | null {
  if (text.length > 1200 || text.startsWith('-')) return null;
  const at = text.search(/[~^]/);
  const name = at < 0 ? text : text.slice(0, at);
  if (name !== '@' && !isWellFormed(name)) return null;
  const steps: Step[] = [];
  let rest = at < 0 ? '' : text.slice(at);
  while (rest !== '') {
    const match = STEP.exec(rest);
    if (!match || steps.length >= MAX_STEPS) return null;
    if (match[1] !== undefined) steps.push({ kind: 'ancestor', count: match[1] === '' ? 1 : Number(match[1]) });
    else if (match[2] !== undefined) steps.push({ kind: 'parent', index: match[2] === '' ? 1 : Number(match[2]) });
    else steps.push({ kind: 'peel', to: (match[3] ?? '') as PeelType });
    rest = rest.slice(match[0].length);
  }
  return { name: name === '@' ? 'HEAD' : name, steps };
}

export interface ResolveOptions {
  /** Which wins where a branch and a tag have the same name; default `tag`, as in git. */
  prefer?: 'branch' | 'tag';
  /** References that exist for this caller; default all. Hidden ones do not resolve by name. */
  visible?: (ref: RefName) => boolean;
}

/** Names tried in order, as in gitrevisions(7). */
function candidates(name: string, prefer: 'branch' | 'tag'): string[] {
  const both = [`refs/tags/${name}`, `refs/heads/${name}`];
  if (prefer === 'branch') both.reverse();
  return name.startsWith('refs/') ? [name, ...both] : [`refs/${name}`, ...both];
}

async function resolveName(repo: Repo, name: string, options: ResolveOptions): Promise<Sha | null> {
  if (name === 'HEAD') return readHead(repo);
  // A full id is never a reference, whatever references exist (CVE-2022-2417).
  const full = parseSha(name);
  if (full) return (await readHeader(repo, full)) ? full : null;
  const refs = candidates(name, options.prefer ?? 'tag').flatMap((candidate) => {
    const ref = parseRefName(candidate);
    return ref && options.visible?.(ref) !== false ? [ref] : [];
  });
  // A full name is nearly always the reference itself: its own file is the only one that is opened then.
  const first = name.startsWith('refs/') && refs[0] === name ? await readRefs(repo, refs.slice(0, 1)) : [];
  const found = first[0] ?? (await readRefs(repo, refs)).find((id) => id !== null);
  if (found) return found;
  return /^[0-9a-f]{4,39}$/i.test(name) ? resolveAbbreviation(repo, name.toLowerCase()) : null;
}

/** The one object with this prefix, or the one commit among several; null when none or ambiguous. */
async function resolveAbbreviation(repo: Repo, prefix: string): Promise<Sha | null> {
  const text = await gitText(repo, ['rev-parse', `--disambiguate=${prefix}`], { work: 'read', maxBytes: 1024 * 1024 });
  const ids = text.split('\n').filter(isSha);
  if (ids.length <= 1) return ids[0] ?? null;
  if (ids.length > 100) return null;
  const commits = [];
  for (const id of ids) if (await readCommit(repo, id)) commits.push(id);
  return commits.length === 1 ? (commits[0] ?? null) : null;
}

async function follow(repo: Repo, id: Sha, step: Step): Promise<Sha | null> {
  if (step.kind === 'peel') {
    if (step.to === 'commit') return peelToCommit(repo, id);
    if (step.to === 'tree') return treeOf(repo, id);
    if (step.to === '') return (await peelToCommit(repo, id)) ?? id;
    return (await readHeader(repo, id))?.type === step.to ? id : null;
  }
  let current = await peelToCommit(repo, id);
  if (step.kind === 'parent') {
    if (!current || step.index === 0) return current;
    return (await readCommit(repo, current))?.parents[step.index - 1] ?? null;
  }
  if (step.count > MAX_ANCESTORS) return null;
  for (let left = step.count; left > 0 && current; left -= 1) {
    current = (await readCommit(repo, current))?.parents[0] ?? null;
  }
  return current;
}

/**
 * The object id of a revision: branch, tag, full or abbreviated id (4 digits or more), `HEAD`, `refs/...`, each with
 * `~N`, `^N`, `^{type}`. Null when it does not exist, is ambiguous or is written in any other form. Tags are not
 * peeled: see resolveCommit.
 */
export async function resolve(repo: Repo, revision: string, options: ResolveOptions = {}): Promise<Sha | null> {
  const parsed = parseRevision(revision);
  if (!parsed) return null;
  let id = await resolveName(repo, parsed.name, options);
  for (const step of parsed.steps) {
    if (!id) return null;
    id = await follow(repo, id, step);
  }
  return id;
}

/** Like resolve, peeled to a commit; null when the revision is none. */
export async function resolveCommit(repo: Repo, revision: string, options: ResolveOptions = {}): Promise<Sha | null> {
  const id = await resolve(repo, revision, options);
  return id ? peelToCommit(repo, id) : null;
}
