/** External sign-ins of an account, which administrators may remove. */
import { useQueryClient } from '@tanstack/react-query';
import { client, type Schemas, unwrap } from '../../lib/api.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import account from '../account/account.module.css';

export function Identities({ user }: { user: Schemas['UserView'] }) {
  const cache = useQueryClient();
  const identities = user.identities ?? [];
  if (identities.length === 0) return null;
  return (
    <section className={account.section} aria-label="External identities">
      <h2>External identities</h2>
      <DataList label="Identities">
        {identities.map(({ provider, extern_uid }) => (
          <DataRow
            key={provider}
            title={provider}
            meta={<span>{extern_uid}</span>}
            after={
              <ConfirmButton
                title="Remove identity"
                about={`Remove ${provider}`}
                text={`${user.name} can no longer sign in with ${provider}.`}
                action="Remove identity"
                label="Remove"
                run={() =>
                  unwrap(
                    client.DELETE('/users/{id}/identities/{provider}', { params: { path: { id: user.id, provider } } }),
                  )
                }
                shown={() => cache.invalidateQueries({ queryKey: ['users', user.id] })}
              />
            }
          />
        ))}
      </DataList>
    </section>
  );
}
