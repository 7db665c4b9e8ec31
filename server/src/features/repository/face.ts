/** What other slices may ask of a project's repository. Every id is a full object id; refs are full names unless said otherwise. */
import type { Quarantine } from '@millrace/git';
import type { Caller, ProjectSubject } from '../../kernel/authz/subjects.ts';
import type { Db } from '../../kernel/db/index.ts';
import type { Project } from '../../kernel/db/rows.ts';
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

export interface MergeTry {
  /** Tree of the merge result; null when it has conflicts. */
  readonly tree: string | null;
  readonly conflicts: readonly string[];
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
  /** Three-way merge of two commits, with the conflicts by path. */
  merge(ours: string, theirs: string): Promise<MergeTry>;
  /** Where the objects go, for writers of this slice. */
  readonly quarantine: Quarantine;
}

/** A write that other slices ask for: objects are made in `build`, then the refs move together or not at all. */
export interface WriteRequest {
  readonly subject: ProjectSubject;
  readonly caller: Caller;
  readonly kind: 'push' | 'api' | 'merge';
  readonly pushOptions?: readonly string[];
  /** Runs under the repository's lock; the refs that it read are the refs that will be compared. */
  build(bench: Workbench): Promise<readonly RefChange[]>;
  /** Rows that must change together with the refs; runs in the transaction that records the facts. */
  within?(tx: Db): Promise<void>;
  /** Set where the caller's right to write was checked by other means (merging into a protected branch). */
  readonly authorised?: true;
}

export interface RepositoryAccess {
  /** Id of a branch's commit; null when there is no such branch. `branch` is the short name. */
  branch(project: RepositoryRow, branch: string): Promise<string | null>;
  /** Commit id of a branch, tag, full or short hash; null when it names no commit. */
  resolve(project: RepositoryRow, revision: string): Promise<string | null>;
  mergeBase(project: RepositoryRow, a: string, b: string): Promise<string | null>;
  isAncestor(project: RepositoryRow, ancestor: string, descendant: string): Promise<boolean>;
  /** Number of commits in `head` that `base` does not contain. */
  ahead(project: RepositoryRow, base: string, head: string): Promise<number>;
  /** Commits of `head` that `base` does not contain, newest first. */
  commitsBetween(
    subject: ProjectSubject,
    base: string,
    head: string,
    window: { skip: number; limit: number },
  ): Promise<CommitJson[]>;
  commit(subject: ProjectSubject, sha: string): Promise<CommitJson>;
  /** What a push brought: how many commits, and the title of the newest. `before` null: everything of the branch. */
  pushed(
    project: RepositoryRow,
    before: string | null,
    after: string,
  ): Promise<{ count: number; title: string | null }>;
  diff(project: RepositoryRow, from: string, to: string): Promise<{ files: FileChange[]; overflow: boolean }>;
  changedPaths(project: RepositoryRow, from: string, to: string): Promise<string[]>;
  /** Text of a file at a commit; null when it does not exist, is no file, or is larger than `maximumBytes`. */
  readText(project: RepositoryRow, sha: string, path: string, maximumBytes: number): Promise<string | null>;
  /** All file paths at a commit. */
  listPaths(project: RepositoryRow, sha: string): Promise<string[]>;
  /** The trial merge, without anything kept. */
  tryMerge(project: RepositoryRow, ours: string, theirs: string): Promise<MergeTry>;
  isProtected(project: RepositoryRow, branch: string): Promise<boolean>;
  mayPush(subject: ProjectSubject, caller: Caller, branch: string): Promise<boolean>;
  mayMerge(subject: ProjectSubject, caller: Caller, branch: string): Promise<boolean>;
  write(request: WriteRequest): Promise<void>;
  /**
   * Points a ref of the service (`refs/merge-requests/...`, `refs/pipelines/...`) at a commit; no facts, no policy.
   * Clients see it once `handle`, a transaction or the database, has committed.
   */
  keepRef(handle: Db, project: RepositoryRow, ref: string, sha: string | null): Promise<void>;
}
