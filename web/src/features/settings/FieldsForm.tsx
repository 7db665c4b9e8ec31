/** A part of the settings of a project or group that is a table of fields: switches, choices, texts and numbers. */
import { Checkbox, NativeSelect, NumberInput, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { durationText, secondsOf } from '../../lib/time.ts';
import { FormError } from '../../ui/FormError.tsx';
import type { useForm } from '../../ui/forms.ts';
import { useProject } from '../projects/useProject.ts';
import { Save } from './Save.tsx';
import { type Change, useProjectForm } from './useProjectForm.ts';

type Value = string | number | boolean | null;

export interface Field<Key extends string = keyof Schemas['Project']> {
  readonly key: Key;
  readonly label: string;
  readonly help?: string;
  /** Days and durations are seconds for the API. */
  readonly kind:
    | 'switch'
    | 'text'
    | 'long text'
    | 'number'
    | 'days'
    | 'duration'
    | { readonly choice: Readonly<Record<string, string>> };
}

interface InputProps {
  readonly field: Field<string>;
  readonly value: Value;
  readonly change: (value: Value) => void;
  readonly error: string | undefined;
}

function FieldInput({ field, value, change, error }: InputProps) {
  const common = { label: field.label, description: field.help, error };
  if (field.kind === 'switch')
    return <Checkbox {...common} checked={value === true} onChange={(event) => change(event.currentTarget.checked)} />;
  if (field.kind === 'number' || field.kind === 'days') {
    const unit = field.kind === 'days' ? 86_400 : 1;
    return (
      <NumberInput
        {...common}
        allowDecimal={false}
        value={typeof value === 'number' ? value / unit : ''}
        onChange={(given) => change(given === '' ? null : Number(given) * unit)}
      />
    );
  }
  if (field.kind === 'duration') {
    const known = typeof value === 'number' ? durationText(value) : (value ?? '');
    return (
      <TextInput
        {...common}
        defaultValue={String(known)}
        // What cannot be read is sent as it is: the answer says so beside the field.
        onChange={({ currentTarget: { value: given } }) => change(secondsOf(given) ?? given)}
      />
    );
  }
  const text = typeof value === 'string' ? value : '';
  if (field.kind === 'text')
    return <TextInput {...common} value={text} onChange={(event) => change(event.currentTarget.value)} />;
  if (field.kind === 'long text')
    return (
      <Textarea {...common} autosize minRows={2} value={text} onChange={(event) => change(event.currentTarget.value)} />
    );
  return (
    <NativeSelect
      {...common}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      data={Object.entries(field.kind.choice).map(([key, label]) => ({ value: key, label }))}
    />
  );
}

interface TableProps {
  readonly title?: string;
  readonly fields: readonly Field<string>[];
  /** What is set now, by the names of the API. */
  readonly current: Readonly<Record<string, unknown>>;
  /** The form; `change` is read when it is sent. */
  readonly useSending: (change: () => Readonly<Record<string, Value>>) => ReturnType<typeof useForm>;
}

export function FieldTable({ title, fields, current, useSending }: TableProps) {
  const [changed, setChanged] = useState<Readonly<Record<string, Value>>>({});
  const currentOf = (field: Field<string>): Value => {
    const own = changed[field.key];
    return own === undefined ? ((current[field.key] as Value | undefined) ?? null) : own;
  };
  // What was emptied goes back to what is usual.
  const sending = useSending(() =>
    Object.fromEntries(Object.entries(changed).map(([key, value]) => [key, value === '' ? null : value])),
  );
  const input = (field: Field<string>) => (
    <FieldInput
      key={field.key}
      field={field}
      value={currentOf(field)}
      change={(value) => setChanged((before) => ({ ...before, [field.key]: value }))}
      error={sending.reason(field.key)}
    />
  );
  return (
    <form {...sending.form}>
      {title === undefined ? null : <h2>{title}</h2>}
      <FormError error={sending.error} />
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg" verticalSpacing="md" style={{ alignItems: 'end' }}>
          {fields.filter(({ kind }) => kind !== 'switch').map(input)}
        </SimpleGrid>
        <Stack gap={10}>{fields.filter(({ kind }) => kind === 'switch').map(input)}</Stack>
        <Save pending={sending.pending} done={sending.done} />
      </Stack>
    </form>
  );
}

const useOfProject: TableProps['useSending'] = (change) => useProjectForm(() => change() as Change);

export function FieldsForm({ title, fields }: { title: string; fields: readonly Field[] }) {
  const { project } = useProject();
  return <FieldTable title={title} fields={fields} current={project} useSending={useOfProject} />;
}
