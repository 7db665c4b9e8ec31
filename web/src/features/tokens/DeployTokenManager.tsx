/** Deploy tokens of a project or group: making one, the list, revoking. */
import { ActionIcon, Button, Checkbox, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../lib/api.ts';
import { inDays } from '../../lib/time.ts';
import type { DeployToken, DeployTokenSource } from '../../lib/tokens.ts';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { useForm } from '../../ui/forms.ts';
import { FreshToken } from './FreshToken.tsx';
import { RevokeToken } from './RevokeToken.tsx';
import { deployScopes } from './scopes.ts';

type Made = Schemas['NewDeployToken'];

function NewDeployToken({ source, made }: { source: DeployTokenSource; made: (token: Made) => void }) {
  const [values, setValues] = useState({ name: '', username: '', expires: '' });
  const [chosen, setChosen] = useState<string[]>(['read_repository']);
  const sending = useForm(async () => {
    const { name, username, expires } = values;
    const draft = { name, username: username || null, scopes: chosen, expires_at: expires || null };
    made(await source.create(draft));
    setValues({ name: '', username: '', expires: '' });
  });
  const field = (name: keyof typeof values) => ({
    value: values[name],
    onChange: (event: { currentTarget: HTMLInputElement }) =>
      setValues({ ...values, [name]: event.currentTarget.value }),
  });
  return (
    <form {...sending.form}>
      <FormError error={sending.error} />
      <Stack gap="md">
        <TextInput label="Name" required {...field('name')} error={sending.reason('name')} />
        <TextInput
          label="Username"
          description="Leave empty to generate one"
          autoComplete="off"
          {...field('username')}
          error={sending.reason('username')}
        />
        <TextInput
          label="Expires"
          description="Leave empty for no expiration"
          type="date"
          min={inDays(1)}
          {...field('expires')}
          error={sending.reason('expires_at')}
        />
        <Checkbox.Group label="Scopes" value={chosen} onChange={setChosen} error={sending.reason('scopes')}>
          <Stack gap={6} mt={6}>
            {deployScopes.map((scope) => (
              <Checkbox key={scope.value} {...scope} />
            ))}
          </Stack>
        </Checkbox.Group>
        <div>
          <Button type="submit" loading={sending.pending} disabled={chosen.length === 0}>
            Create deploy token
          </Button>
        </div>
      </Stack>
    </form>
  );
}

export function DeployTokenManager({ source }: { source: DeployTokenSource }) {
  const [fresh, setFresh] = useState<Made | null>(null);
  const cache = useQueryClient();
  const { data: tokens, error } = useQuery({ queryKey: source.key, queryFn: () => source.list() });
  const again = () => cache.invalidateQueries({ queryKey: source.key });
  const leaving = useConfirmed(({ id }: DeployToken) => source.revoke(id), again);
  return (
    <Stack gap="lg">
      <Text c="var(--mr-dim)">
        A username and password for servers that fetch code. Deploy tokens do not belong to a user.
      </Text>
      {fresh ? <FreshToken name={fresh.name} token={fresh.token} user={fresh.username} /> : null}
      <NewDeployToken
        source={source}
        made={(token) => {
          setFresh(token);
          void again();
        }}
      />
      <Title order={2}>Active deploy tokens</Title>
      <FormError error={error} />
      {tokens?.length === 0 ? <Text c="var(--mr-dim)">No deploy tokens.</Text> : null}
      {tokens && tokens.length > 0 ? (
        <DataList label="Deploy tokens">
          {tokens.map((token) => (
            <DataRow
              key={token.id}
              title={token.name}
              meta={
                <>
                  <code>{token.username}</code>
                  <span>{token.scopes.join(', ')}</span>
                  <span>{token.expires_at ? `until ${token.expires_at.slice(0, 10)}` : 'never expires'}</span>
                </>
              }
              after={
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={30}
                  aria-label={`Revoke ${token.name}`}
                  onClick={() => leaving.ask(token)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              }
            />
          ))}
        </DataList>
      ) : null}
      <RevokeToken kind="deploy token" text="Servers that use it lose access." leaving={leaving} />
    </Stack>
  );
}
