/** JSON of SSH keys. */
import type { Static } from 'typebox';
import type { SshKey } from '../../../kernel/db/rows.ts';
import { Entity, Id, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';
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
export const SshKeyWithUser = Entity('SSHKeyWithUser', { ...properties, user: UserAccount });

/** The person's name is part of the text that servers put into their own lists, so it stays in one line. */
const comment = (name: string) => name.replace(/\s+/g, ' ').trim();

export function sshKey(
  key: SshKey,
  owner: { readonly name: string },
  externalUrl: string,
): Static<typeof SshKeyEntity> {
  return {
    id: key.id,
    title: key.title,
    key: `${key.key} ${comment(owner.name)} (${new URL(externalUrl).hostname})`,
    created_at: key.created_at,
    expires_at: key.expires_at,
    last_used_at: key.last_used_at,
    usage_type: key.usage_type,
  };
}
