/** SSH and GPG keys of an account, which administrators may remove. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { client, unwrap } from '../../lib/api.ts';
import { ofUser } from '../../lib/users.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import account from '../account/account.module.css';
import { GpgKeyList } from '../profile/GpgKeyList.tsx';
import { SshKeyList } from '../profile/SshKeyList.tsx';

export function UserKeys({ id }: { id: number }) {
  const of = ofUser(id);
  const { data: sshKeys } = useSuspenseQuery(of.sshKeys());
  const { data: gpgKeys } = useSuspenseQuery(of.gpgKeys());
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['users', id] });
  const removeSsh = (key_id: number) =>
    unwrap(client.DELETE('/users/{user_id}/keys/{key_id}', { params: { path: { user_id: id, key_id } } }));
  const removeGpg = (key_id: number) =>
    unwrap(client.DELETE('/users/{id}/gpg_keys/{key_id}', { params: { path: { id, key_id } } }));
  const button = (kind: 'SSH' | 'GPG', name: string, text: string, run: () => Promise<unknown>) => (
    <ConfirmButton
      title={`Remove ${kind} key`}
      about={`Remove ${name}`}
      text={`${name}: ${text}`}
      action="Remove key"
      label="Remove"
      run={run}
      shown={again}
    />
  );
  return (
    <section className={account.section} aria-label="Keys">
      <h2>Keys</h2>
      {sshKeys.length + gpgKeys.length === 0 ? 'No keys' : null}
      {sshKeys.length > 0 ? (
        <SshKeyList
          keys={sshKeys}
          after={(key) =>
            button('SSH', key.title, 'the user can no longer sign in or push with this key.', () => removeSsh(key.id))
          }
        />
      ) : null}
      {gpgKeys.length > 0 ? (
        <GpgKeyList
          keys={gpgKeys}
          after={(key) =>
            button('GPG', key.primary_keyid, 'signatures made with this key are no longer verified.', () =>
              removeGpg(key.id),
            )
          }
        />
      ) : null}
    </section>
  );
}
