/** Reading repositories, as the routes need it: revisions to commits, trees, files, refs. Implemented over packages/git. */
import type { Readable } from 'node:stream';
import type { RepositoryRow } from '../face.ts';

/** A commit as stored, with dates in their author's offset. */
export interface CommitData {
  readonly id: string;
  readonly parents: readonly string[];
  readonly title: string;
  readonly message: string;
  readonly author: PersonTime;
  readonly committer: PersonTime;
  readonly trailers: Readonly<Record<string, readonly string[]>>;
}
export interface PersonTime {
  readonly name: string;
  readonly email: string;
  /** ISO 8601 with milliseconds and offset. */
  readonly date: string;
}
export interface Stats {
  readonly additions: number;
  readonly deletions: number;
  readonly total: number;
}
export interface RefData {
  readonly name: string;
  /** The commit, through an annotated tag. */
  readonly commit: string;
  /** What the ref itself points at. */
  readonly target: string;
  readonly message: string | null;
  readonly taggedAt: Date | null;
}
export interface TreeItem {
  readonly id: string;
  readonly name: string;
  readonly type: 'tree' | 'blob' | 'commit';
  readonly path: string;
  readonly mode: string;
}
export interface BlobData {
  readonly id: string;
  readonly mode: string;
  readonly size: number;
}
export interface LogFilter {
  /** Start commits; all refs when null. */
  readonly from: readonly string[] | null;
  /** Names below which refs are left out of all refs. */
  readonly hidden?: readonly string[];
  readonly not?: readonly string[];
  /** Besides: what one of two commits has and the other not. */
  readonly either?: readonly [string, string];
  readonly path?: string | undefined;
  /** Commits that changed one of them. */
  readonly paths?: readonly string[];
  readonly follow?: boolean | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly author?: string | undefined;
  /** A part of the message, whatever its case. */
  readonly grep?: string | undefined;
  readonly firstParent?: boolean | undefined;
  readonly topological?: boolean | undefined;
  readonly skip: number;
  readonly limit: number;
}
/** Neighbouring lines of a file, at least one of which holds a text. */
export interface FoundLines {
  readonly path: string;
  /** Of the first line, from 1. */
  readonly startLine: number;
  readonly lines: readonly string[];
}
export type ArchiveFormat = 'tar.gz' | 'tgz' | 'gz' | 'tar.bz2' | 'tbz' | 'tbz2' | 'tb2' | 'bz2' | 'tar' | 'zip';

export interface ArchiveOptions {
  readonly format: ArchiveFormat;
  /** The directory that all files are below, with its slash. */
  readonly prefix: string;
  readonly path?: string | undefined;
  readonly exclude?: readonly string[];
  readonly signal: AbortSignal;
  /** Makes another tar of git's own; not for zip. */
  readonly rewrite?: (tar: Readable) => Readable;
}

export interface RepositoryReader {
  exists(project: RepositoryRow): Promise<boolean>;
  /** Commit of a branch, tag or hash; null when it names none. */
  resolve(project: RepositoryRow, revision: string): Promise<string | null>;
  branches(project: RepositoryRow): Promise<readonly RefData[]>;
  tags(project: RepositoryRow): Promise<readonly RefData[]>;
  /** By short name; null when there is none. */
  branch(project: RepositoryRow, name: string): Promise<RefData | null>;
  tag(project: RepositoryRow, name: string): Promise<RefData | null>;
  commit(project: RepositoryRow, sha: string): Promise<CommitData>;
  stats(project: RepositoryRow, sha: string): Promise<Stats>;
  log(project: RepositoryRow, filter: LogFilter): Promise<CommitData[]>;
  /** Names of refs that contain a commit. */
  containing(project: RepositoryRow, sha: string, kind: 'branch' | 'tag'): Promise<string[]>;
  /** Entries below a path; null when it is not a directory of the commit. */
  tree(project: RepositoryRow, sha: string, path: string, recursive: boolean): Promise<readonly TreeItem[] | null>;
  /** The file at a path; null when there is none. */
  blob(project: RepositoryRow, sha: string, path: string): Promise<BlobData | null>;
  blobContent(project: RepositoryRow, id: string, maximumBytes: number): Promise<Buffer | null>;
  blobStream(project: RepositoryRow, id: string, signal: AbortSignal): Promise<Readable>;
  /** Places in the files of a commit that hold a text, whatever its case; so many as are asked for, and time allows. */
  grep(project: RepositoryRow, sha: string, text: string, signal: AbortSignal): AsyncIterable<FoundLines>;
  /** Paths of the files of a commit, in their order. */
  paths(project: RepositoryRow, sha: string, signal: AbortSignal): AsyncIterable<string>;
  /** SHA-256 of the bytes of a blob, in hexadecimal; kept by its id. */
  contentHash(project: RepositoryRow, id: string, signal: AbortSignal): Promise<string>;
  lastCommitOf(project: RepositoryRow, sha: string, path: string): Promise<string | null>;
  mergeBase(project: RepositoryRow, a: string, b: string): Promise<string | null>;
  isAncestor(project: RepositoryRow, ancestor: string, descendant: string): Promise<boolean>;
  /** Which of these commits are in the history of another one: one walk for all of them. */
  ancestorsAmong(project: RepositoryRow, ids: readonly string[], descendant: string): Promise<ReadonlySet<string>>;
  /** Commits that only `head` has (ahead), and those that only `base` has (behind). */
  divergence(project: RepositoryRow, base: string, head: string): Promise<{ ahead: number; behind: number }>;
  archive(project: RepositoryRow, sha: string, options: ArchiveOptions): Promise<Readable>;
}
