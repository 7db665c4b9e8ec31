/** Merges on the bare repository: by object ids where that is enough, else `git merge-tree --write-tree`; results in the quarantine. */
import type { Repo } from '../context.ts';
import { GitError } from '../errors.ts';
import { commonAncestor } from '../history/common-ancestor.ts';
import { dropQuarantined, type Quarantine } from '../objects/quarantine.ts';
import { readCommit } from '../objects/read.ts';
import { createCommit, type Person } from '../objects/write.ts';
import { runGit } from '../process/run.ts';
import { EMPTY_TREE, type FileMode, isSha, type Sha, shaFromGit } from '../types.ts';
import { type MergedTree, mergeTrees, writeMerged } from './tree-merge.ts';

export interface ConflictedStage {
  path: string;
  mode: FileMode;
  id: Sha;
  /** 1 the common ancestor, 2 ours, 3 theirs. */
  stage: 1 | 2 | 3;
}

export interface MergeResult {
  /** The merged tree; with conflicts its files hold conflict markers. */
  treeId: Sha;
  clean: boolean;
  conflicts: ConflictedStage[];
  /** Paths in conflict, each once. */
  conflictPaths: string[];
  /** What git says, about which paths, and the kind of it. */
  notes: MergeNote[];
  /** How notes and conflict markers name the two commits: not by their own ids where a base was given. */
  names: MergeNames;
}

export interface MergeNames {
  ours: string;
  theirs: string;
}

export interface MergeNote {
  paths: string[];
  /** Like `CONFLICT (rename/delete)`, or `Auto-merging`. */
  type: string;
  text: string;
}

/** `<tree> NUL (<mode> <id> <stage> TAB <path> NUL)* NUL (<n> NUL <path> NUL ... <type> NUL <text> NUL)*` */
function parseResult(text: string, clean: boolean, names: MergeNames): MergeResult {
  const fields = text.split('\0');
  const treeId = shaFromGit((fields.shift() ?? '').trim());
  const conflicts: ConflictedStage[] = [];
  while (fields.length > 0) {
    const field = fields.shift() ?? '';
    const match = /^(\d{6}) ([0-9a-f]{40}) ([123])\t(.*)$/s.exec(field);
    if (!match) break;
    const stage = Number(match[3]) as 1 | 2 | 3;
    conflicts.push({ mode: match[1] as FileMode, id: match[2] as Sha, stage, path: match[4] ?? '' });
  }
  const notes: MergeNote[] = [];
  while (fields.length > 1) {
    const count = Number(fields.shift());
    if (!Number.isInteger(count)) break;
    const paths = fields.splice(0, count);
    const type = fields.shift() ?? '';
    notes.push({ paths, type, text: (fields.shift() ?? '').trim() });
  }
  return { treeId, clean, conflicts, conflictPaths: [...new Set(conflicts.map(({ path }) => path))], notes, names };
}

async function run(repo: Repo, ours: Sha, theirs: Sha): Promise<MergeResult> {
  const args = ['merge-tree', '--write-tree', '-z', '--messages', '--allow-unrelated-histories', ours, theirs];
  const { code, stdout } = await runGit(repo, args, { work: 'write', timeoutMs: 60_000, okCodes: [0, 1] });
  return parseResult(stdout.toString('utf8'), code === 0, { ours, theirs });
}

const NOBODY: Person = { name: 'merge', email: 'merge@localhost', seconds: 0 };

export interface MergeBase {
  /** Stands for the common ancestor; null: nothing. Without it the commits are merged as git does. */
  base?: Sha | null | undefined;
}

const treeOrNone = (repo: Repo, id: Sha | null) => (id === null ? EMPTY_TREE : treeIdOf(repo, id));

/** The merged tree where the two sides changed different files, which needs no process; null where git has to merge. */
async function byIds(repo: Repo, ours: Sha, theirs: Sha | null, { base }: MergeBase): Promise<MergedTree | null> {
  const from = base === undefined && theirs !== null ? (await commonAncestor(repo, ours, theirs))?.fork : base;
  if (from === undefined) return null;
  const [one, left, right] = await Promise.all([from, ours, theirs].map((id) => treeOrNone(repo, id)));
  return await mergeTrees(repo, one as Sha, left as Sha, right as Sha);
}

/** Whether two commits merge without conflicts; false where only `mergeTree` can tell. */
export const surelyMerges = async (repo: Repo, ours: Sha, theirs: Sha, options: MergeBase = {}): Promise<boolean> =>
  (await byIds(repo, ours, theirs, options)) !== null;

/**
 * Merges two commits. With `base`, that commit (null: nothing) stands for their common ancestor: git 2.39 has no option
 * for it, so synthetic commits with the right parent are merged and dropped again. `theirs` may then be null: no files.
 */
export async function mergeTree(
  quarantine: Quarantine,
  ours: Sha,
  theirs: Sha | null,
  options: MergeBase = {},
): Promise<MergeResult> {
  if (options.base === undefined && theirs === null) throw new GitError('invalid', 'nothing to merge without a base');
  const merged = await byIds(quarantine.repo, ours, theirs, options);
  if (merged) {
    const treeId = await writeMerged(quarantine, merged);
    const names = { ours, theirs: theirs ?? '' };
    return { treeId, clean: true, conflicts: [], conflictPaths: [], notes: [], names };
  }
  if (options.base === undefined) return run(quarantine.repo, ours, theirs as Sha);
  const trees = await Promise.all([ours, theirs].map((id) => treeOrNone(quarantine.repo, id)));
  const baseTree = options.base === null ? null : await treeIdOf(quarantine.repo, options.base);
  const made: Sha[] = [];
  const synthetic = async (tree: Sha, parents: Sha[], message: string) => {
    // Nobody sees them: not worth a signature.
    const unsigned = { ...quarantine, stamp: null };
    const id = await createCommit(unsigned, { tree, parents, author: NOBODY, committer: NOBODY, message });
    made.push(id);
    return id;
  };
  try {
    const parents = baseTree ? [await synthetic(baseTree, [], 'base')] : [];
    const [left, right] = [
      await synthetic(trees[0] as Sha, parents, 'ours'),
      await synthetic(trees[1] as Sha, parents, 'theirs'),
    ];
    return await run(quarantine.repo, left, right);
  } finally {
    await Promise.all(made.map((id) => dropQuarantined(quarantine, id)));
  }
}

async function treeIdOf(repo: Repo, id: Sha): Promise<Sha> {
  const commit = await readCommit(repo, id);
  if (!commit || !isSha(commit.tree)) throw new GitError('not_found', 'no such commit');
  return commit.tree;
}
