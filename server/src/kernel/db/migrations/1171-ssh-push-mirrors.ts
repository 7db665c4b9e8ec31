/** Push mirrors that are reached over SSH: the key that proves them, and the keys of their server. */
import type { Migration } from './index.ts';

const sshMirrors = `
alter table push_mirrors
  add column auth_method text not null default 'password'
    constraint push_mirrors_auth_method check (auth_method in ('password', 'ssh_public_key')),
  -- As in authorized_keys.
  add column ssh_public_key text,
  add column ssh_private_key_sealed bytea,
  -- As in known_hosts, without names: given, or seen at the first connection.
  add column host_keys text[] not null default '{}',
  add constraint push_mirrors_ssh_key check (
    (auth_method = 'ssh_public_key') = (ssh_public_key is not null)
    and (ssh_public_key is null) = (ssh_private_key_sealed is null));
`;

export const sshPushMirrorsMigration: Migration = { name: '1171-ssh-push-mirrors', statements: [sshMirrors] };
