/** Epics by what texts write for them: `&1`, `group&1`, or the URL of their page. */
import type { Caller, GroupSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Epic } from '../../../kernel/db/rows.ts';
import type { ParentLoader } from '../../../kernel/http/parents.ts';
import { findEpic } from './epics.queries.ts';

export interface NamedEpic {
  readonly row: Epic;
  readonly subject: GroupSubject;
}

const path = '[\\w.-]+(?:/[\\w.-]+)*';
const written = new RegExp(`^(?:https?://[^/\\s]+/groups/(${path})/-/epics/|(${path})?&)(\\d{1,9})$`);

/** An epic that the caller sees; without a path, one of the group `here`. */
export async function epicNamed(
  { db, parents }: { readonly db: Db; readonly parents: Pick<ParentLoader, 'group'> },
  caller: Caller,
  here: number,
  reference: string,
): Promise<NamedEpic | null> {
  const [, ofPage, ofText, iid] = written.exec(reference.trim()) ?? [];
  if (iid === undefined) return null;
  const subject = await parents.group(ofPage ?? ofText ?? String(here), caller);
  const row = subject && (await findEpic(db, subject.group.id, caller, { iid: Number(iid) }));
  return row && subject ? { row, subject } : null;
}
