/** Users whom texts mention: `@username`. */
import type { Db } from '../../../kernel/db/index.ts';
import type { ReferenceKind } from '../../../kernel/markdown/index.ts';
import { findMentioned } from './users.queries.ts';

export const userReferences = (db: Db): ReferenceKind => ({
  kind: 'user',
  within: 'instance',
  async find(values) {
    const byName = new Map((await findMentioned(db, values)).map((user) => [user.username.toLowerCase(), user]));
    return new Map(
      values.flatMap((value) => {
        const user = byName.get(value.toLowerCase());
        return user ? [[value, { path: `/${user.username}`, title: user.name }] as const] : [];
      }),
    );
  },
});
