/** External sign-ins of an account, which administrators may remove. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { FormError } from '../../ui/FormError.tsx';
import account from '../account/account.module.css';

export function Identities({ user }: { user: Schemas['UserView'] }) {
  const cache = useQueryClient();
  const remove = useMutation({
    mutationFn: (provider: string) =>
      unwrap(client.DELETE('/users/{id}/identities/{provider}', { params: { path: { id: user.id, provider } } })),
    onSuccess: () => cache.invalidateQueries({ queryKey: ['users', user.id] }),
  });
  const identities = user.identities ?? [];
  if (identities.length === 0) return null;
  return (
    <section className={account.section} aria-label="External sign-in">
      <h2>External sign-in</h2>
      <FormError error={remove.error} />
      <DataList label="Identities">
        {identities.map(({ provider, extern_uid }) => (
          <DataRow
            key={provider}
            title={provider}
            meta={<span>{extern_uid}</span>}
            after={
              <Button
                size="xs"
                variant="default"
                aria-label={`Remove ${provider}`}
                onClick={() => remove.mutate(provider)}
              >
                Remove
              </Button>
            }
          />
        ))}
      </DataList>
    </section>
  );
}
