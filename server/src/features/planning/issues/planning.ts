/** What people plan with issues: which labels, milestone and epic an issue is to have. */
import { originOfCaller } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Label } from '../../../kernel/db/rows.ts';
import { notFound } from '../../../kernel/http/errors.ts';
import { labelsNamed, labelsThere, milestonesFor } from '../../collaboration/index.ts';
import { epicAbove, epicToJoin } from '../epics/epics.queries.ts';
import { iterationAbove } from '../iterations/above.queries.ts';
import { addLabels, labelsOf, setLabels } from './issues.queries.ts';

/** Titles of labels, and ids; 0 and null are none. */
export interface PlanWishes {
  readonly labels?: readonly string[] | null | undefined;
  readonly add_labels?: readonly string[] | null | undefined;
  readonly remove_labels?: readonly string[] | null | undefined;
  readonly milestone_id?: number | null | undefined;
  readonly epic_id?: number | null | undefined;
  readonly epic_iid?: number | null | undefined;
  readonly iteration_id?: number | null | undefined;
}

/** Labels as they were and are. */
export interface LabelChange {
  readonly previous: readonly Label[];
  readonly current: readonly Label[];
}

/** The milestone that is wished for; one that the project does not have is none, undefined leaves it as it is. */
export async function wishedMilestone(
  tx: Db,
  subject: ProjectSubject,
  { milestone_id: id }: PlanWishes,
): Promise<number | null | undefined> {
  if (id === undefined || id === null) return id;
  const [found] = await milestonesFor(tx, subject, [id]);
  return found?.id ?? null;
}

/** The epic that is wished for, by its number of the groups above; undefined leaves it as it is. */
export async function wishedEpic(
  tx: Db,
  subject: ProjectSubject,
  caller: Caller,
  { epic_id: id, epic_iid: iid }: PlanWishes,
): Promise<number | null | undefined> {
  if (id === undefined && iid === undefined) return undefined;
  if (!id && !iid) return null;
  const above = await epicAbove(tx, subject, caller, id ? { id } : { iid: iid ?? 0 });
  const found = above ?? (id ? await epicToJoin(tx, caller, id) : undefined);
  if (!found) throw notFound('Epic');
  return found.id;
}

/** The iteration that is wished for, of the groups above; undefined leaves it as it is. */
export async function wishedIteration(
  tx: Db,
  subject: ProjectSubject,
  { iteration_id: id }: PlanWishes,
): Promise<number | null | undefined> {
  if (id === undefined) return undefined;
  if (!id) return null;
  const found = await iterationAbove(tx, subject, id);
  if (!found) throw notFound('Iteration');
  return found.id;
}

/** Labels that are made for whoever may make them. */
const makerOf = (caller: Caller, subject: ProjectSubject) =>
  canOnProject(caller, 'admin_label', subject) ? originOfCaller(caller) : null;

/** The labels that a new issue is to have, where all of them are there; null where one has to be made first. */
export async function labelsOfNew(
  db: Db,
  subject: ProjectSubject,
  caller: Caller,
  { labels, add_labels, remove_labels }: PlanWishes,
): Promise<number[] | null> {
  const away = new Set(remove_labels?.map((title) => title.trim()));
  const wished = [...(labels ?? []), ...(add_labels ?? [])].filter((title) => !away.has(title.trim()));
  return await labelsThere(db, subject, wished, makerOf(caller, subject));
}

/** Changes the labels of an issue as wished; null where they stay as they are. Labels that are missing are made. */
export async function relabel(
  tx: Db,
  subject: ProjectSubject,
  caller: Caller,
  id: number,
  { labels, add_labels, remove_labels }: PlanWishes,
  /** Whether the issue was made in this transaction: it has no labels yet. */
  { fresh }: { readonly fresh: boolean } = { fresh: false },
): Promise<LabelChange | null> {
  const [more, less] = [add_labels ?? [], remove_labels ?? []];
  if (labels === undefined && more.length === 0 && less.length === 0) return null;
  const maker = makerOf(caller, subject);
  const previous = fresh ? [] : ((await labelsOf(tx, [id])).get(id) ?? []);
  const away = new Set(less.map((title) => title.trim()));
  const kept = labels === undefined ? previous.filter(({ title }) => !away.has(title)).map((label) => label.id) : [];
  const wished = [...(labels ?? []), ...more].filter((title) => !away.has(title.trim()));
  const ids = [...kept, ...(await labelsNamed(tx, subject, wished, maker))];
  await (fresh ? addLabels : setLabels)(tx, id, ids);
  const current = (await labelsOf(tx, [id])).get(id) ?? [];
  const listed = (list: readonly Label[]) => list.map((label) => label.id).join();
  return listed(previous) === listed(current) ? null : { previous, current };
}
