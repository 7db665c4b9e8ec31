/** Members of a project or group, inherited ones included, whose name or username has a text: for the search. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import type { MemberRow } from './members.entity.ts';
import { countMembers, listMembers } from './members.queries.ts';
import { type MemberSubject, placeOf } from './rules.ts';

export async function membersNamed(
  db: Db,
  caller: Caller,
  subject: MemberSubject,
  query: string,
  page: Page,
): Promise<{ rows: MemberRow[]; total: number }> {
  const place = placeOf(subject);
  const filter = { query, state: 'active' } as const;
  const [rows, total] = await Promise.all([
    listMembers(db, caller, place, 'all', filter, page),
    countMembers(db, caller, place, 'all', filter),
  ]);
  return { rows, total };
}
