/** What people see when something does not exist or went wrong: the reason and the next step. */
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ErrorComponentProps, useLocation, useRouter } from '@tanstack/react-router';
import { ApiError } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { externalPath } from '../../lib/urls.ts';
import { LinkButton } from '../../ui/links.ts';
import classes from './Frame.module.css';

export function MissingPage() {
  const { data } = useQuery(sessionQuery);
  const location = useLocation({ select: (at) => at.pathname });
  return (
    <main className={classes.main}>
      <Title order={1}>Page not found</Title>
      <Text my="md">
        It does not exist, or you are not allowed to see it. Check the address, or sign in with another account.
      </Text>
      <Group>
        {data?.user ? (
          <LinkButton to="/">Your projects</LinkButton>
        ) : (
          <LinkButton to="/users/sign_in" search={{ return_to: externalPath(location) }} variant="filled">
            Sign in
          </LinkButton>
        )}
      </Group>
    </main>
  );
}

export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  if (error instanceof ApiError && error.status === 404) return <MissingPage />;
  const again = async () => {
    reset();
    await router.invalidate();
  };
  return (
    <main className={classes.main}>
      <Title order={1}>This did not work</Title>
      <Text my="md">{error instanceof Error ? error.message : String(error)}</Text>
      <Button variant="default" onClick={() => void again()}>
        Try again
      </Button>
    </main>
  );
}
