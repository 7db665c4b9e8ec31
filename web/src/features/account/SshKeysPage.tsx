/** One's own SSH keys: adding one, the list with fingerprints, removing one. */
import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import * as accounts from '../../lib/accounts.ts';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { SshKeyList } from '../profile/SshKeyList.tsx';
import classes from './account.module.css';
import { NewSshKey } from './NewSshKey.tsx';

export default function SshKeysPage() {
  const { data: keys } = useSuspenseQuery(accounts.ownSshKeys());
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['user', 'keys'] });
  const leaving = useConfirmed(
    ({ id }: Schemas['SSHKey']) => unwrap(client.DELETE('/user/keys/{key_id}', { params: { path: { key_id: id } } })),
    again,
  );
  return (
    <Page title="SSH keys" narrow>
      <Stack gap="lg">
        <Text c="var(--mr-dim)">
          With an SSH key, git needs no password, and commits that you sign with it are verified. Compare the{' '}
          <Anchor component={Link} to="/help/instance_configuration" underline="always" inherit>
            SSH host key fingerprints
          </Anchor>{' '}
          when ssh asks.
        </Text>
        {keys.length === 0 ? (
          <EmptyState title="No SSH keys yet">
            <Text c="var(--mr-dim)">Create one, then paste the output of the second command below.</Text>
            <Command text={'ssh-keygen -t ed25519\ncat ~/.ssh/id_ed25519.pub'} />
          </EmptyState>
        ) : (
          <SshKeyList
            keys={keys}
            after={(key) => (
              <Button size="xs" variant="default" aria-label={`Remove ${key.title}`} onClick={() => leaving.ask(key)}>
                Remove
              </Button>
            )}
          />
        )}
      </Stack>
      <section className={classes.section} aria-label="Add an SSH key">
        <h2>Add an SSH key</h2>
        <NewSshKey added={again} />
      </section>
      <ConfirmName
        {...leaving.dialog}
        title="Remove SSH key"
        text="It can no longer be used to authenticate, and its signatures are no longer verified."
        name={leaving.asked?.title ?? ''}
        action="Remove key"
      />
    </Page>
  );
}
