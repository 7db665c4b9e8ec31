/** A token that was just made: shown now and never again. */
import { Alert } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Command } from '../../ui/EmptyState.tsx';

export function FreshToken({ name, token, user }: { name: string; token: string; user?: string }) {
  const alert = useRef<HTMLDivElement>(null);
  // Whoever rotates a token far down the list must see it.
  useEffect(() => {
    if (token) alert.current?.scrollIntoView({ block: 'center' });
  }, [token]);
  return (
    <Alert ref={alert} variant="light" title={`Copy the token “${name}” now: it is not shown again`} role="status">
      {user ? (
        <p>
          Username <code>{user}</code>
        </p>
      ) : null}
      <Command text={token} label="Copy the token" />
    </Alert>
  );
}
