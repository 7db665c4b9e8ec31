/** Personal access tokens: the list, making one (it is shown once), revoking one. */
import { ActionIcon, Alert, Button, Checkbox, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { Page } from '../../ui/Page.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';

const scopes = [
  { value: 'api', label: 'api', description: 'Everything that you may do' },
  { value: 'read_api', label: 'read_api', description: 'Everything that you may see' },
  { value: 'read_user', label: 'read_user', description: 'Your account' },
  { value: 'read_repository', label: 'read_repository', description: 'git clone and pull' },
  { value: 'write_repository', label: 'write_repository', description: 'git push too' },
] as const;
type Scope = (typeof scopes)[number]['value'];

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

function NewToken({ made }: { made: (token: Schemas['NewPersonalAccessToken']) => void }) {
  const [name, setName] = useState('');
  const [expires, setExpires] = useState(inDays(90));
  const [chosen, setChosen] = useState<Scope[]>(['api']);
  const sending = useForm(async () => {
    const token = await unwrap(
      client.POST('/user/personal_access_tokens', { body: { name, scopes: chosen, expires_at: expires } }),
    );
    setName('');
    made(token);
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput
          label="Name"
          description="What it is for"
          required
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={sending.reason('name')}
        />
        <TextInput
          label="Expires"
          type="date"
          required
          value={expires}
          onChange={(event) => setExpires(event.currentTarget.value)}
          error={sending.reason('expires_at')}
        />
        <Checkbox.Group
          label="Scopes"
          value={chosen}
          onChange={(value) => setChosen(value as Scope[])}
          error={sending.reason('scopes')}
        >
          <Stack gap={6} mt={6}>
            {scopes.map((scope) => (
              <Checkbox key={scope.value} {...scope} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Group>
          <Button type="submit" loading={sending.pending} disabled={chosen.length === 0}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

export default function TokensPage() {
  const { data: tokens } = useSuspenseQuery(data.accessTokens());
  const [fresh, setFresh] = useState<Schemas['NewPersonalAccessToken'] | null>(null);
  const [leaving, setLeaving] = useState<Schemas['PersonalAccessToken'] | null>(null);
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['access-tokens'] });
  const revoke = useMutation({
    mutationFn: (id: number) => unwrap(client.DELETE('/personal_access_tokens/{id}', { params: { path: { id } } })),
    async onSuccess() {
      setLeaving(null);
      await again();
    },
  });
  return (
    <Page title="Access tokens" narrow>
      <Stack gap="lg">
        <Text c="var(--mr-dim)">A token is the password for git over HTTP and for the API.</Text>
        {fresh ? (
          <Alert variant="light" title={`Copy the token “${fresh.name}” now: it is not shown again`} role="status">
            <Command text={fresh.token} label="Copy the token" />
          </Alert>
        ) : null}
        <NewToken
          made={(token) => {
            setFresh(token);
            void again();
          }}
        />
        <Title order={2}>Your tokens</Title>
        {tokens.length === 0 ? (
          <EmptyState title="No tokens yet">Create one above to push over HTTP.</EmptyState>
        ) : (
          <DataList label="Tokens">
            {tokens.map((token) => (
              <DataRow
                key={token.id}
                title={token.name}
                meta={
                  <>
                    <span>{token.scopes.join(', ')}</span>
                    <span>
                      used <TimeAgo at={token.last_used_at} />
                    </span>
                    {token.expires_at ? <span>until {token.expires_at}</span> : null}
                  </>
                }
                after={
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    size={30}
                    aria-label={`Revoke ${token.name}`}
                    onClick={() => setLeaving(token)}
                  >
                    <IconTrash size={16} />
                  </ActionIcon>
                }
              />
            ))}
          </DataList>
        )}
      </Stack>
      <ConfirmName
        opened={leaving !== null}
        title="Revoke token"
        text="Whatever uses it can no longer sign in."
        name={leaving?.name ?? ''}
        action="Revoke token"
        pending={revoke.isPending}
        error={revoke.error}
        close={() => setLeaving(null)}
        confirm={() => leaving && revoke.mutate(leaving.id)}
      />
    </Page>
  );
}
