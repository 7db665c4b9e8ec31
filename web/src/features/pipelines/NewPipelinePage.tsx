/** Starting a pipeline for a branch or tag, with inputs and variables. */
import { ActionIcon, Button, Stack, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconTrash } from '@tabler/icons-react';
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
import classes from './pipelines.module.css';

interface Row {
  readonly at: number;
  readonly key: string;
  readonly value: string;
}

export default function NewPipelinePage() {
  const { project, path, parts, segment, level: own } = useProject();
  if (own < level.developer) throw forbidden();
  const [ref, setRef] = useState(project.default_branch ?? 'main');
  const [rows, setRows] = useState<readonly Row[]>([]);
  const [given, setGiven] = useState<Readonly<Record<string, string>>>({});
  // What was entered decides on the options of other inputs.
  const [settled] = useDebouncedValue(given, 300);
  const declared = useQuery({ ...parts.declaredInputs(ref, settled), placeholderData: keepPreviousData, retry: false });
  const inputs = declared.data ?? [];
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
          variables: rows.filter((row) => row.key !== '').map(({ key, value }) => ({ key, value })),
        },
      }),
    );
    await navigate({ to: '/p/$path/pipelines/$id', params: { path: segment, id: String(pipeline.id) } });
  });
  const change = (at: number, part: Partial<Row>) =>
    setRows(rows.map((row) => (row.at === at ? { ...row, ...part } : row)));
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
          {rows.map((row) => (
            <div key={row.at} className={classes.variables}>
              <TextInput
                aria-label="Name of the variable"
                placeholder="NAME"
                value={row.key}
                onChange={(event) => change(row.at, { key: event.currentTarget.value })}
              />
              <TextInput
                aria-label="Value of the variable"
                placeholder="value"
                value={row.value}
                onChange={(event) => change(row.at, { value: event.currentTarget.value })}
              />
              <ActionIcon
                variant="subtle"
                color="gray"
                size={36}
                aria-label={`Remove ${row.key || 'the variable'}`}
                onClick={() => setRows(rows.filter((each) => each !== row))}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </div>
          ))}
          <div>
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} />}
              onClick={() => setRows([...rows, { at: (rows.at(-1)?.at ?? 0) + 1, key: '', value: '' }])}
            >
              Add variable
            </Button>
          </div>
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
