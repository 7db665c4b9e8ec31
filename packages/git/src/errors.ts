/** The one error type of this package: a code to branch on and, where git spoke, its bounded stderr. */

/**
 * `not_found` no such repository or object; `invalid` input refused before git started; `limit` a size limit was reached;
 * `timeout`, `aborted` the process was ended; `memory` it needed more than its budget allows; `busy` the queue of that class of work is full; `conflict` a reference has
 * another value than expected; `exists` it already exists; `not_commit` a branch would point at something else; `locked` its lock file is there; `directory_conflict` `a`
 * against `a/b`; `corrupt` bad objects; `missing` the repository is not where it should be; `storage_full` and
 * `storage_failed` its storage takes no more, or cannot be used; `unavailable` a program is missing; `failed` anything else git reported.
 */
export type GitErrorCode =
  | 'not_found'
  | 'invalid'
  | 'limit'
  | 'timeout'
  | 'aborted'
  | 'memory'
  | 'busy'
  | 'conflict'
  | 'exists'
  | 'locked'
  | 'directory_conflict'
  | 'not_commit'
  | 'corrupt'
  | 'missing'
  | 'storage_full'
  | 'storage_failed'
  | 'unavailable'
  | 'failed';

export class GitError extends Error {
  readonly code: GitErrorCode;
  /** What git wrote to stderr, at most 16 KB; not for end users: it holds paths. */
  readonly stderr: string;
  /** Exit code of git, or null when it was ended by a signal or never ran. */
  readonly exitCode: number | null;

  constructor(
    code: GitErrorCode,
    message: string,
    details: { stderr?: string; exitCode?: number | null; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'GitError';
    this.code = code;
    this.stderr = details.stderr ?? '';
    this.exitCode = details.exitCode ?? null;
  }
}

export function isGitError(error: unknown, ...codes: GitErrorCode[]): error is GitError {
  return error instanceof GitError && (codes.length === 0 || codes.includes(error.code));
}

/** Chooses a code from what git says when it fails; its messages are stable under LC_ALL=C. */
export function codeFromStderr(stderr: string): GitErrorCode {
  if (/^(prlimit|setpriv|flock): failed to execute/m.test(stderr)) return 'unavailable';
  if (/[Oo]ut of memory|Cannot allocate memory|(unable to create|cannot create async) thread/.test(stderr))
    return 'memory';
  if (/No space left on device|Disk quota exceeded|File too large/.test(stderr)) return 'storage_full';
  if (/Read-only file system|Input\/output error|Stale file handle/.test(stderr)) return 'storage_failed';
  if (/not a git repository|does not appear to be a git repository/i.test(stderr)) return 'missing';
  if (/\.lock': File exists/.test(stderr)) return 'locked';
  if (/trying to write non-commit object/.test(stderr)) return 'not_commit';
  if (/reference already exists/.test(stderr)) return 'exists';
  if (/is at [0-9a-f]{40} but expected|unable to resolve reference|reference is missing/.test(stderr))
    return 'conflict';
  if (
    /exists; cannot create|cannot process '.*' and '.*' at the same time|there (is|are) still refs under|there is a non-empty directory/.test(
      stderr,
    )
  ) {
    return 'directory_conflict';
  }
  if (/maximum allowed size/.test(stderr)) return 'limit';
  if (
    /bad object|not a valid object name|unknown revision|Not a valid (commit|object)|nonexistent object/i.test(stderr)
  )
    return 'not_found';
  if (/fsck error|did not receive expected object|corrupt|inflate|pack has bad|error in object/i.test(stderr))
    return 'corrupt';
  return 'failed';
}

const full = 'the storage of the repository is full';
const readOnly = 'the storage of the repository cannot be written: it is read-only';
const broken = 'the storage of the repository cannot be used';
const unavailable = 'git could not be started';
const missing = 'the repository is missing on its storage';

const messages: Partial<Record<GitErrorCode, string>> = {
  storage_full: full,
  storage_failed: broken,
  missing,
  unavailable,
};

/** What is said to people for the codes of storage and of programs that are missing; git's own words hold paths. */
export const storageMessage = (code: GitErrorCode): string | null => messages[code] ?? null;

/** The error of the file system as one of ours; null for everything else. */
export function storageError(error: unknown): GitError | null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOSPC':
    case 'EDQUOT':
    case 'EFBIG':
      return new GitError('storage_full', full, { cause: error });
    case 'EROFS':
    case 'EACCES':
    case 'EPERM':
      return new GitError('storage_failed', readOnly, { cause: error });
    case 'EIO':
    case 'ESTALE':
    case 'ENXIO':
    case 'ETIMEDOUT':
      return new GitError('storage_failed', broken, { cause: error });
    case 'ENOENT':
    case 'ENOTDIR':
      return new GitError('missing', missing, { cause: error });
    default:
      return null;
  }
}
