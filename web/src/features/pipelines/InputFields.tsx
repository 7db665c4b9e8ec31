/** Fields for the inputs that a configuration declares, each as its type asks for. */
import { TextInput } from '@mantine/core';
import type { DeclaredInput } from '../../lib/data.ts';
import { Select } from '../../ui/Choices.tsx';

interface InputFieldsProps {
  readonly inputs: readonly DeclaredInput[];
  /** What was entered; an input that is not in it has its default. */
  readonly given: Readonly<Record<string, string>>;
  change(name: string, value: string): void;
}

export const shownValue = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

export function InputFields({ inputs, given, change }: InputFieldsProps) {
  return inputs.map((input) => (
    <InputField
      key={input.name}
      input={input}
      value={given[input.name] ?? shownValue(input.default)}
      change={(value) => change(input.name, value)}
    />
  ));
}

interface InputFieldProps {
  readonly input: DeclaredInput;
  readonly value: string;
  change(value: string): void;
}

function InputField({ input, value, change }: InputFieldProps) {
  const shared = {
    label: input.name,
    description: hintOf(input),
    required: input.required,
    inputWrapperOrder: ['label', 'input', 'description', 'error'] as ('label' | 'input' | 'description' | 'error')[],
  };
  const choices = input.type === 'boolean' ? ['true', 'false'] : input.type === 'array' ? null : input.options;
  if (choices) {
    const data = [...new Set(choices.map(shownValue))];
    return (
      <Select
        {...shared}
        data={data}
        value={data.includes(value) ? value : null}
        allowDeselect={false}
        onChange={(chosen) => change(chosen ?? '')}
      />
    );
  }
  return (
    <TextInput
      {...shared}
      value={value}
      {...(input.type === 'number' ? { inputMode: 'decimal' as const } : {})}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}

/** What is said of it, and what its type wants. */
function hintOf({ description, type, regex, options }: DeclaredInput): string | undefined {
  const parts = [
    description,
    type === 'array' ? `A list as JSON: ${JSON.stringify(options?.slice(0, 3) ?? ['one', 'two'])}.` : null,
    type === 'number' ? 'A number.' : null,
    regex === null ? null : `Like ${regex}`,
  ].filter((part) => part !== null && part !== '');
  return parts.length > 0 ? parts.join(' · ') : undefined;
}
