/** What people see when a page does not exist, is not for them, or went wrong: the reason and the next step, in sentences. */
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery, useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useLocation, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../../lib/api.ts';
import { sessionQuery } from '../../lib/session.ts';
import { externalPath } from '../../lib/urls.ts';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';

type Kind = 'missing' | 'forbidden' | 'signed-out' | 'failed';

/** An address that names something in a way that nothing can be called (400) leads nowhere, too. */
function kindOf(error: unknown): Kind {
  const status = error instanceof ApiError ? error.status : null;
  if (status === 404 || status === 400) return 'missing';
  if (status === 403) return 'forbidden';
  return status === 401 ? 'signed-out' : 'failed';
}

const titles: Readonly<Record<Kind, string>> = {
  missing: 'Page not found',
  forbidden: 'Access denied',
  'signed-out': 'You are signed out',
  failed: 'Something went wrong',
};

/** Why it failed: a bug of the page has words for developers only. */
const causeOf = (error: unknown): string =>
  error instanceof ApiError
    ? error.message
    : 'This page could not be displayed because of an error in the application.';

function SignInLink() {
  const href = useLocation({ select: (at) => at.href });
  return (
    <LinkButton to="/users/sign_in" search={{ return_to: externalPath(href) }} variant="filled">
      Sign in
    </LinkButton>
  );
}

/** The reason and what to do next, without the page around it. */
export function ErrorBody({ error, again }: { error: unknown; again: () => void }): ReactNode {
  const { data } = useQuery(sessionQuery);
  const kind = kindOf(error);
  if (kind === 'failed')
    return (
      <>
        <Text mb="md">{causeOf(error)}</Text>
        <Button variant="default" size="xs" onClick={again}>
          Try again
        </Button>
      </>
    );
  const text = {
    missing: 'This page does not exist, or you do not have permission to view it. Check the address for typing errors.',
    forbidden: 'You do not have permission to view this page. Ask an owner or administrator for access.',
    'signed-out': 'Your session has ended. Sign in again to continue.',
  }[kind];
  return (
    <>
      <Text mb="md">
        {text}
        {data?.user || kind === 'signed-out' ? null : ' If you have an account, sign in.'}
      </Text>
      <Group>
        {data?.user && kind !== 'signed-out' ? <LinkButton to="/">Your projects</LinkButton> : <SignInLink />}
      </Group>
    </>
  );
}

export const titleOf = (error: unknown): string => titles[kindOf(error)];

/** Fetches anew what the page needs. */
export function useAgain(reset: () => void): () => void {
  const router = useRouter();
  const queryErrors = useQueryErrorResetBoundary();
  return () => {
    queryErrors.reset();
    reset();
    void router.invalidate();
  };
}

/** In place of the page that went wrong: the frame and the header of the project or group stay. */
export function ErrorPage({ error, reset }: ErrorComponentProps) {
  const again = useAgain(reset);
  return (
    <Page title={titleOf(error)}>
      <ErrorBody error={error} again={again} />
    </Page>
  );
}

/** In place of what stands below the heading and the tabs of one thing, which stay. */
export function ErrorPart({ error, reset }: ErrorComponentProps) {
  const again = useAgain(reset);
  return (
    <section aria-label={titleOf(error)}>
      <Title order={2} size="h4" mb="sm">
        {titleOf(error)}
      </Title>
      <ErrorBody error={error} again={again} />
    </section>
  );
}

const nowhere = new ApiError(404, '');

/** For addresses that no page has. */
export function MissingPage() {
  return (
    <Page title={titles.missing}>
      <ErrorBody error={nowhere} again={() => undefined} />
    </Page>
  );
}
