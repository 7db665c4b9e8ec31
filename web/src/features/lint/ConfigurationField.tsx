/** The text of a configuration, with suggestions: as it is typed, or on Ctrl Space. */
import { Input } from '@mantine/core';
import { CodeEditor } from '../../ui/code/CodeEditor.tsx';
import { completionAt, inserted } from './completion.ts';

interface Props {
  readonly value: string;
  readonly description: string | undefined;
  change(text: string): void;
  /** Ctrl Enter. */
  submit(): void;
}

function suggest(text: string, position: number) {
  const found = completionAt(text, position);
  return (
    found && {
      from: found.from,
      options: found.options.map((label) => ({ label, insert: inserted(text, position, found, label) })),
    }
  );
}

export function ConfigurationField({ value, description, change, submit }: Props) {
  return (
    <Input.Wrapper label="Configuration" description={description} descriptionProps={{ mb: 6 }} labelElement="div">
      <CodeEditor
        label="Configuration"
        path=".gitlab-ci.yml"
        rows={18}
        value={value}
        change={change}
        submit={submit}
        suggest={suggest}
      />
    </Input.Wrapper>
  );
}
