/** SSH and GPG keys of an account, which administrators may remove. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import * as accounts from '../../lib/accounts.ts';
import { client, unwrap } from '../../lib/api.ts';
import { FormError } from '../../ui/FormError.tsx';
import account from '../account/account.module.css';
import { GpgKeyList } from '../profile/GpgKeyList.tsx';
import { SshKeyList } from '../profile/SshKeyList.tsx';

export function UserKeys({ id }: { id: number }) {
  const of = accounts.ofUser(id);
  const { data: sshKeys } = useSuspenseQuery(of.sshKeys());
  const { data: gpgKeys } = useSuspenseQuery(of.gpgKeys());
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: ['users', id] });
  const removeSsh = useMutation({
    mutationFn: (key_id: number) =>
      unwrap(client.DELETE('/users/{user_id}/keys/{key_id}', { params: { path: { user_id: id, key_id } } })),
    onSuccess: again,
  });
  const removeGpg = useMutation({
    mutationFn: (key_id: number) =>
      unwrap(client.DELETE('/users/{id}/gpg_keys/{key_id}', { params: { path: { id, key_id } } })),
    onSuccess: again,
  });
  const button = (name: string, remove: () => void) => (
    <Button size="xs" variant="default" aria-label={`Remove ${name}`} onClick={remove}>
      Remove
    </Button>
  );
  return (
    <section className={account.section} aria-label="Keys">
      <h2>Keys</h2>
      <FormError error={removeSsh.error ?? removeGpg.error} />
      {sshKeys.length + gpgKeys.length === 0 ? 'None.' : null}
      {sshKeys.length > 0 ? (
        <SshKeyList keys={sshKeys} after={(key) => button(key.title, () => removeSsh.mutate(key.id))} />
      ) : null}
      {gpgKeys.length > 0 ? (
        <GpgKeyList keys={gpgKeys} after={(key) => button(key.primary_keyid, () => removeGpg.mutate(key.id))} />
      ) : null}
    </section>
  );
}
