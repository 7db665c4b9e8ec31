/** The password of whoever approves, where the project asks for it. */
import { PasswordInput } from '@mantine/core';

export default function VotePassword({ value, change }: { value: string; change(value: string): void }) {
  return (
    <PasswordInput
      aria-label="Your password"
      placeholder="Your password"
      autoComplete="current-password"
      size="xs"
      w={200}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
