/** Which program asks, and what it could do. */
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AskedScope, AskingApplication } from '../../lib/consent.ts';
import { sessionQuery } from '../../lib/session.ts';
import classes from './oauth.module.css';

export function Asking({ application, scopes }: { application: AskingApplication; scopes: readonly AskedScope[] }) {
  const { data: session } = useQuery(sessionQuery);
  return (
    <Stack gap="sm">
      <Text>
        <strong>{application.name}</strong> wants to use your account <strong>@{session?.user?.username}</strong>.
      </Text>
      <Text c="var(--mr-dim)">
        {application.owner === null
          ? 'Registered by an administrator of this instance.'
          : `Registered by ${application.owner}, who is not acting for this instance.`}
      </Text>
      <Text>It could:</Text>
      <ul className={classes.scopes} aria-label="Permissions">
        {scopes.map((scope) => (
          <li key={scope.name}>
            {scope.meaning}
            <code>{scope.name}</code>
          </li>
        ))}
      </ul>
    </Stack>
  );
}
