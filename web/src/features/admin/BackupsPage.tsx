/** Backups of the instance: schedule, progress, verification, and how to restore one. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { type Backup, backups, isKept } from '../../lib/backups.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { AdminFrame } from './AdminFrame.tsx';
import classes from './admin.module.css';
import { BackupRow } from './BackupRow.tsx';
import { BackupSchedule } from './BackupSchedule.tsx';

const pollEvery = 2_000;

export default function BackupsPage() {
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['backups', 'list'] });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery({
    ...backups(),
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ status }) => status === 'running')) ? pollEvery : false,
  });
  const found = data.pages.flatMap(({ items }) => items);
  const running = found.some(({ status }) => status === 'running');
  const latest = found.find(isKept);
  const start = useMutation({
    mutationFn: () => unwrap(client.POST('/admin/backups', { body: {} })),
    onSuccess: again,
  });
  const path = ({ id }: Backup) => ({ params: { path: { id } } });
  const cancel = useMutation({
    mutationFn: (backup: Backup) => unwrap(client.POST('/admin/backups/{id}/cancel', path(backup))),
    onSuccess: again,
  });
  const verify = useMutation({
    mutationFn: (backup: Backup) => unwrap(client.POST('/admin/backups/{id}/verify', path(backup))),
    onSuccess: again,
  });
  const removing = useConfirmed((backup: Backup) => unwrap(client.DELETE('/admin/backups/{id}', path(backup))), again);
  return (
    <AdminFrame
      title="Backups"
      wide
      actions={
        <Button size="xs" loading={start.isPending} disabled={running} onClick={() => start.mutate()}>
          Create backup
        </Button>
      }
    >
      <FormError error={start.error ?? cancel.error ?? verify.error} />
      {found.length === 0 ? (
        <EmptyState title="No backups yet">
          Create one now, or set a schedule below. People can keep working while a backup is created.
        </EmptyState>
      ) : (
        <DataList label="Backups">
          {found.map((backup) => (
            <BackupRow
              key={backup.id}
              backup={backup}
              cancel={() => cancel.mutate(backup)}
              verify={() => verify.mutate(backup)}
              remove={() => removing.ask(backup)}
            />
          ))}
        </DataList>
      )}
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
      {latest?.name ? (
        <>
          <h2>Restore</h2>
          <p>
            Run this command with an empty data directory or database, before the server is started for the first time.
          </p>
          <Command text={`millrace backup restore ${latest.name}`} />
        </>
      ) : null}
      <h2 className={classes.section}>Schedule</h2>
      <BackupSchedule />
      <ConfirmDialog
        {...removing.dialog}
        title="Delete backup"
        text="Deletes the backup and all files that no other backup needs. This cannot be undone."
        action="Delete backup"
      />
    </AdminFrame>
  );
}
