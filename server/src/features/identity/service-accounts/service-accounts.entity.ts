/** JSON of service accounts. */
import type { Static } from 'typebox';
import type { User } from '../../../kernel/db/rows.ts';
import { Entity, Id, Sometimes, Text } from '../../../kernel/http/entity.ts';

export const ServiceAccount = Entity('ServiceAccount', {
  id: Id(),
  username: Text(),
  name: Text(),
  email: Text(),
  unconfirmed_email: Sometimes(Text({ description: 'Takes the place of the address when it is confirmed' })),
});

export function serviceAccount(user: User): Static<typeof ServiceAccount> {
  const { id, username, name, email, unconfirmed_email } = user;
  return { id, username, name, email, ...(unconfirmed_email === null ? {} : { unconfirmed_email }) };
}
