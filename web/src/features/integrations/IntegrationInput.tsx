/** One attribute of an integration, by its type. */
import { NativeSelect, PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import type { IntegrationKind } from '../../lib/integrations.ts';

export type FieldValue = string | boolean;

interface IntegrationInputProps {
  readonly field: IntegrationKind['fields'][number];
  readonly value: FieldValue;
  /** The integration has settings here: a secret that is left empty stays. */
  readonly kept: boolean;
  readonly error: string | undefined;
  change(value: FieldValue): void;
}

export function IntegrationInput({ field, value, kept, error, change }: IntegrationInputProps) {
  const { name, type, secret, required, description, values, default: usual } = field;
  if (type === 'flag')
    return (
      <Switch
        label={description}
        checked={value === true}
        onChange={(event) => change(event.currentTarget.checked)}
        error={error}
      />
    );
  const shared = { label: description, value: String(value), error, name };
  if (type === 'choice')
    return (
      <NativeSelect
        {...shared}
        data={[
          { value: '', label: usual === null ? 'Default' : `Default (${String(usual).replaceAll('_', ' ')})` },
          ...(values ?? []).map((each) => ({ value: each, label: each.replaceAll('_', ' ') })),
        ]}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  if (secret)
    return (
      <PasswordInput
        {...shared}
        required={required && !kept}
        autoComplete="new-password"
        {...(kept ? { description: 'Leave empty to keep the current value' } : {})}
        onChange={(event) => change(event.currentTarget.value)}
      />
    );
  if (name === 'recipients')
    return (
      <Textarea {...shared} required={required} rows={3} onChange={(event) => change(event.currentTarget.value)} />
    );
  return <TextInput {...shared} required={required} onChange={(event) => change(event.currentTarget.value)} />;
}
