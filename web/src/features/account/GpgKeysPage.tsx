/** One's own GPG keys: adding one, removing one, revoking one. */
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import * as accounts from '../../lib/accounts.ts';
import { client, unwrap } from '../../lib/api.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { GpgKeyList } from '../profile/GpgKeyList.tsx';
import classes from './account.module.css';

const ways = {
  remove: {
    action: 'Remove key',
    text: 'Existing signatures stay verified; new ones will not be.',
    run: (id: number) => unwrap(client.DELETE('/user/gpg_keys/{key_id}', { params: { path: { key_id: id } } })),
  },
  revoke: {
    action: 'Revoke key',
    text: 'For a compromised key: all signatures made with it become unverified.',
    run: (id: number) => unwrap(client.POST('/user/gpg_keys/{key_id}/revoke', { params: { path: { key_id: id } } })),
  },
} as const;

interface Leaving {
  readonly id: number;
  readonly name: string;
  readonly way: keyof typeof ways;
}

export default function GpgKeysPage() {
  const { data: keys } = useSuspenseQuery(accounts.ownGpgKeys());
  const [key, setKey] = useState('');
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['user', 'gpg-keys'] });
  const sending = useForm(async () => {
    await unwrap(client.POST('/user/gpg_keys', { body: { key } }));
    setKey('');
    await again();
  });
  const leaving = useConfirmed(({ id, way }: Leaving) => ways[way].run(id), again);
  const named = ['key', 'fingerprint', 'primary_keyid'].map(sending.reason).find((reason) => reason !== undefined);
  const way = ways[leaving.asked?.way ?? 'remove'];
  return (
    <Page title="GPG keys" narrow>
      <Stack gap="lg">
        <Text c="var(--mr-dim)">Commits and tags signed with one of these keys are shown as verified.</Text>
        {keys.length === 0 ? (
          <EmptyState title="No GPG keys yet">
            <Text c="var(--mr-dim)">Run this command, then paste its output below.</Text>
            <Command text="gpg --armor --export you@example.com" />
          </EmptyState>
        ) : (
          <GpgKeyList
            keys={keys}
            after={({ id, primary_keyid: name }) => (
              <>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Revoke ${name}`}
                  onClick={() => leaving.ask({ id, name, way: 'revoke' })}
                >
                  Revoke
                </Button>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove ${name}`}
                  onClick={() => leaving.ask({ id, name, way: 'remove' })}
                >
                  Remove
                </Button>
              </>
            )}
          />
        )}
      </Stack>
      <section className={classes.section} aria-label="Add a GPG key">
        <h2>Add a GPG key</h2>
        <form {...sending.form}>
          <FormError error={named ? null : sending.error} />
          <Stack gap="md">
            <Textarea
              label="Public key"
              placeholder="-----BEGIN PGP PUBLIC KEY BLOCK-----"
              name="key"
              required
              autosize
              minRows={5}
              maxRows={12}
              spellCheck={false}
              classNames={{ input: classes.mono ?? '' }}
              value={key}
              onChange={(event) => setKey(event.currentTarget.value)}
              error={named}
            />
            <Group>
              <Button type="submit" loading={sending.pending}>
                Add key
              </Button>
            </Group>
          </Stack>
        </form>
      </section>
      <ConfirmName
        {...leaving.dialog}
        title={way.action}
        text={way.text}
        name={leaving.asked?.name ?? ''}
        action={way.action}
      />
    </Page>
  );
}
