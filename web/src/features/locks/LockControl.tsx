/** Above a file or folder of the default branch: who has locked it, and a button that locks or unlocks it. */
import { Button, Text } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lock, lockOver, locksAt, locksKey } from '../../lib/locks.ts';
import { FormError } from '../../ui/FormError.tsx';
import type { Place } from '../files/refs.ts';
import { level, useProject } from '../projects/useProject.ts';
import classes from './locks.module.css';
import { useUnlocking } from './useUnlocking.tsx';

export function LockControl({ place }: { place: Place }) {
  const { project, path, ...view } = useProject();
  const cache = useQueryClient();
  const unlocking = useUnlocking();
  const { data: locks } = useQuery({
    ...locksAt(path, place.path),
    enabled: place.path !== '' && place.ref === project.default_branch,
  });
  const make = useMutation({
    mutationFn: () => lock(path, place.path),
    // Somebody else may have been first.
    onSettled: () => cache.invalidateQueries({ queryKey: locksKey(path) }),
  });
  if (!locks || place.path === '' || place.ref !== project.default_branch) return null;
  const found = lockOver(locks, place.path);
  const own = found?.path === place.path;
  const error = make.error ?? unlocking.error;
  return (
    <>
      {found ? (
        <Text span size="sm" c="var(--mr-dim)" className={classes.held}>
          <IconLock size={14} aria-hidden />
          Locked by {found.owner?.name ?? 'somebody'}
          {own ? null : (
            <>
              , with <code>{found.path}</code>
            </>
          )}
        </Text>
      ) : null}
      {found && own && unlocking.mayUnlock(found) ? (
        <Button
          size="xs"
          variant="default"
          loading={unlocking.pending}
          onClick={() => {
            make.reset();
            unlocking.unlock(found);
          }}
        >
          Unlock
        </Button>
      ) : null}
      {!found && !project.archived && view.level >= level.developer ? (
        <Button size="xs" variant="default" loading={make.isPending} onClick={() => make.mutate()}>
          Lock
        </Button>
      ) : null}
      {unlocking.dialog}
      {error ? (
        <div className={classes.refused}>
          <FormError error={error} />
        </div>
      ) : null}
    </>
  );
}
