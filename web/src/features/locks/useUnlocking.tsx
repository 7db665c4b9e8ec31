/** Taking locks away: one's own at once, those of others when one is sure. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { locksKey, type PathLock, unlock } from '../../lib/locks.ts';
import { sessionQuery } from '../../lib/session.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { level, useProject } from '../projects/useProject.ts';

export interface Unlocking {
  mayUnlock(lock: PathLock): boolean;
  unlock(lock: PathLock): void;
  readonly pending: boolean;
  /** Why a lock stayed; in the dialog while that is open. */
  readonly error: Error | null;
  /** Asks before a lock of somebody else goes. */
  readonly dialog: ReactNode;
}

export function useUnlocking(): Unlocking {
  const { project, path, ...view } = useProject();
  const { data: session } = useQuery(sessionQuery);
  const cache = useQueryClient();
  const isOwn = ({ owner }: PathLock) => owner !== null && owner.id === session?.user?.id;
  const leaving = useConfirmed(
    (lock: PathLock) => unlock(path, lock.id, !isOwn(lock)),
    () => cache.invalidateQueries({ queryKey: locksKey(path) }),
  );
  return {
    mayUnlock: (lock) => !project.archived && view.level >= (isOwn(lock) ? level.developer : level.maintainer),
    // Somebody else counts on theirs.
    unlock: (lock) => (isOwn(lock) ? leaving.act(lock) : leaving.ask(lock)),
    pending: leaving.dialog.pending,
    error: leaving.asked ? null : leaving.error,
    dialog: (
      <ConfirmName
        {...leaving.dialog}
        title="Unlock file"
        text={`${leaving.asked?.owner?.name ?? 'Somebody'} locked this. Others will be able to change it.`}
        name={leaving.asked?.path ?? ''}
        action="Unlock"
      />
    ),
  };
}
