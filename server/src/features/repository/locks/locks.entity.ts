/** Locks of files and folders as the API shows them. */
import type { Static } from 'typebox';
import { Entity, Flag, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { UserReference, type userReference } from '../../identity/index.ts';
import type { PathLock } from './locks.queries.ts';

export const PathLockEntity = Entity('PathLock', {
  id: Id(),
  path: Text({ description: 'File or folder that nobody else may change' }),
  lfs: Flag({
    description: 'Whether it is a lock of Git LFS: it counts on every branch, others on the default branch',
  }),
  locked_at: Timestamp(),
  owner: Nullable(UserReference),
});

export const lockJson = (
  lock: PathLock,
  owner: ReturnType<typeof userReference> | null,
): Static<typeof PathLockEntity> => ({
  id: lock.id,
  path: lock.path,
  lfs: lock.lfs,
  locked_at: lock.created_at,
  owner,
});
