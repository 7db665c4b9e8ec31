/** Locked files of a project: whose they are, and taking a lock away. */
import { Button } from '@mantine/core';
import { useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type FileLock, locksKey, locksOf, unlock } from '../../lib/locks.ts';
import { sessionQuery } from '../../lib/session.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { level, useProject } from '../projects/useProject.ts';

export default function LocksPage() {
  const { page = 1 } = useSearch({ from: '/p/$path/path_locks' });
  const navigate = useNavigate({ from: '/p/$path/path_locks' });
  const { project, path, segment, ...view } = useProject();
  const { data } = useSuspenseQuery(locksOf(path, page));
  const { data: session } = useQuery(sessionQuery);
  const cache = useQueryClient();
  const isOwn = ({ owner }: FileLock) => owner !== null && owner.id === session?.user?.id;
  const leaving = useConfirmed(
    (lock: FileLock) => unlock(path, lock.id, !isOwn(lock)),
    () => cache.invalidateQueries({ queryKey: locksKey(path) }),
  );
  const mayUnlock = (lock: FileLock) =>
    !project.archived && view.level >= (isOwn(lock) ? level.developer : level.maintainer);
  return (
    <Page title={`Locked files · ${project.name_with_namespace}`} heading="Locked files">
      <FormError error={leaving.asked ? null : leaving.error} />
      {data.items.length === 0 ? (
        <EmptyState title="No file is locked">
          <Command text="git lfs lock design.psd" />
        </EmptyState>
      ) : (
        <DataList label="Locked files">
          {data.items.map((lock) => (
            <DataRow
              key={lock.id}
              title={
                <Link
                  to="/p/$path/blob/$"
                  params={{ path: segment, _splat: `${project.default_branch ?? 'main'}/${lock.path}` }}
                  data-entry
                >
                  {lock.path}
                </Link>
              }
              meta={
                <>
                  {lock.owner ? <UserChip user={lock.owner} /> : null}
                  <TimeAgo at={lock.locked_at} />
                </>
              }
              after={
                mayUnlock(lock) ? (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Unlock ${lock.path}`}
                    // Somebody else counts on theirs.
                    onClick={() => (isOwn(lock) ? leaving.act(lock) : leaving.ask(lock))}
                  >
                    Unlock
                  </Button>
                ) : null
              }
            />
          ))}
        </DataList>
      )}
      <Pager page={page} nextPage={data.nextPage} go={(next) => void navigate({ search: { page: next } })} />
      <ConfirmName
        {...leaving.dialog}
        title="Take the lock away"
        text={`${leaving.asked?.owner?.name ?? 'Somebody'} locked this file so that nobody else changes it. From now on others may.`}
        name={leaving.asked?.path ?? ''}
        action="Unlock"
      />
    </Page>
  );
}
