/** Access tokens of one owner: making one, the list with its filters, rotating and revoking. */
import { ActionIcon, NativeSelect, Stack, Text, Title } from '@mantine/core';
import { IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { NewToken, Token, TokenFilter, TokenSource } from '../../lib/tokens.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { useConfirmed } from '../../ui/confirmed.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { levelName } from '../members/levels.ts';
import { FreshToken } from './FreshToken.tsx';
import { NewTokenForm } from './NewTokenForm.tsx';
import { RevokeToken } from './RevokeToken.tsx';
import type { ScopeChoice } from './scopes.ts';

interface TokenRowProps {
  token: Token;
  rotate: (() => void) | null;
  revoke: () => void;
}

const stateOf = (token: Token) => (token.revoked ? 'revoked' : token.active ? null : 'expired');

function TokenRow({ token, rotate, revoke }: TokenRowProps) {
  const state = stateOf(token);
  return (
    <DataRow
      title={token.name}
      meta={
        <>
          {state ? <strong>{state}</strong> : null}
          {token.description ? <span>{token.description}</span> : null}
          {token.access_level === undefined ? null : <span>{levelName(token.access_level)}</span>}
          <span>{token.scopes.join(', ')}</span>
          <span>
            used <TimeAgo at={token.last_used_at} />
          </span>
          <span>{token.expires_at ? `until ${token.expires_at}` : 'never expires'}</span>
        </>
      }
      after={
        state ? null : (
          <>
            {rotate ? (
              <ActionIcon variant="subtle" color="gray" size={30} aria-label={`Rotate ${token.name}`} onClick={rotate}>
                <IconRefresh size={16} />
              </ActionIcon>
            ) : null}
            <ActionIcon variant="subtle" color="gray" size={30} aria-label={`Revoke ${token.name}`} onClick={revoke}>
              <IconTrash size={16} />
            </ActionIcon>
          </>
        )
      }
    />
  );
}

interface TokenManagerProps {
  source: TokenSource;
  scopes: readonly ScopeChoice[];
  /** The highest role that the person can give. */
  highest?: number;
}

export function TokenManager({ source, scopes, highest }: TokenManagerProps) {
  const [filter, setFilter] = useState<TokenFilter>({ search: '', state: 'active' });
  const [fresh, setFresh] = useState<NewToken | null>(null);
  const cache = useQueryClient();
  const { data: tokens, error } = useQuery({ queryKey: [...source.key, filter], queryFn: () => source.list(filter) });
  const again = () => cache.invalidateQueries({ queryKey: source.key });
  const leaving = useConfirmed(({ id }: Token) => source.revoke(id), again);
  const shown = (token: NewToken) => {
    setFresh(token);
    void again();
  };
  const rotating = useConfirmed(async ({ id }: Token) => {
    const token = await source.rotate?.(id);
    if (token) shown(token);
  });
  return (
    <Stack gap="lg">
      {fresh ? <FreshToken name={fresh.name} token={fresh.token} /> : null}
      <NewTokenForm source={source} scopes={scopes} {...(highest === undefined ? {} : { highest })} made={shown} />
      <Title order={2}>Tokens</Title>
      <FilterBar
        label="Search by name"
        value={filter.search}
        change={(search) => setFilter((before) => ({ ...before, search }))}
      >
        <NativeSelect
          aria-label="State"
          data={[
            { value: 'active', label: 'Active' },
            { value: 'inactive', label: 'Revoked or expired' },
            { value: 'all', label: 'All' },
          ]}
          value={filter.state}
          onChange={(event) => {
            const state = event.currentTarget.value as TokenFilter['state'];
            setFilter((before) => ({ ...before, state }));
          }}
        />
      </FilterBar>
      <FormError error={error} />
      {tokens?.length === 0 ? <Text c="var(--mr-dim)">No tokens.</Text> : null}
      {tokens && tokens.length > 0 ? (
        <DataList label="Tokens">
          {tokens.map((token) => (
            <TokenRow
              key={token.id}
              token={token}
              rotate={source.rotate ? () => rotating.ask(token) : null}
              revoke={() => leaving.ask(token)}
            />
          ))}
        </DataList>
      ) : null}
      <ConfirmDialog
        {...rotating.dialog}
        title="Rotate token"
        text={`${rotating.asked?.name ?? 'The token'} gets a new value. The current one stops working immediately.`}
        action="Rotate token"
      />
      <RevokeToken kind="token" text="Clients that use it lose access." leaving={leaving} />
    </Stack>
  );
}
