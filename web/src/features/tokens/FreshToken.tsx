/** A token that was just made: shown now and never again. */
import { Alert } from '@mantine/core';
import { Command } from '../../ui/EmptyState.tsx';

export function FreshToken({ name, token, user }: { name: string; token: string; user?: string }) {
  return (
    <Alert variant="light" title={`Copy the token “${name}” now: it is not shown again`} role="status">
      {user ? (
        <p>
          User name <code>{user}</code>
        </p>
      ) : null}
      <Command text={token} label="Copy the token" />
    </Alert>
  );
}
