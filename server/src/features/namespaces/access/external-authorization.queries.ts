/** What an external authorization service is told of a user beside their email address. */
import type { Db } from '../../../kernel/db/index.ts';

/** The accounts elsewhere that the user signs in with. */
export const identitiesOf = (db: Db, userId: number): Promise<{ provider: string; extern_uid: string }[]> =>
  db.selectFrom('identities').select(['provider', 'extern_uid']).where('user_id', '=', userId).orderBy('id').execute();
