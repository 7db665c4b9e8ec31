/** JSON of access tokens. The token itself is only in the answer that creates it. */
import type { Static } from 'typebox';
import type { AccessToken } from '../../../kernel/db/rows.ts';
import { Day, Entity, Flag, Id, ListOf, Nullable, Text, Timestamp } from '../../../kernel/http/entity.ts';

export const tokenProperties = {
  id: Id(),
  name: Text(),
  revoked: Flag({ description: 'Whether it was revoked' }),
  created_at: Timestamp(),
  description: Nullable(Text()),
  scopes: ListOf(Text()),
  user_id: Id(),
  last_used_at: Nullable(Timestamp({ description: 'When it was last used, to the minute' })),
  active: Flag({ description: 'Neither revoked nor expired' }),
  expires_at: Nullable(Day()),
};
export const PersonalAccessToken = Entity('PersonalAccessToken', tokenProperties);
export const NewPersonalAccessToken = Entity('NewPersonalAccessToken', { ...tokenProperties, token: Text() });

const impersonation = { ...tokenProperties, impersonation: Flag() };
export const ImpersonationToken = Entity('ImpersonationToken', impersonation);
export const NewImpersonationToken = Entity('NewImpersonationToken', { ...impersonation, token: Text() });

/** Today in UTC: a token ends with the first moment of its expiry date. */
export const today = (now = new Date()): string => now.toISOString().slice(0, 10);

export function personalAccessToken(token: AccessToken): Static<typeof PersonalAccessToken> {
  return {
    id: token.id,
    name: token.name,
    revoked: token.revoked_at !== null,
    created_at: token.created_at,
    description: token.description,
    scopes: token.scopes,
    user_id: token.user_id,
    last_used_at: token.last_used_at,
    active: token.revoked_at === null && (token.expires_at === null || token.expires_at > today()),
    expires_at: token.expires_at,
  };
}
