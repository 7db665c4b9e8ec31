/** JSON of applications. The secret is only in the answers that make it. */
import type { Static } from 'typebox';
import type { OauthApplication } from '../../../kernel/db/rows.ts';
import { Entity, Flag, Id, ListOf, Text, Timestamp } from '../../../kernel/http/entity.ts';

const properties = {
  id: Id(),
  application_id: Text({ description: 'The `client_id` of the application' }),
  application_name: Text(),
  callback_url: Text({ description: 'Redirect URIs, one on each line' }),
  confidential: Flag({ description: 'Whether it can keep its secret' }),
  trusted: Flag({ description: 'Whether users are not asked before it gets a token' }),
  scopes: ListOf(Text()),
  created_at: Timestamp(),
};
export const Application = Entity('Application', properties);
export const ApplicationWithSecret = Entity('ApplicationWithSecret', { ...properties, secret: Text() });

export const application = (row: OauthApplication): Static<typeof Application> => ({
  id: row.id,
  application_id: row.uid,
  application_name: row.name,
  callback_url: row.redirect_uris.join('\n'),
  confidential: row.confidential,
  trusted: row.trusted,
  scopes: row.scopes,
  created_at: row.created_at,
});
