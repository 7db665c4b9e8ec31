/** Locked files and folders of a project: whose they are, and taking a lock away. */
import { Badge, Button, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { locksOf } from '../../lib/locks.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { UserChip } from '../../ui/UserChip.tsx';
import { useProject } from '../projects/useProject.ts';
import { useUnlocking } from './useUnlocking.tsx';

export default function LocksPage() {
  const { page = 1 } = useSearch({ from: '/p/$path/path_locks' });
  const navigate = useNavigate({ from: '/p/$path/path_locks' });
  const { project, path, segment } = useProject();
  const { data } = useSuspenseQuery(locksOf(path, page));
  const unlocking = useUnlocking();
  return (
    <Page title={`Locked files · ${project.name_with_namespace}`} heading="Locked files">
      <FormError error={unlocking.error} />
      {data.items.length === 0 ? (
        <EmptyState title="No locked files">
          <Text c="var(--mr-dim)">
            Lock files and folders of the default branch on their pages, or Git LFS files with the Git LFS client.
          </Text>
          {project.lfs_enabled === false ? null : <Command text="git lfs lock design.psd" />}
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
                  {lock.lfs ? (
                    <Badge size="sm" variant="default" title="Locked on every branch">
                      Git LFS
                    </Badge>
                  ) : null}
                  {lock.owner ? <UserChip user={lock.owner} /> : null}
                  <TimeAgo at={lock.locked_at} />
                </>
              }
              after={
                unlocking.mayUnlock(lock) ? (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Unlock ${lock.path}`}
                    onClick={() => unlocking.unlock(lock)}
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
      {unlocking.dialog}
    </Page>
  );
}
