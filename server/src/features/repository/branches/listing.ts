/** Lists of refs: which names fit a search, when refs were made, and their orders. */

import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { plainError } from '../../../kernel/http/errors.ts';
import type { Page, Paged } from '../../../kernel/http/pagination.ts';
import { type ListOrder, pageOfList } from '../reading/positions.ts';
import type { RefData, RepositoryReader } from '../reading/reader.ts';
import { linearPattern } from '../reading/search.ts';
import { matchesPattern } from '../writes/protection.ts';

/** `text`, `^text` and `text$` as the ecosystem's search understands them. */
export function nameMatcher(search: string | undefined, regex: string | undefined): (name: string) => boolean {
  if (regex !== undefined) {
    const pattern = linearPattern(regex);
    if (!pattern) throw plainError(400, 'Regex is invalid');
    return (name) => pattern(name);
  }
  if (!search) return () => true;
  const wanted = search.toLowerCase();
  if (wanted.startsWith('^') && wanted.endsWith('$') && wanted.length > 1)
    return (name) => name.toLowerCase() === wanted.slice(1, -1);
  if (wanted.startsWith('^')) return (name) => name.toLowerCase().startsWith(wanted.slice(1));
  if (wanted.endsWith('$')) return (name) => name.toLowerCase().endsWith(wanted.slice(0, -1));
  if (wanted.includes('*')) return (name) => matchesPattern(wanted, name.toLowerCase());
  return (name) => name.toLowerCase().includes(wanted);
}

export const byCode = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** When a ref was tagged, or the commit it points at was committed. */
export const refTime = async (reader: RepositoryReader, subject: ProjectSubject, ref: RefData): Promise<Date> =>
  ref.taggedAt ?? new Date((await reader.commit(subject.project, ref.commit)).committer.date);

/** The times of refs by name. */
export async function commitTimes(
  reader: RepositoryReader,
  subject: ProjectSubject,
  refs: readonly RefData[],
): Promise<Map<string, number>> {
  const timed = refs.map(async (ref) => [ref.name, (await refTime(reader, subject, ref)).getTime()] as const);
  return new Map(await Promise.all(timed));
}

/** A page of refs in an order. */
export const orderedPage = <P>(page: Page, refs: readonly RefData[], order: ListOrder<RefData, P>): Paged<RefData> =>
  pageOfList(
    page,
    [...refs].sort((a, b) => order.compare(order.positionOf(a), order.positionOf(b))),
    order,
  );
