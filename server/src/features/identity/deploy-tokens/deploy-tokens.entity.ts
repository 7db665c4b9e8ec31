/** JSON of deploy tokens. The token itself is only in the answer that creates it. */
import type { Static } from 'typebox';
import type { DeployToken } from '../../../kernel/db/rows.ts';
import { Entity, Flag, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';

const properties = {
  id: Id(),
  name: Text(),
  username: Text(),
  expires_at: Nullable(Timestamp()),
  scopes: ListOf(Text()),
  revoked: Flag(),
  expired: Flag(),
};
export const DeployTokenEntity = Entity('DeployToken', properties);
export const NewDeployToken = Entity('NewDeployToken', { ...properties, token: Text() });

export function deployToken(token: DeployToken): Static<typeof DeployTokenEntity> {
  return {
    id: token.id,
    name: token.name,
    username: token.username,
    expires_at: token.expires_at,
    scopes: token.scopes,
    revoked: token.revoked_at !== null,
    expired: token.expires_at !== null && token.expires_at.getTime() <= Date.now(),
  };
}
