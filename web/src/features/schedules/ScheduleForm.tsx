/** The fields of a pipeline schedule: when, for which ref, and with which inputs and variables. */
import { Checkbox, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type Schedule, saveSchedule, saveScheduleVariables, schedulesKey } from '../../lib/schedules.ts';
import { Autocomplete } from '../../ui/Choices.tsx';
import { FormActions } from '../../ui/FormActions.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { RefPicker } from '../files/RefPicker.tsx';
import { InputFields, shownValue } from '../pipelines/InputFields.tsx';
import { VariableFields } from '../pipelines/VariableFields.tsx';
import { filled, type VariableRow } from '../pipelines/VariableRows.tsx';
import { useProject } from '../projects/useProject.ts';

const intervals = [
  { value: '0 4 * * *', label: 'Every day (at 4:00)' },
  { value: '0 4 * * 0', label: 'Every week (Sunday at 4:00)' },
  { value: '0 4 1 * *', label: 'Every month (on the 1st at 4:00)' },
];
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

/** Branches and tags are kept by their full name; the picker shows the short one. */
const shortRef = (ref: string) => ref.replace(/^refs\/(?:heads|tags)\//, '');

export function ScheduleForm({ schedule }: { schedule?: Schedule }) {
  const { project, path, parts, segment } = useProject();
  const [values, setValues] = useState({
    description: schedule?.description ?? '',
    ref: schedule?.ref ?? project.default_branch ?? 'main',
    cron: schedule?.cron ?? '0 4 * * *',
    cron_timezone: schedule?.cron_timezone ?? ownZone(),
    active: schedule?.active ?? true,
    queue_priority: schedule?.queue_priority ?? ('normal' as const),
  });
  const set = (part: Partial<typeof values>) => setValues((before) => ({ ...before, ...part }));
  const before = schedule?.variables ?? [];
  const [rows, setRows] = useState<readonly VariableRow[]>(() =>
    before.map(({ key, value }, index) => ({ at: index + 1, key, value })),
  );
  const [given, setGiven] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries((schedule?.inputs ?? []).map(({ name, value }) => [name, shownValue(value)])),
  );
  const [settled] = useDebouncedValue(given, 300);
  const declared = useQuery({
    ...parts.declared(shortRef(values.ref), settled),
    placeholderData: keepPreviousData,
    retry: false,
  });
  // One that was created before its variables were refused is not created again.
  const made = useRef(schedule?.id ?? null);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const leave = () => navigate({ to: '/p/$path/pipeline_schedules', params: { path: segment } });
  const sending = useForm(async () => {
    const known = new Set((declared.data?.inputs ?? []).map(({ name }) => name));
    const inputs = Object.entries(given).map(([name, value]) =>
      declared.data === undefined || known.has(name) ? { name, value } : { name, destroy: true },
    );
    made.current = await saveSchedule(path, made.current, { ...values, inputs });
    await saveScheduleVariables(path, made.current, before, filled(rows));
    await cache.invalidateQueries({ queryKey: schedulesKey(path) });
    await leave();
  });
  const interval = intervals.some(({ value }) => value === values.cron) ? values.cron : '';
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Description"
          required
          value={values.description}
          onChange={(event) => set({ description: event.currentTarget.value })}
          error={sending.reason('description')}
        />
        <NativeSelect
          label="Interval"
          value={interval}
          onChange={(event) => {
            const cron = event.currentTarget.value;
            if (cron) set({ cron });
          }}
          data={[...intervals, { value: '', label: 'Custom' }]}
        />
        <TextInput
          label="Cron expression"
          description="Minute, hour, day of the month, month, day of the week"
          required
          value={values.cron}
          onChange={(event) => set({ cron: event.currentTarget.value })}
          error={sending.reason('cron')}
        />
        <Autocomplete
          label="Time zone"
          required
          limit={50}
          data={zones}
          value={values.cron_timezone}
          onChange={(cron_timezone) => set({ cron_timezone })}
          error={sending.reason('cron_timezone')}
        />
        <div>
          <Text fw={500} size="sm" mb={4}>
            Branch or tag
          </Text>
          <RefPicker value={shortRef(values.ref)} choose={(ref) => set({ ref })} label="Run for branch or tag" />
          <FormError error={sending.reason('ref') ? new Error(sending.reason('ref')) : null} />
        </div>
        <InputFields
          inputs={declared.data?.inputs ?? []}
          given={given}
          change={(name, value) => setGiven((now) => ({ ...now, [name]: value }))}
        />
        {schedule && schedule.variables === undefined ? null : (
          <Stack gap="md" component="section" aria-label="Variables">
            <Title order={2} size="h4">
              Variables
            </Title>
            <VariableFields described={declared.data?.variables ?? []} rows={rows} change={setRows} />
          </Stack>
        )}
        <NativeSelect
          label="Queue priority"
          description="Which jobs of this project runners get first"
          value={values.queue_priority}
          onChange={(event) => set({ queue_priority: event.currentTarget.value as Schedule['queue_priority'] })}
          data={[
            { value: 'low', label: 'Low: after all other pipelines' },
            { value: 'normal', label: 'Normal' },
            { value: 'high', label: 'High: before all other pipelines (maintainers only)' },
          ]}
          error={sending.reason('queue_priority')}
        />
        <Checkbox
          label="Active"
          checked={values.active}
          onChange={(event) => set({ active: event.currentTarget.checked })}
        />
        <FormActions
          action={schedule ? 'Save changes' : 'Create schedule'}
          pending={sending.pending}
          cancel={() => void leave()}
        />
      </Stack>
    </form>
  );
}
