/**
 * Whether the objects of a small push are connected, found by reading them: what `rev-list --objects --not --all` says, for
 * which git starts and reads every reference of the repository.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import type { Repo } from '../context.ts';
import { commonAncestor } from '../history/common-ancestor.ts';
import { entriesByName, type NamedEntries } from '../objects/parse.ts';
import type { Quarantine } from '../objects/quarantine.ts';
import { readCommit } from '../objects/read.ts';
import { rawObject } from '../process/cat-file.ts';
import { readHead, readRefs } from '../refs/files.ts';
import { EMPTY_TREE, type RefName, type Sha } from '../types.ts';

/** More belongs to a push that takes its time anyway. */
const MOST_TIPS = 10;
const MOST_OBJECTS = 200;
const MOST_OBJECT_BYTES = 1024 * 1024;
/** Of all objects, unpacked in this process. */
const MOST_BYTES = 4 * MOST_OBJECT_BYTES;

/** Only git can tell. */
class Unknown extends Error {}

interface Loose {
  readonly type: string;
  readonly data: Buffer;
}

const linksOf = (text: string, name: 'tree' | 'parent' | 'object'): Sha[] =>
  [...text.matchAll(new RegExp(`^${name} ([0-9a-f]{40})$`, 'gm'))].map(([, id]) => id as Sha);

/** The lines before the message. */
const headOf = ({ data }: Loose): string => {
  const end = data.indexOf('\n\n');
  return data.toString('latin1', 0, end === -1 ? data.length : end);
};

/**
 * True when everything that the tips refer to is in the quarantine, one loose object each, or is part of a commit that a
 * reference has: of those `near` the push, or of the default branch. A tree or file that lies elsewhere in the repository
 * may be behind no reference and lack what it refers to: then, as in every other doubt, the answer is false.
 */
export async function surelyConnected(
  quarantine: Quarantine,
  tips: readonly Sha[],
  near: readonly RefName[],
): Promise<boolean> {
  if (tips.length > MOST_TIPS || near.length > MOST_TIPS) return false;
  const { base } = quarantine;
  await quarantine.overlay.settle();
  const head = await readHead(base);
  const known = new Set([head, ...(await readRefs(base, near))]);
  const done = new Set<Sha>();
  let read = 0;
  let bytes = 0;

  const fileOf = (id: Sha) => join(quarantine.path, id.slice(0, 2), id.slice(2));
  async function loose(id: Sha): Promise<Loose | null> {
    read += 1;
    if (read > MOST_OBJECTS || bytes > MOST_BYTES) throw new Unknown();
    const packed = await readFile(fileOf(id)).catch(() => null);
    if (packed === null) return null;
    const whole = inflateSync(packed, { maxOutputLength: MOST_OBJECT_BYTES });
    bytes += whole.length;
    const end = whole.indexOf(0);
    return { type: whole.toString('latin1', 0, whole.indexOf(32)), data: whole.subarray(end + 1) };
  }
  const isKnown = async (id: Sha) =>
    known.has(id) || (head !== null && (await commonAncestor(base, id, head))?.fork === id);

  async function entriesOf(repo: Repo, id: Sha): Promise<NamedEntries> {
    if (id === EMPTY_TREE) return new Map();
    const object = (await loose(id)) ?? (await rawObject(repo, id, MOST_OBJECT_BYTES));
    if (object?.type !== 'tree') throw new Unknown();
    return entriesByName(object.data);
  }

  /** Reads what of a tree is not in trees that are connected already, at the same place. */
  async function coverTree(id: Sha, beside: readonly Sha[]): Promise<void> {
    if (id === EMPTY_TREE || beside.includes(id) || done.has(id)) return;
    const own = await loose(id);
    if (own?.type !== 'tree') throw new Unknown();
    const others = await Promise.all(beside.map((other) => entriesOf(base, other)));
    for (const [name, { mode, id: entry }] of entriesByName(own.data)) {
      const there = others.flatMap((entries) => entries.get(name) ?? []);
      if (mode === '160000' || there.some((other) => other.id === entry && other.mode === mode)) continue;
      if (mode === '040000')
        await coverTree(
          entry,
          there.flatMap((other) => (other.mode === '040000' ? [other.id] : [])),
        );
      else await stat(fileOf(entry));
    }
    done.add(id);
  }

  async function treeOf(commit: Sha): Promise<Sha> {
    const own = await loose(commit);
    const tree = own ? linksOf(headOf(own), 'tree')[0] : (await readCommit(base, commit))?.tree;
    if (tree === undefined) throw new Unknown();
    return tree;
  }

  try {
    const waiting = [...tips];
    const seen = new Set<Sha>();
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const object = await loose(id);
      if (!object) {
        if (!(await isKnown(id))) return false;
        continue;
      }
      const text = headOf(object);
      if (object.type === 'tag') waiting.push(...linksOf(text, 'object').slice(0, 1));
      else if (object.type === 'commit') {
        const parents = linksOf(text, 'parent');
        waiting.push(...parents);
        const [tree] = linksOf(text, 'tree');
        if (tree === undefined) return false;
        await coverTree(tree, await Promise.all(parents.map(treeOf)));
      } else return false;
    }
    return true;
  } catch {
    // A file that is not there, an object beyond the limits: git says what is the matter.
    return false;
  }
}
