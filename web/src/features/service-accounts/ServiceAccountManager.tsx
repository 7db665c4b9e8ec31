/** Service accounts of a group or a project: making, renaming, their tokens, removing. */
import { ActionIcon, Stack, Text, Title } from '@mantine/core';
import { IconKey, IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ServiceAccount, type ServiceAccountPlace, serviceAccountsOf } from '../../lib/service-accounts.ts';
import { ConfirmName } from '../../ui/ConfirmName.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { Modal } from '../../ui/Modal.tsx';
import { personalScopes } from '../tokens/scopes.ts';
import { TokenManager } from '../tokens/TokenManager.tsx';
import { ServiceAccountForm } from './ServiceAccountForm.tsx';

/** What is about to happen to one of them. */
type Doing = { readonly what: 'edit' | 'tokens'; readonly account: ServiceAccount } | null;

export function ServiceAccountManager({ place }: { place: ServiceAccountPlace }) {
  const query = serviceAccountsOf(place);
  const { data: accounts, error } = useQuery(query);
  const [doing, setDoing] = useState<Doing>(null);
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: query.queryKey });
  const done = () => setDoing(null);
  const about = (what: 'edit' | 'tokens') => (doing?.what === what ? doing.account : null);
  const leaving = useConfirmed(({ id }: ServiceAccount) => place.remove(id), again);
  const [edited, holder] = [about('edit'), about('tokens')];
  const action = { variant: 'subtle', color: 'gray', size: 30 } as const;
  return (
    <Stack gap="lg">
      <Text c="var(--mr-dim)">
        Accounts for automation. They cannot sign in, only use access tokens, and can be members of{' '}
        {place.noun === 'group' ? 'this group and of everything in it' : 'this project'}.
      </Text>
      <FormError error={error} />
      {accounts?.length === 0 ? <Text c="var(--mr-dim)">None yet.</Text> : null}
      {accounts && accounts.length > 0 ? (
        <DataList label="Service accounts">
          {accounts.map((account) => (
            <DataRow
              key={account.id}
              title={account.name}
              meta={<span>@{account.username}</span>}
              after={
                <>
                  <ActionIcon
                    {...action}
                    aria-label={`Tokens of ${account.name}`}
                    onClick={() => setDoing({ what: 'tokens', account })}
                  >
                    <IconKey size={16} />
                  </ActionIcon>
                  <ActionIcon
                    {...action}
                    aria-label={`Rename ${account.name}`}
                    onClick={() => setDoing({ what: 'edit', account })}
                  >
                    <IconPencil size={16} />
                  </ActionIcon>
                  <ActionIcon {...action} aria-label={`Remove ${account.name}`} onClick={() => leaving.ask(account)}>
                    <IconTrash size={16} />
                  </ActionIcon>
                </>
              }
            />
          ))}
        </DataList>
      ) : null}
      <Title order={3}>New service account</Title>
      <ServiceAccountForm
        action="Create service account"
        send={async ({ name, username }) => {
          await place.make({ name, ...(username === '' ? {} : { username }) });
          await again();
        }}
      />
      <Modal opened={edited !== null} onClose={done} title="Rename service account">
        {edited ? (
          <ServiceAccountForm
            account={edited}
            action="Save"
            send={async (draft) => {
              await place.change(edited.id, draft);
              await again();
              done();
            }}
          />
        ) : null}
      </Modal>
      <Modal opened={holder !== null} onClose={done} title={`Tokens of ${holder?.name ?? ''}`} size="xl">
        {holder ? <TokenManager source={place.tokens(holder.id)} scopes={personalScopes} /> : null}
      </Modal>
      <ConfirmName
        {...leaving.dialog}
        title="Remove service account"
        text="Its tokens stop working immediately. Its contributions are kept and attributed to the ghost user."
        name={leaving.asked?.name ?? ''}
        action="Remove service account"
      />
    </Stack>
  );
}
