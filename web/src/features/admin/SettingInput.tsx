/** The input of one application setting, by its kind. */
import { Anchor, Checkbox, Group, NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core';
import type { SettingField } from './settings-fields.gen.ts';
import { type Draft, draftOf, isDefault, sentValue, shownValue } from './settings-form.ts';

interface SettingInputProps {
  field: SettingField;
  draft: Draft;
  change: (draft: Draft) => void;
  error: string | undefined;
}

function hintOf({ min, max, kind }: SettingField): string {
  if (kind !== 'integer' && kind !== 'decimal') return '';
  const most = max !== undefined && max < 2 ** 31 ? ` to ${max}` : '';
  return min === undefined && most === '' ? '' : `, ${min ?? 0}${most === '' ? ' or more' : most}`;
}

export function SettingInput({ field, draft, change, error }: SettingInputProps) {
  const name = (
    <>
      <code>{field.name}</code>
      {hintOf(field)}
      {isDefault(field, sentValue(field, draft)) ? null : (
        <>
          . Changed; the default is {shownValue(field.fallback)}.{' '}
          <Anchor component="button" type="button" fz="inherit" onClick={() => change(draftOf(field, field.fallback))}>
            Use the default
          </Anchor>
        </>
      )}
    </>
  );
  const shared = { label: field.meaning, description: name, error, name: field.name };
  const typed = {
    ...shared,
    autoComplete: 'off',
    value: String(draft),
    onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value),
  };
  switch (field.kind) {
    case 'boolean':
      return (
        <Checkbox {...shared} checked={draft === true} onChange={(event) => change(event.currentTarget.checked)} />
      );
    case 'word':
    case 'level':
      return <NativeSelect {...typed} data={(field.allowed ?? []).map(String)} />;
    case 'words':
      return (
        <Checkbox.Group {...shared} value={[...(draft as readonly string[])]} onChange={change}>
          <Group gap="md" mt={6}>
            {(field.allowed ?? []).map((word) => (
              <Checkbox key={word} value={String(word)} label={String(word)} />
            ))}
          </Group>
        </Checkbox.Group>
      );
    case 'texts':
    case 'integers':
      return <Textarea {...typed} autosize minRows={2} />;
    case 'integer':
    case 'decimal':
      return <TextInput {...typed} inputMode="decimal" />;
    case 'text':
    case 'map':
      // An input of one line would drop the others.
      if (!field.secret && (field.max ?? 0) > 1_000) return <Textarea {...typed} autosize minRows={2} />;
      return field.secret ? <PasswordInput {...typed} /> : <TextInput {...typed} />;
  }
}
