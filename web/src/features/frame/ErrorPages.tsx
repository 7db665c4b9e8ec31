/** What people see when something does not exist or went wrong: the reason and the next step. */
import { Button, Group, Text, Title } from '@mantine/core';
import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { ApiError } from '../../lib/api.ts';
import classes from './Frame.module.css';

export function MissingPage() {
  return (
    <main className={classes.main}>
      <Title order={1}>Page not found</Title>
      <Text my="md">It does not exist, or you are not allowed to see it. Check the address, or sign in with another account.</Text>
      <Group>
        <Button component={Link} to="/" variant="default">
          Your projects
        </Button>
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
