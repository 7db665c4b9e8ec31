/** A part of a project's settings that is a table of fields: switches, choices, texts and numbers. */
import { Checkbox, NativeSelect, NumberInput, SimpleGrid, Stack, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import { useProject } from '../projects/useProject.ts';
import { Save } from './Save.tsx';
import { type Change, useProjectForm } from './useProjectForm.ts';

type Value = string | number | boolean | null;

export interface Field {
  readonly key: keyof Schemas['Project'];
  readonly label: string;
  readonly help?: string;
  readonly kind: 'switch' | 'text' | 'long text' | 'number' | { readonly choice: Readonly<Record<string, string>> };
}

interface InputProps {
  readonly field: Field;
  readonly value: Value;
  readonly change: (value: Value) => void;
  readonly error: string | undefined;
}

function FieldInput({ field, value, change, error }: InputProps) {
  const common = { label: field.label, description: field.help, error };
  if (field.kind === 'switch')
    return <Checkbox {...common} checked={value === true} onChange={(event) => change(event.currentTarget.checked)} />;
  if (field.kind === 'number')
    return (
      <NumberInput
        {...common}
        allowDecimal={false}
        value={typeof value === 'number' ? value : ''}
        onChange={(given) => change(given === '' ? null : Number(given))}
      />
    );
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

export function FieldsForm({ title, fields }: { title: string; fields: readonly Field[] }) {
  const { project } = useProject();
  const [changed, setChanged] = useState<Readonly<Record<string, Value>>>({});
  const currentOf = (field: Field): Value => {
    const own = changed[field.key];
    return own === undefined ? ((project[field.key] as Value | undefined) ?? null) : own;
  };
  // What was emptied goes back to what is usual.
  const sent = () =>
    Object.fromEntries(Object.entries(changed).map(([key, value]) => [key, value === '' ? null : value]));
  const sending = useProjectForm(() => sent() as Change);
  const input = (field: Field) => (
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
      <h2>{title}</h2>
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
