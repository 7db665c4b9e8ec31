/** The day on which what is given ends; none when it is left empty. */
import { TextInput } from '@mantine/core';
import { inDays } from '../../lib/time.ts';

export function UntilField({ value, change }: { value: string; change: (day: string) => void }) {
  return (
    <TextInput
      label="Expires"
      type="date"
      min={inDays(1)}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
