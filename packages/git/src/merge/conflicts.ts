/** What conflicts in a merge, for people: by file, with its three sides and the kind of the conflict. */
import type { Repo } from '../context.ts';
import { createQuarantine, discardQuarantine } from '../objects/quarantine.ts';
import type { FileMode, Sha } from '../types.ts';
import { type ConflictedStage, type MergeNames, type MergeNote, type MergeResult, mergeTree } from './merge-tree.ts';

export type ConflictKind =
  /** Both changed the same lines, or a link. */
  | 'content'
  /** Both added it, with different content. */
  | 'add/add'
  | 'modify/delete'
  | 'rename/delete'
  /** Renamed to different names, or different files to one name. */
  | 'rename/rename'
  /** A file in the place of a directory. */
  | 'file/directory'
  /** Added to a directory that the other side renamed. */
  | 'directory rename'
  /** The same content, executable on one side only. */
  | 'mode'
  /** A file on one side, a link or submodule on the other. */
  | 'type'
  | 'binary'
  | 'submodule';

interface ConflictSide {
  path: string;
  mode: FileMode;
  id: Sha;
}

export interface MergeConflict {
  kind: ConflictKind;
  /** All names that the file has on either side, its name before first. */
  paths: string[];
  /** Null where it was not there. */
  base: ConflictSide | null;
  ours: ConflictSide | null;
  theirs: ConflictSide | null;
  /** What git says, with `ours` and `theirs` for the two commits. */
  message: string;
}

/** The first that git tells of a file decides; those that follow from it come later. */
const kinds: readonly (readonly [type: RegExp, kind: ConflictKind])[] = [
  [/^CONFLICT \((rename\/rename|rename involved in collision)/, 'rename/rename'],
  [/^CONFLICT \(rename\/delete/, 'rename/delete'],
  [/^CONFLICT \(file\/directory/, 'file/directory'],
  [/^CONFLICT \(distinct modes/, 'type'],
  [/^CONFLICT ?\(directory rename/, 'directory rename'],
  [/^CONFLICT \(submodule/, 'submodule'],
  [/^CONFLICT \(binary/, 'binary'],
  [/^CONFLICT \(modify\/delete/, 'modify/delete'],
];

/** Notes that share a path are of one conflict. */
function grouped(notes: readonly MergeNote[]): MergeNote[][] {
  const groups: { paths: Set<string>; notes: MergeNote[] }[] = [];
  for (const note of notes) {
    const touched = groups.filter(({ paths }) => note.paths.some((path) => paths.has(path)));
    const [first, ...others] = touched;
    const into = first ?? { paths: new Set<string>(), notes: [] };
    if (!first) groups.push(into);
    for (const other of others) {
      for (const path of other.paths) into.paths.add(path);
      into.notes.push(...other.notes);
      groups.splice(groups.indexOf(other), 1);
    }
    for (const path of note.paths) into.paths.add(path);
    into.notes.push(note);
  }
  return groups.map((group) => group.notes);
}

function kindOf(notes: readonly MergeNote[], stages: readonly ConflictedStage[]): ConflictKind {
  const found = kinds.find(([type]) => notes.some((note) => type.test(note.type)))?.[1];
  if (found !== undefined) return found;
  const [base, ours, theirs] = ([1, 2, 3] as const).map((wanted) => stages.find(({ stage }) => stage === wanted));
  if (stages.some(({ mode }) => mode === '160000')) return 'submodule';
  if (ours && theirs && ours.id === theirs.id && ours.mode !== theirs.mode) return 'mode';
  return base ? 'content' : 'add/add';
}

/** git moves one of two that cannot be in one place aside, as `name~commit`: the name that people know. */
function plainName(path: string, all: ReadonlySet<string>): string {
  const moved = /^(.+)~[^/~]+$/.exec(path)?.[1];
  return moved !== undefined && all.has(moved) ? moved : path;
}

function conflictOf(notes: readonly MergeNote[], stages: readonly ConflictedStage[], names: MergeNames): MergeConflict {
  const all = new Set(notes.flatMap(({ paths }) => paths));
  const own = stages.filter(({ path }) => all.has(path));
  const kind = kindOf(notes, own);
  const side = (wanted: 1 | 2 | 3): ConflictSide | null => {
    const found = own.find(({ stage }) => stage === wanted);
    return found ? { path: plainName(found.path, all), mode: found.mode, id: found.id } : null;
  };
  const now = side(1);
  const sides = { base: now, ours: side(2), theirs: side(3) };
  // A file that was renamed on one side and removed on the other stands under its new name only.
  const [renamed, before] = notes.find(({ type }) => type.startsWith('CONFLICT (rename/delete'))?.paths ?? [];
  if (kind === 'rename/delete' && before !== undefined && now && now.path === renamed)
    sides.base = { ...now, path: before };
  const told = notes.find(({ type }) => kinds.some(([known, of]) => of === kind && known.test(type))) ?? notes.at(-1);
  const paths = [sides.base, sides.ours, sides.theirs].flatMap((each) => (each ? [each.path] : []));
  const others = [...all].map((path) => plainName(path, all));
  return { kind, paths: [...new Set([...paths, ...others])], ...sides, message: worded(told?.text ?? '', names) };
}

const worded = (text: string, { ours, theirs }: MergeNames): string =>
  text.replaceAll(ours, 'ours').replaceAll(theirs, 'theirs').replace(/\s+/g, ' ').trim();

/** More than anybody solves one by one; the rest is left out. */
const MOST = 1_000;

/**
 * The conflicts of merging two commits, in git's order; none for a clean merge. `base` takes the place of their merge base.
 * Kept: commits do not change.
 */
export async function mergeConflicts(
  repo: Repo,
  ours: Sha,
  theirs: Sha,
  base?: Sha,
): Promise<readonly MergeConflict[]> {
  const key = `conflicts${repo.key}:${ours}:${theirs}:${base ?? ''}`;
  const known = repo.git.cache.get(key) as readonly MergeConflict[] | undefined;
  if (known) return known;
  const quarantine = await createQuarantine(repo);
  try {
    const found = conflictsOf(await mergeTree(quarantine, ours, theirs, { base })).slice(0, MOST);
    repo.git.cache.set(key, found, 200 + found.length * 800);
    return found;
  } finally {
    await discardQuarantine(quarantine);
  }
}

function conflictsOf(result: MergeResult): MergeConflict[] {
  const { names } = result;
  const notes = result.notes.filter(({ type }) => type.startsWith('CONFLICT'));
  const found = grouped(notes).map((group) => conflictOf(group, result.conflicts, names));
  const told = new Set(notes.flatMap(({ paths }) => paths));
  // What git tells nothing about is not left out either.
  const silent = result.conflictPaths.filter((path) => !told.has(path));
  const more = silent.map((path) => conflictOf([{ paths: [path], type: '', text: '' }], result.conflicts, names));
  return [...found, ...more];
}
