/** Locks of files as the API shows them. */
import type { Static } from 'typebox';
import { Entity, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { UserReference, type userReference } from '../../identity/index.ts';
import type { LfsLock } from './locks.queries.ts';

export const LfsFileLock = Entity('LfsFileLock', {
  id: Id(),
  path: Text({ description: 'File that nobody else may change' }),
  locked_at: Timestamp(),
  owner: Nullable(UserReference),
});

export const lockJson = (
  lock: LfsLock,
  owner: ReturnType<typeof userReference> | null,
): Static<typeof LfsFileLock> => ({
  id: lock.id,
  path: lock.path,
  locked_at: lock.created_at,
  owner,
});
