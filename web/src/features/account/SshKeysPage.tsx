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
          With a key, git over SSH asks for no password, and your signatures are recognised. Compare the{' '}
          <Anchor component={Link} to="/help/instance_configuration" underline="always" inherit>
            SSH host key fingerprints
          </Anchor>{' '}
          when ssh asks.
        </Text>
        {keys.length === 0 ? (
          <EmptyState title="No SSH keys yet">
            <Text c="var(--mr-dim)">Make one, then paste what the second command shows below.</Text>
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
        text="Whoever uses it can no longer sign in with it, and its signatures are no longer recognised."
        name={leaving.asked?.title ?? ''}
        action="Remove key"
      />
    </Page>
  );
}
