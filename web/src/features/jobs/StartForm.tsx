/** Starting a manual job: a question where the configuration asks one, and variables and inputs for this run. */
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Modal } from '../../ui/Modal.tsx';
import { InputFields } from '../pipelines/InputFields.tsx';
import { filled, type VariableRow, VariableRows } from '../pipelines/VariableRows.tsx';
import { useProject } from '../projects/useProject.ts';

type Job = Schemas['Job'];

/** Runs the job as it is; asks before where the configuration says so. */
export function PlayButton({ job, start }: { job: Job; start(): Promise<unknown> }) {
  const asking = useConfirmed((_asked: true) => start());
  return (
    <>
      <Button size="xs" onClick={() => (job.manual_confirmation ? asking.ask(true) : void start())}>
        Run
      </Button>
      <ConfirmDialog
        {...asking.dialog}
        title={`Run ${job.name}?`}
        text={job.manual_confirmation ?? ''}
        action="Run"
        danger={false}
      />
    </>
  );
}

/** Starts it, for the first time or again, with variables and inputs that are asked for. */
export function StartForm({ job, started }: { job: Job; started(next: Job): Promise<unknown> }) {
  const { path } = useProject();
  const [opened, setOpened] = useState(false);
  const [rows, setRows] = useState<readonly VariableRow[]>([]);
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  const first = job.status === 'manual' || job.status === 'scheduled';
  const sending = useForm(async () => {
    const params = { path: { id: path, job_id: job.id } };
    const body = { job_variables_attributes: filled(rows), job_inputs: { ...given } };
    const next = first
      ? await unwrap(client.POST('/projects/{id}/jobs/{job_id}/play', { params, body }))
      : await unwrap(client.POST('/projects/{id}/jobs/{job_id}/retry', { params, body }));
    setOpened(false);
    await started(next);
  });
  const inputs = (job.inputs ?? []).map((input) => ({
    ...input,
    required: false,
    regex: null,
    default: input.value,
  }));
  const what = inputs.length > 0 ? 'inputs or variables' : 'variables';
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {first ? `Run with ${what} …` : `Retry with ${what} …`}
      </Button>
      <Modal opened={opened} onClose={() => setOpened(false)} title={first ? `Run ${job.name}` : `Retry ${job.name}`}>
        <form {...sending.form}>
          <Stack gap="md">
            <FormError error={sending.error} />
            {first && job.manual_confirmation ? <Text>{job.manual_confirmation}</Text> : null}
            <InputFields
              inputs={inputs}
              given={given}
              change={(name, value) => setGiven((before) => ({ ...before, [name]: value }))}
            />
            <VariableRows rows={rows} change={setRows} />
            {first ? null : (
              <Text size="sm" c="dimmed">
                Variables given to the last run stay as they are unless you name them here.
              </Text>
            )}
            <div>
              <Button type="submit" loading={sending.pending}>
                {first ? 'Run' : 'Retry'}
              </Button>
            </div>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
