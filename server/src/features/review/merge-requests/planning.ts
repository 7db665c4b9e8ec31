/** What people plan with merge requests: which labels and milestone a request is to have. */
import { originOfCaller } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Label } from '../../../kernel/db/rows.ts';
import { labelsNamed, milestonesFor } from '../../collaboration/index.ts';
import { labelsOf, setLabels } from './planned.queries.ts';

/** Titles of labels, and the id of a milestone; 0 and null are none. */
export interface PlanWishes {
  readonly labels?: readonly string[] | null | undefined;
  readonly add_labels?: readonly string[] | undefined;
  readonly remove_labels?: readonly string[] | undefined;
  readonly milestone_id?: number | null | undefined;
}

/** Labels as they were and are. */
export interface LabelChange {
  readonly previous: readonly Label[];
  readonly current: readonly Label[];
}

/** Wishes of those who may only propose the change are passed over, as clients expect. */
const mayPlan = (caller: Caller, subject: ProjectSubject) =>
  canOnProject(caller, 'set_merge_request_metadata', subject);

/** The milestone that is wished for; one that the project does not have is none, undefined leaves it as it is. */
export async function wishedMilestone(
  tx: Db,
  subject: ProjectSubject,
  caller: Caller,
  { milestone_id: id }: PlanWishes,
): Promise<number | null | undefined> {
  if (id === undefined || !mayPlan(caller, subject)) return undefined;
  if (id === null) return null;
  const [found] = await milestonesFor(tx, subject, [id]);
  return found?.id ?? null;
}

/** Changes the labels of a request as wished; null where they stay as they are. Labels that are missing are made. */
export async function relabel(
  tx: Db,
  subject: ProjectSubject,
  caller: Caller,
  id: number,
  { labels, add_labels = [], remove_labels = [] }: PlanWishes,
): Promise<LabelChange | null> {
  if (labels === undefined && add_labels.length === 0 && remove_labels.length === 0) return null;
  if (!mayPlan(caller, subject)) return null;
  const maker = canOnProject(caller, 'admin_label', subject) ? originOfCaller(caller) : null;
  const previous = (await labelsOf(tx, [id])).get(id) ?? [];
  const away = new Set(remove_labels.map((title) => title.trim()));
  const kept = labels === undefined ? previous.filter(({ title }) => !away.has(title)).map((label) => label.id) : [];
  const wished = [...(labels ?? []), ...add_labels].filter((title) => !away.has(title.trim()));
  await setLabels(tx, id, [...kept, ...(await labelsNamed(tx, subject, wished, maker))]);
  const current = (await labelsOf(tx, [id])).get(id) ?? [];
  const ids = (list: readonly Label[]) => list.map((label) => label.id).join();
  return ids(previous) === ids(current) ? null : { previous, current };
}
