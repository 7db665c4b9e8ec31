/** JSON of access tokens of projects and groups. */
import type { Static } from 'typebox';
import type { AccessToken } from '../../../kernel/db/rows.ts';
import { Count, Entity, Text } from '../../../kernel/http/entity.ts';
import { personalAccessToken, tokenProperties } from '../../identity/index.ts';

const properties = {
  ...tokenProperties,
  access_level: Count({ description: 'Role of the bot' }),
  resource_type: Text(),
  resource_id: Count(),
};
export const ResourceAccessToken = Entity('ResourceAccessToken', properties);
export const NewResourceAccessToken = Entity('NewResourceAccessToken', { ...properties, token: Text() });

/** `level` is the bot's role now; of one that left, the role that it had. */
export function resourceAccessToken(token: AccessToken, level: number | undefined): Static<typeof ResourceAccessToken> {
  return {
    ...personalAccessToken(token),
    access_level: level ?? token.access_level ?? 0,
    resource_type: token.kind,
    resource_id: token.project_id ?? token.namespace_id ?? 0,
  };
}
