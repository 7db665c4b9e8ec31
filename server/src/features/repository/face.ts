/** What other slices may ask of a project's repository. Every id is a full object id; refs are full names unless said otherwise. */
import type { Readable } from 'node:stream';
import type { MergeConflict, Quarantine } from '@millrace/git';
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Project } from '../../kernel/db/rows.ts';
import type { OwnedPath } from './code-owners/owned-changes.ts';
import type { CommitJson } from './commits/commits.entity.ts';
import type { RefChange } from './writes/protection.ts';

/** The columns that locate a repository and version its refs. */
export type RepositoryRow = Pick<
  Project,
  'id' | 'repository_storage' | 'repository_path' | 'refs_generation' | 'default_branch'
>;

export interface FileChange {
  readonly old_path: string;
  readonly new_path: string;
  readonly a_mode: string;
  readonly b_mode: string;
  readonly diff: string;
  readonly new_file: boolean;
  readonly renamed_file: boolean;
  readonly deleted_file: boolean;
  readonly collapsed?: boolean;
  readonly too_large?: boolean;
  readonly generated_file: boolean | null;
}

export interface FilePatch {
  readonly old_path: string;
  readonly new_path: string;
  readonly deleted: boolean;
  /** Its hunks; null where there are none to be had: the file is binary or too large. */
  readonly diff: string | null;
}

export interface MergeTry {
  /** Tree of the merge result; null when it has conflicts. */
  readonly tree: string | null;
  readonly conflicts: readonly string[];
}

/** A file that collides, with the merged text and its markers, and the text of either side. */
export interface ConflictText {
  readonly path: string;
  readonly kind: MergeConflict['kind'];
  readonly message: string;
  readonly content: string | null;
  readonly ours: string | null;
  readonly theirs: string | null;
}

export interface Signature {
  readonly name: string;
  readonly email: string;
}

export interface NewCommit {
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly author: Signature;
  readonly committer: Signature;
}

/** Writing in a quarantine: nothing of it is seen by others before the refs have moved. */
export interface Workbench {
  commit(commit: NewCommit): Promise<string>;
  /** The tree of a commit with other text in some of its files, which are all there. */
  edit(commit: string, files: ReadonlyMap<string, string>): Promise<string>;
  /** Three-way merge of two commits, with the conflicts by path; `base` takes the place of their merge base. */
  merge(ours: string, theirs: string, base?: string | null): Promise<MergeTry>;
  /**
   * The merge of two commits with these texts in place of the files that collide, null to remove one; no tree where others
   * collide too. `base` takes the place of their merge base.
   */
  resolve(
    ours: string,
    theirs: string,
    files: ReadonlyMap<string, string | null>,
    base?: string | null,
  ): Promise<MergeTry>;
  /** Makes the commits of `head` that `without` does not have anew on top of `onto`; the last of them, null where they conflict. */
  rebase(head: string, onto: string, committer: Signature, without?: string | null): Promise<string | null>;
  /** Where the objects go, for writers of this slice. */
  readonly quarantine: Quarantine;
}

/** A write that other slices ask for: objects are made in `build`, then the refs move together or not at all. */
export interface WriteRequest<S = ProjectSubject> {
  readonly subject: S;
  readonly caller: Caller;
  readonly kind: 'push' | 'api' | 'merge';
  readonly pushOptions?: readonly string[];
  /** Runs under the repository's lock; the refs that it read are the refs that will be compared. */
  build(bench: Workbench): Promise<readonly RefChange[]>;
  /** Rows that must change together with the refs; runs in the transaction that records the facts. */
  within?(tx: Db): Promise<void>;
  /** Set where the caller's right to write was checked by other means (merging into a protected branch). */
  readonly authorised?: true;
  /** Whose change is merged: their locks do not stand in its way, nor those of the caller. */
  readonly author?: number | null;
  /** Set where the product chose the messages of the commits: rules about messages do not count. */
  readonly ownMessage?: boolean | undefined;
  /** Status where the caller may not write a ref; 403 unless given. */
  readonly refusedAs?: 400 | undefined;
}

/** Branches by their short names. */
export interface BranchPermissions {
  mayMerge(branch: string): boolean;
  isProtected(branch: string): boolean;
}

