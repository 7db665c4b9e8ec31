/** Commits made anew on another base: cherry-pick, revert, rebase; nothing is checked out. */
import { GitError } from '../errors.ts';
import { logIds } from '../history/log.ts';
import type { Commit, Ident } from '../objects/parse.ts';
import type { Quarantine } from '../objects/quarantine.ts';
import { readCommit } from '../objects/read.ts';
import { createCommit, type Person } from '../objects/write.ts';
import type { Sha } from '../types.ts';
import { type MergeResult, mergeTree } from './merge-tree.ts';

export type CherryPickResult =
  | { status: 'done'; id: Sha; treeId: Sha }
  /** The change is in the target already. */
  | { status: 'empty' }
  | { status: 'conflict'; merge: MergeResult };

export interface CherryPickRevertOptions {
  /** The commit on which the change is put. */
  onto: Sha;
  committer: Person;
  /** Default: the original message. */
  message?: string;
  /** Default: the original author (cherry-pick), or the committer (revert). */
  author?: Person;
  /** For merge commits: which parent the change is counted from, 1 for the first (default). */
  mainline?: number;
  /** Makes a commit also when it changes nothing. */
  allowEmpty?: boolean;
}

function personOf(ident: Ident): Person {
  return {
    name: ident.name,
    email: ident.email,
    seconds: Math.max(0, ident.seconds),
    offset: safeOffset(ident.offset),
  };
}

function safeOffset(offset: string): string {
  return /^[+-]\d{4}$/.test(offset) ? offset : '+0000';
}

async function commitOf(quarantine: Quarantine, id: Sha): Promise<Commit> {
  const commit = await readCommit(quarantine.repo, id);
  if (!commit) throw new GitError('not_found', 'no such commit');
  return commit;
}

async function replay(
  quarantine: Quarantine,
  options: CherryPickRevertOptions,
  change: { base: Sha | null; result: Sha | null; message: string; author: Person },
): Promise<CherryPickResult> {
  const target = await commitOf(quarantine, options.onto);
  const merge = await mergeTree(quarantine, options.onto, change.result, { base: change.base });
  if (!merge.clean) return { status: 'conflict', merge };
  if (merge.treeId === target.tree && !options.allowEmpty) return { status: 'empty' };
  const id = await createCommit(quarantine, {
    tree: merge.treeId,
    parents: [options.onto],
    author: options.author ?? change.author,
    committer: options.committer,
    message: options.message ?? change.message,
  });
  return { status: 'done', id, treeId: merge.treeId };
}

/** Puts the change of one commit onto another as a new commit. */
export async function cherryPick(
  quarantine: Quarantine,
  id: Sha,
  options: CherryPickRevertOptions,
): Promise<CherryPickResult> {
  const commit = await commitOf(quarantine, id);
  const base = commit.parents[(options.mainline ?? 1) - 1] ?? null;
  return replay(quarantine, options, { base, result: id, message: commit.message, author: personOf(commit.author) });
}

/** Takes the change of one commit back on top of another; of a root commit, all files that it brought. */
export async function revert(
  quarantine: Quarantine,
  id: Sha,
  options: CherryPickRevertOptions,
): Promise<CherryPickResult> {
  const commit = await commitOf(quarantine, id);
  const parent = commit.parents[(options.mainline ?? 1) - 1] ?? null;
  const message = `Revert "${commit.title}"\n\nThis reverts commit ${id}`;
  return replay(quarantine, options, { base: id, result: parent, message, author: options.committer });
}

export type RebaseResult =
  | { status: 'done'; id: Sha; commits: { from: Sha; to: Sha }[] }
  | { status: 'conflict'; commit: Sha; merge: MergeResult };

/**
 * Replays the commits of `head` that are not in `onto`, oldest first, merges left out, as `git rebase` does. Commits
 * whose change is there already disappear; those that need no change of parent are kept as they are. Commits that
 * `without` has are left out as well.
 */
export async function rebase(
  quarantine: Quarantine,
  options: { head: Sha; onto: Sha; committer: Person; maxCommits?: number; without?: Sha | null },
): Promise<RebaseResult> {
  const limit = options.maxCommits ?? 2_000;
  const query = {
    from: [options.head],
    not: [options.onto, ...(options.without ? [options.without] : [])],
    noMerges: true,
    order: 'topo' as const,
    limit: limit + 1,
  };
  const ids = [...(await logIds(quarantine.repo, query))].reverse();
  if (ids.length > limit) throw new GitError('limit', `more than ${limit} commits to rebase`);
  const commits: { from: Sha; to: Sha }[] = [];
  let onto = options.onto;
  for (const id of ids) {
    const commit = await commitOf(quarantine, id);
    if (commit.parents.length === 1 && commit.parents[0] === onto) {
      commits.push({ from: id, to: id });
      onto = id;
      continue;
    }
    const result = await cherryPick(quarantine, id, { onto, committer: options.committer });
    if (result.status === 'conflict') return { status: 'conflict', commit: id, merge: result.merge };
    if (result.status === 'empty') continue;
    commits.push({ from: id, to: result.id });
    onto = result.id;
  }
  return { status: 'done', id: onto, commits };
}

/** One commit with the merged result of a whole branch, on top of `onto`. */
export async function squash(
  quarantine: Quarantine,
  options: { head: Sha; onto: Sha; author: Person; committer: Person; message: string },
): Promise<CherryPickResult> {
  const merge = await mergeTree(quarantine, options.onto, options.head);
  if (!merge.clean) return { status: 'conflict', merge };
  const { author, committer, message } = options;
  const id = await createCommit(quarantine, {
    tree: merge.treeId,
    parents: [options.onto],
    author,
    committer,
    message,
  });
  return { status: 'done', id, treeId: merge.treeId };
}
