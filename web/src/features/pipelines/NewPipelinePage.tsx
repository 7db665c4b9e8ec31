/** Starting a pipeline for a branch or tag, with inputs and variables. */
import { Button, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { client, forbidden, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { InputFields } from './InputFields.tsx';
import { VariableFields } from './VariableFields.tsx';
import { filled, type VariableRow } from './VariableRows.tsx';

export default function NewPipelinePage() {
  const { project, path, parts, segment, level: own } = useProject();
  if (own < level.developer) throw forbidden();
  const [ref, setRef] = useState(project.default_branch ?? 'main');
  const [rows, setRows] = useState<readonly VariableRow[]>([]);
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  // What was entered decides on the options of other inputs.
  const [settled] = useDebouncedValue(given, 300);
  const declared = useQuery({ ...parts.declared(ref, settled), placeholderData: keepPreviousData, retry: false });
  const { inputs = [], variables = [] } = declared.data ?? {};
  const navigate = useNavigate();
  const sending = useForm(async () => {
    const pipeline = await unwrap(
      client.POST('/projects/{id}/pipeline', {
        params: { path: { id: path } },
        body: {
          ref,
          inputs: Object.fromEntries(
            Object.entries(given).filter(([name]) => inputs.some((input) => input.name === name)),
          ),
          variables: filled(rows),
        },
      }),
    );
    await navigate({ to: '/p/$path/pipelines/$id', params: { path: segment, id: String(pipeline.id) } });
  });
  return (
    <Page title={`Run pipeline · ${project.name_with_namespace}`} heading="Run pipeline" narrow>
      <form {...sending.form}>
        <FormError error={sending.error} />
        <Stack gap="md">
          <div>
            <RefPicker value={ref} choose={setRef} label="Run for branch or tag" />
          </div>
          <InputFields
            inputs={inputs}
            given={given}
            change={(name, value) => setGiven((before) => ({ ...before, [name]: value }))}
          />
          <VariableFields described={variables} rows={rows} change={setRows} />
          <div>
            <Button type="submit" loading={sending.pending}>
              Run pipeline
            </Button>
          </div>
        </Stack>
      </form>
    </Page>
  );
}
