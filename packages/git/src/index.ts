/** The only code that starts git: typed functions over bare repositories, with limits, streams and caches. */
export { type ArchiveFormat, archive } from './archive.ts';
export { type BlameGroup, blame } from './blame.ts';
export { createGit, type Git, type GitOptions, openRepository, type Repo, withCaller, withSignal } from './context.ts';
export { changedFiles, commitDiff, type DiffOptions, diff, mailStream, patchStream } from './diff/diff.ts';
export { DEFAULT_DIFF_LIMITS, type DiffLimits, type FileDiff, type FileStatus, type ParsedDiff } from './diff/parse.ts';
export { GitError, type GitErrorCode, isGitError } from './errors.ts';
export {
  type IntroducedPath,
  introducedLargeFile,
  introducedPaths,
} from './history/introduced.ts';
export { lastCommitOf, lastCommitsOf } from './history/last-commits.ts';
export { countCommits, type LogQuery, log, logIds, newCommits } from './history/log.ts';
export { aheadBehind, isAncestor, mergeBase, mergeBaseOf } from './history/relations.ts';
export { commitStats, diffStats, type LineStats } from './history/stats.ts';
export { type ConflictedStage, type MergeResult, mergeTree } from './merge/merge-tree.ts';
export {
  cherryPick,
  type RebaseResult,
  type ReplayOptions,
  type ReplayResult,
  rebase,
  revert,
  squash,
} from './merge/rebase.ts';
export {
  type Commit,
  type Ident,
  isoDate,
  parseTrailers,
  type Tag,
  type Trailer,
  type TreeEntry,
} from './objects/parse.ts';
export { writablePath } from './objects/paths.ts';
export {
  createQuarantine,
  discardQuarantine,
  migrateQuarantine,
  type Quarantine,
  quarantineBytes,
} from './objects/quarantine.ts';
export {
  type Blob,
  readBlob,
  readCommit,
  readCommits,
  readHeader,
  readObject,
  readTag,
  readTree,
  streamBlob,
} from './objects/read.ts';
export { listTree, lookupPath, type PathEntry, peelToCommit, splitPath, treeOf, walkTree } from './objects/tree.ts';
export {
  createTreeEditor,
  type TreeAction,
  TreeActionError,
  type TreeEditor,
  type TreeProblem,
} from './objects/tree-editor.ts';
export {
  commitBytes,
  createCommit,
  createTag,
  hashObject,
  type NewCommit,
  type NewTag,
  type NewTreeEntry,
  type Person,
  writeBlob,
  writeTree,
} from './objects/write.ts';
export type { ObjectHeader, RawObject } from './process/cat-file.ts';
export { type BudgetName, type Caller, DEFAULT_BUDGETS, type GitBudget, type GitBudgets } from './process/limiter.ts';
export { branchesMergedInto, refsContaining } from './refs/containing.ts';
export { defaultBranch, headRef, readHead, readRef, setDefaultBranch } from './refs/files.ts';
export { compareVersions, type ListedRef, listRefs, type RefPage, type RefQuery, searchMatcher } from './refs/list.ts';
export {
  branchNameProblem,
  branchRef,
  isCreatableRef,
  isWellFormed,
  type NameProblem,
  parseRefName,
  shortName,
  tagNameProblem,
  tagRef,
} from './refs/names.ts';
export { parseRevision, type ResolveOptions, type Revision, resolve, resolveCommit } from './refs/resolve.ts';
export { advanceSnapshot, type RefEntry, type RefsSnapshot, refsSnapshot } from './refs/snapshot.ts';
export { type RefResult, type RefUpdate, updateRefs, updateRefsSeparately } from './refs/update.ts';
export {
  copyRepository,
  diskSize,
  type InitOptions,
  initRepository,
  moveRepository,
  removeRepository,
  repositoryExists,
} from './repository/lifecycle.ts';
export {
  type FsckReport,
  fsck,
  gitVersion,
  maintain,
  packRefs,
  prune,
  type RepackOptions,
  repack,
  type StoreCounts,
  storeCounts,
  writeCommitGraph,
} from './repository/maintenance.ts';
export {
  type Leftover,
  listLocks,
  listQuarantines,
  removeStaleLocks,
  removeStaleQuarantines,
} from './repository/sweep.ts';
export {
  protocolVersion,
  receivePackAdvertisement,
  serviceHeader,
  uploadPackAdvertisement,
} from './transfer/advertise.ts';
export { checkConnectivity, type Ingested, type IngestOptions, ingestPack } from './transfer/ingest.ts';
export { answerLsRefs, fetchWants, parseV2Request, type V2Request } from './transfer/ls-refs.ts';
export {
  type CommandOutcome,
  drainPack,
  type PushCommand,
  type ReceiveLimits,
  type ReceiveRequest,
  readReceiveRequest,
  receiveKeepAlive,
  receiveMessage,
  receiveProgress,
  receiveReport,
} from './transfer/receive-pack.ts';
export { type UploadPackOptions, uploadPack, uploadPackSession } from './transfer/upload-pack.ts';
export {
  EMPTY_TREE,
  type FileMode,
  isSha,
  type ObjectType,
  parseSha,
  type RefName,
  type RepoPath,
  repoPath,
  type Sha,
  ZERO_SHA,
} from './types.ts';
