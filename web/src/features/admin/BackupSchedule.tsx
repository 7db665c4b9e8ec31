/** When backups are created by themselves, and how many are kept. */
import { Button, NumberInput, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import { backupSchedule } from '../../lib/backups.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

export function BackupSchedule() {
  const cache = useQueryClient();
  const { data: saved } = useSuspenseQuery(backupSchedule());
  const [enabled, setEnabled] = useState(saved.enabled);
  const [schedule, setSchedule] = useState(saved.schedule);
  const [zone, setZone] = useState(saved.time_zone);
  const [keep, setKeep] = useState<string | number>(saved.keep);
  const sending = useForm(async () => {
    const body = { enabled, schedule, time_zone: zone, keep: Number(keep) };
    const next = await unwrap(client.PUT('/admin/backup_schedule', { body }));
    cache.setQueryData(backupSchedule().queryKey, next);
  });
  return (
    <form {...sending.form} aria-label="Backup schedule">
      <Stack gap="md">
        <FormError error={sending.error} />
        <Text size="sm">
          Backups are stored in <code>{saved.destination}</code> and are{' '}
          {saved.encrypted ? 'encrypted.' : 'not encrypted: set MILLRACE_BACKUP_PASSPHRASE to encrypt them.'}
        </Text>
        <Switch
          label="Create backups on a schedule"
          checked={enabled}
          onChange={(event) => setEnabled(event.currentTarget.checked)}
        />
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of month, month, day of week"
          required
          value={schedule}
          onChange={(event) => setSchedule(event.currentTarget.value)}
          error={sending.reason('schedule')}
        />
        <TextInput
          label="Time zone"
          required
          value={zone}
          onChange={(event) => setZone(event.currentTarget.value)}
          error={sending.reason('time_zone')}
        />
        <NumberInput
          label="Backups to keep"
          description="Older ones are deleted after each backup"
          min={1}
          max={1000}
          required
          value={keep}
          onChange={setKeep}
          error={sending.reason('keep')}
        />
        {saved.next_run_at ? (
          <Text size="sm">
            Next backup: <TimeAgo at={saved.next_run_at} />
          </Text>
        ) : null}
        <div>
          <Button type="submit" loading={sending.pending}>
            Save schedule
          </Button>
          {sending.done ? (
            <Text component="span" ml="sm" role="status">
              Saved
            </Text>
          ) : null}
        </div>
      </Stack>
    </form>
  );
}
