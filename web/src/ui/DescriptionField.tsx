/** What something is about, in a few lines. */
import { Textarea } from '@mantine/core';

interface Props {
  readonly value: string;
  change(text: string): void;
  reason(field: string): string | undefined;
}

export function DescriptionField({ value, change, reason }: Props) {
  return (
    <Textarea
      label="Description"
      name="description"
      autosize
      minRows={2}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      error={reason('description')}
    />
  );
}
