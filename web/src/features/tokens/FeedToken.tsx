/** The token that feed readers use: shown to its owner, made anew. */
import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import * as accounts from '../../lib/accounts.ts';
import { ApiError } from '../../lib/api.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { FormError } from '../../ui/FormError.tsx';
import classes from '../account/account.module.css';

export function FeedToken({ username }: { username: string }) {
  const { data, error } = useQuery(accounts.feedToken());
  const cache = useQueryClient();
  const make = useMutation({
    mutationFn: accounts.makeFeedToken,
    onSuccess: (made) => cache.setQueryData(accounts.feedToken().queryKey, made),
  });
  // Switched off for the whole instance.
  if (error instanceof ApiError && error.status === 403) return null;
  const token = data?.feed_token ?? null;
  return (
    <section className={classes.section} aria-label="Feed token">
      <h2>Feed token</h2>
      <Stack gap="md">
        <Text c="var(--mr-dim)">
          Gives feed readers access to your Atom feeds, and nothing else: <code>/{username}.atom</code>,{' '}
          <code>/dashboard/projects.atom</code>, and <code>.atom</code> after the URL of a project.
        </Text>
        <FormError error={error ?? make.error} />
        {token === null ? null : (
          <Group gap="xs" align="flex-end" wrap="nowrap">
            <PasswordInput flex={1} label="Feed token" readOnly value={token} autoComplete="off" />
            <CopyButton value={token} label="Copy the feed token" />
          </Group>
        )}
        <Group>
          {token === null ? (
            <Button variant="default" size="xs" loading={make.isPending} onClick={() => make.mutate()}>
              Create feed token
            </Button>
          ) : (
            <ConfirmButton
              title="Reset feed token"
              text="The current token stops working immediately. Feed readers need the new addresses."
              action="Reset feed token"
              run={() => make.mutateAsync()}
            />
          )}
        </Group>
      </Stack>
    </section>
  );
}