export interface RepositoryAccess {
  /** Id of a branch's commit; null when there is no such branch. `branch` is the short name. */
  branch(project: RepositoryRow, branch: string): Promise<string | null>;
  /** Commit id of a branch, tag, full or short hash; null when it names no commit. */
  resolve(project: RepositoryRow, revision: string): Promise<string | null>;
  mergeBase(project: RepositoryRow, a: string, b: string): Promise<string | null>;
  /** The commit that changed a file last, up to `sha`; null when there is no such file. */
  lastCommitOf(project: RepositoryRow, sha: string, path: string): Promise<string | null>;
  isAncestor(project: RepositoryRow, ancestor: string, descendant: string): Promise<boolean>;
  /** Short names of the branches that have a commit. */
  branchesWith(project: RepositoryRow, sha: string): Promise<string[]>;
  /** Number of commits that only `head` contains, and that only `base` does. */
  divergence(
    project: RepositoryRow,
    base: string,
    head: string,
  ): Promise<{ readonly ahead: number; readonly behind: number }>;
  /** Commits of `head` that `base` does not contain, newest first; all of them for null. */
  commitsBetween(
    subject: ProjectSubject,
    base: string | null,
    head: string,
    window: { skip: number; limit: number },
  ): Promise<CommitJson[]>;
  /** The same, where `base` is a commit of a relative; nothing is kept of it. */
  commitsBeyond(
    subject: ProjectSubject,
    base: { readonly project: RepositoryRow; readonly sha: string },
    head: string,
    limit: number,
  ): Promise<CommitJson[]>;
  commit(subject: ProjectSubject, sha: string): Promise<CommitJson>;
  /** For each range, in their order, whether `base..head` has the commit. */
  rangesWith(
    project: RepositoryRow,
    sha: string,
    ranges: readonly { readonly base: string | null; readonly head: string }[],
  ): Promise<boolean[]>;
  /** What a push brought: how many commits, and the title of the newest. `before` null: everything of the branch. */
  pushed(
    project: RepositoryRow,
    before: string | null,
    after: string,
  ): Promise<{ count: number; title: string | null }>;
  diff(
    project: RepositoryRow,
    from: string,
    to: string,
    /** `whole`: files are left out only where all together are too large. */
    options?: { readonly ignoreWhitespace?: boolean; readonly whole?: boolean },
  ): Promise<{ files: FileChange[]; overflow: boolean }>;
  /** The patch between two commits as git prints it. */
  rawDiff(project: RepositoryRow, from: string | null, to: string): Promise<Readable>;
  /** Commits as mails, the oldest first: those of a range, or `to` alone. */
  mails(project: RepositoryRow, from: string | null, to: string): Promise<Readable>;
  /** The files of a commit against its first parent. */
  diffOfCommit(project: RepositoryRow, sha: string): Promise<{ files: FileChange[]; overflow: boolean }>;
  /** Paths that a commit adds, changes and removes, against its first parent; a renamed file goes and comes. */
  changes(
    project: RepositoryRow,
    sha: string,
  ): Promise<{ added: readonly string[]; modified: readonly string[]; removed: readonly string[] }>;
  changedPaths(project: RepositoryRow, from: string, to: string): Promise<string[]>;
  /** What one file became between two commits, or what it was before, without lines of context; null where it is the same. */
  filePatch(
    project: RepositoryRow,
    from: string,
    to: string,
    path: string,
    side: 'old' | 'new',
  ): Promise<FilePatch | null>;
  /** How many files differ; a renamed one is one. */
  /** How many, with a plus where there are more than are shown. */
  changedFiles(project: RepositoryRow, from: string, to: string): Promise<string>;
  /** A hash of the changes between two commits: equal after a rebase that changes nothing else. */
  patchId(project: RepositoryRow, from: string, to: string): Promise<string>;
  /** Who owns files by the file CODEOWNERS of a commit; files that nobody owns are left out. */
  codeOwners(project: RepositoryRow, commit: string, paths: readonly string[]): Promise<readonly OwnedPath[]>;
  /** Message of an annotated tag, without its signature; null for a lightweight one and where there is none. */
  tagMessage(project: RepositoryRow, tag: string): Promise<string | null>;
  /** Text of a file at a commit; null when it does not exist, is no file, or is larger than `maximumBytes`. */
  readText(project: RepositoryRow, sha: string, path: string, maximumBytes: number): Promise<string | null>;
  /** The same, and the number of bytes of a file that is larger than `maximumBytes`. */
  textOrSize(project: RepositoryRow, sha: string, path: string, maximumBytes: number): Promise<string | number | null>;
  /** What descriptions of a kind start with, of the default branch or of the projects above; null where nothing says. */
  defaultTemplate(subject: ProjectSubject, kind: 'issues' | 'merge_requests'): Promise<string | null>;
  /** A configuration of pipelines that the instance offers to start with; null when it has none of that name. */
  ciTemplate(name: string): Promise<string | null>;
  /** All file paths at a commit. */
  listPaths(project: RepositoryRow, sha: string): Promise<string[]>;
  /** Whether two commits merge without conflicts; nothing is kept. */
  tryMerge(project: RepositoryRow, ours: string, theirs: string, base?: string | null): Promise<boolean>;
  /** What conflicts when two commits are merged, by file; the first thousand. `base` as for `tryMerge`. */
  conflicts(
    project: RepositoryRow,
    ours: string,
    theirs: string,
    base?: string | null,
  ): Promise<readonly MergeConflict[]>;
  /** The same with the texts of the files, as far as they are texts of at most so many bytes. */
  conflictTexts(
    project: RepositoryRow,
    ours: string,
    theirs: string,
    maximumBytes: number,
    base?: string | null,
  ): Promise<readonly ConflictText[]>;
  /**
   * A lock in the way of what `from..to` would bring to a branch; those of these people are not. Null where there is none.
   */
  lockInTheWay(
    subject: ProjectSubject,
    branch: string,
    range: { readonly from: string; readonly to: string },
    people: readonly number[],
  ): Promise<{ readonly lfs: boolean; readonly reason: string } | null>;
  /** What the rules of protected branches say to a caller, for questions about several branches. */
  branchPermissions(subject: ProjectSubject, caller: Caller): Promise<BranchPermissions>;
  /** Of a full ref: a branch that is named like a protected tag is not protected by it. */
  isProtected(project: RepositoryRow, ref: string): Promise<boolean>;
  mayPush(subject: ProjectSubject, caller: Caller, branch: string): Promise<boolean>;
  mayMerge(subject: ProjectSubject, caller: Caller, branch: string): Promise<boolean>;
  /** Whether a branch may be moved to what it is no ancestor of, by those who may push to it. */
  mayBeForced(project: RepositoryRow, branch: string): Promise<boolean>;
  /** Whether the caller may bring something to a full ref: push to or merge into a branch, create a tag. */
  mayUpdate(subject: ProjectSubject, caller: Caller, ref: string): Promise<boolean>;
  write(request: WriteRequest): Promise<void>;
  /**
   * Points a ref of the service (`refs/merge-requests/...`, `refs/pipelines/...`) at a commit; no facts, no policy.
   * Clients see it once `handle`, a transaction or the database, has committed.
   */
  keepRef(handle: Db, project: RepositoryRow, ref: string, sha: string | null): Promise<void>;
  keepRefs(handle: Db, project: RepositoryRow, refs: ReadonlyArray<{ ref: string; sha: string | null }>): Promise<void>;
  /** The same where the ref still is what the caller saw (null: it was not there); false where somebody was first. */
  advanceRef(handle: Db, project: RepositoryRow, ref: string, from: string | null, to: string): Promise<boolean>;
  /**
   * Makes a commit that no branch has and points a ref of the service at it; `make` says null where there is none. No
   * facts, no policy: nobody but pipelines sees it.
   */
  construct<T extends { readonly commit: string }>(
    project: RepositoryRow,
    ref: string,
    make: (bench: Workbench) => Promise<T | null>,
  ): Promise<T | null>;
  /** What a ref of the service points at now. */
  keptRef(project: RepositoryRow, ref: string): Promise<string | null>;
  /** Whether two projects are of one network of forks. */
  related(one: number, other: number): Promise<boolean>;
  /**
   * Brings a commit of another project with its history and large files; nothing to do where it is here. Whoever asks
   * makes a ref of the service for it at once.
   */
  carry(target: RepositoryRow, source: RepositoryRow, sha: string): Promise<void>;
}
