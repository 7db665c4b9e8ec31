/** The only code that starts git: typed functions over bare repositories, with limits, streams and caches. */
export { type ArchiveFormat, archive } from './archive.ts';
export { type BlameGroup, blame } from './blame.ts';
export {
  createGit,
  type Git,
  type GitOptions,
  openRepository,
  type Repo,
  sharedWork,
  withCaller,
  withSignal,
} from './context.ts';
export { changedFiles, commitDiff, type DiffOptions, diff, mailStream, patchStream } from './diff/diff.ts';
export {
  DEFAULT_DIFF_LIMITS,
  type DiffLimits,
  type FileDiff,
  type FileStatus,
  type ParsedDiff,
  WHOLE_DIFF_LIMITS,
} from './diff/parse.ts';
export { patchId } from './diff/patch-id.ts';
export { GitError, type GitErrorCode, isGitError, storageError, storageMessage } from './errors.ts';
export { type Contributor, contributors } from './history/contributors.ts';
export {
  type ChangedBlob,
  changedBlobs,
  differingPaths,
  type IntroducedPath,
  introducedBlobs,
  introducedLargeFile,
  introducedPaths,
  touchedPaths,
} from './history/introduced.ts';
export { type IntroducedLine, introducedLines } from './history/introduced-lines.ts';
export { type KnownEntries, knownLastCommits, lastCommitOf, lastCommitsOf } from './history/last-commits.ts';
export { countCommits, type LogQuery, log, logIds, newCommits } from './history/log.ts';
export { type HistoryRange, rangesWith } from './history/ranges.ts';
export { aheadBehind, ancestorsAmong, isAncestor, mergeBase, mergeBaseOf } from './history/relations.ts';
export { commitStats, diffStats, type LineStats } from './history/stats.ts';
export { type MergeConflict, mergeConflicts } from './merge/conflicts.ts';
export { type ConflictedStage, type MergeResult, mergeTree, surelyMerges } from './merge/merge-tree.ts';
export {
  type CherryPickResult,
  type CherryPickRevertOptions,
  cherryPick,
  type RebaseResult,
  rebase,
  revert,
  squash,
} from './merge/rebase.ts';
export { type FoundLines, type GrepOptions, grep } from './objects/grep.ts';
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
  type CommitStamp,
  createQuarantine,
  discardQuarantine,
  migrateQuarantine,
  type Quarantine,
  quarantineBytes,
} from './objects/quarantine.ts';
export { quarantinedBlobs, type SmallBlob } from './objects/quarantined-blobs.ts';
export {
  type Blob,
  blobHash,
  readBlob,
  readCommit,
  readCommits,
  readHeader,
  readObject,
  readTag,
  readTree,
  streamBlob,
} from './objects/read.ts';
export { type Signed, signedCommit, signedTag } from './objects/signed.ts';
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
export { checkWritten } from './objects/written-rules.ts';
export type { ObjectHeader, RawObject } from './process/cat-file.ts';
export { canGuard, type Guard, guarded } from './process/guard.ts';
export {
  type BudgetName,
  type Caller,
  DEFAULT_BUDGETS,
  type GitBudget,
  type GitBudgets,
  type GitTimeouts,
} from './process/limiter.ts';
export { createSpawner, type SpawnCommand, type Spawned, type Spawner } from './process/spawner.ts';
export { branchesMergedInto, hasRefs, refsContaining } from './refs/containing.ts';
export { defaultBranch, headRef, readHead, readRef, setDefaultBranch } from './refs/files.ts';
export { compareVersions, type ListedRef, listRefs, type RefPage, type RefQuery, searchMatcher } from './refs/list.ts';
export { movesAlone } from './refs/move.ts';
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
export { advanceSnapshot, type RefEntry, type RefsSnapshot, refNamed, refsSnapshot } from './refs/snapshot.ts';
export {
  type RefMover,
  type RefResult,
  type RefUpdate,
  startRefMover,
  updateRefs,
  updateRefsSeparately,
} from './refs/update.ts';
export {
  copyRepository,
  diskSize,
  type Found,
  type InitOptions,
  initRepository,
  moveRepository,
  removeRepository,
  repositoriesBelow,
  repositoryExists,
  setAside,
} from './repository/lifecycle.ts';
export {
  type FsckReport,
  fsck,
  gitVersion,
  maintain,
  packRefs,
  prune,
  prunedSince,
  type RepackOptions,
  repack,
  type StoreCounts,
  storeCounts,
  tend,
  writeCommitGraph,
} from './repository/maintenance.ts';
export { type Snapshot, snapshotRepository } from './repository/snapshot.ts';
export {
  clean,
  type Leftover,
  listLocks,
  listQuarantines,
  removeStaleLocks,
  removeStaleObjects,
  removeStaleQuarantines,
} from './repository/sweep.ts';
export {
  protocolVersion,
  receivePackAdvertisement,
  serviceHeader,
  uploadPackAdvertisement,
} from './transfer/advertise.ts';
export { type Bundle, createBundle, readBundle } from './transfer/bundle.ts';
export { carryCommit } from './transfer/fetch-local.ts';
export { checkConnectivity, type Ingested, type IngestOptions, ingestPack } from './transfer/ingest.ts';
export { answerLsRefs, fetchWants, parseV2Request, type V2Request } from './transfer/ls-refs.ts';
export { createPack, currentRefs, existingObjects } from './transfer/pack.ts';
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
export { fetchAll, type Offer, readFetched, readOffer, uploadPackAnswers } from './transfer/remote.ts';
export { pushHead, type RemoteCommand, readPushReport, receivePackAnswers } from './transfer/remote-push.ts';
export { checkedPackets, createRequestReader, type RequestReader } from './transfer/requests.ts';
export { uploadArchive } from './transfer/upload-archive.ts';
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
