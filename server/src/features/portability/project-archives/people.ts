/** People whom an archive names, as far as somebody vouches for the names. */
import type { Db } from '../../../kernel/db/index.ts';
import type { ImportTarget } from '../../namespaces/index.ts';
import { personNamed } from './people.queries.ts';

const mostKept = 10_000;

/** Looks users up by name, each once; nobody where names are not trusted. */
export function peopleKnown(db: Db, trusted: boolean): ImportTarget['person'] {
  const people = new Map<string, Promise<number | null>>();
  return async (username) => {
    if (!trusted || !username) return null;
    if (people.size > mostKept) people.clear();
    const found = people.get(username) ?? personNamed(db, username);
    people.set(username, found);
    return await found;
  };
}
