/** The password that somebody has, asked again before something important. */
import { PasswordField } from '../../ui/PasswordField.tsx';
import type { Fields } from '../../ui/TextField.tsx';

interface Props {
  readonly of: Fields<{ current_password: string }>;
  reason(field: string): string | undefined;
}

export function CurrentPassword({ of, reason }: Props) {
  return (
    <PasswordField
      of={of}
      reason={reason}
      name="current_password"
      label="Your password"
      w="100%"
      autoComplete="current-password"
    />
  );
}
