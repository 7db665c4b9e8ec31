/** JSON of SSH keys. */
import type { Static } from 'typebox';
import type { SshKey } from '../../../kernel/db/rows.ts';
import { Entity, Fields, Flag, Id, ListOf, Nullable, Sometimes, Text, Timestamp } from '../../../kernel/http/entity.ts';
import { UserAccount } from '../users/index.ts';

const properties = {
  id: Id(),
  title: Text(),
  key: Text({ description: 'Type and key, and whose it is as the comment' }),
  created_at: Timestamp(),
  expires_at: Nullable(Timestamp()),
  last_used_at: Nullable(Timestamp()),
  usage_type: Text({ description: '`auth_and_signing`, `auth` or `signing`' }),
};
export const SshKeyEntity = Entity('SSHKey', properties);
const deployKeyProject = Fields({
  id: Id(),
  deploy_key_id: Id(),
  project_id: Id(),
  created_at: Timestamp(),
  updated_at: Timestamp(),
  can_push: Flag({ description: 'Whether the key may push to the project' }),
});
export const SshKeyWithUser = Entity('SSHKeyWithUser', {
  ...properties,
  user: Nullable(UserAccount, { description: 'Whose key it is; of a deploy key who made it, null when they are gone' }),
  deploy_keys_projects: Sometimes(ListOf(deployKeyProject, { description: 'Only of deploy keys: what they are for' })),
});

/** The person's name is part of the text that servers put into their own lists, so it stays in one line. */
const comment = (name: string) => name.replace(/\s+/g, ' ').trim();

export function sshKey(
  key: SshKey,
  /** None of deploy keys: they are told as they are. */
  owner: { readonly name: string } | null,
  externalUrl: string,
): Static<typeof SshKeyEntity> {
  return {
    id: key.id,
    title: key.title,
    key: owner ? `${key.key} ${comment(owner.name)} (${new URL(externalUrl).hostname})` : key.key,
    created_at: key.created_at,
    expires_at: key.expires_at,
    last_used_at: key.last_used_at,
    usage_type: key.usage_type,
  };
}
