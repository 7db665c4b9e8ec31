/** Labels and milestones that a project inherits, when it moves away from the group that has them. */
import type { Db } from '../../kernel/db/index.ts';
import { everyPort } from '../../kernel/ports.ts';
import { findProjectSubject, type Moved } from '../namespaces/index.ts';
import { ensureLabel, labelsLost, labelsOfTitles } from './labels/labels.queries.ts';
import { insertMilestone, milestoneNamed, milestonesLost } from './milestones/milestones.queries.ts';

/** One takes the place of others: everywhere, or in one project. */
export interface Replacement {
  readonly from: readonly number[];
  readonly to: number;
  readonly projectId?: number | undefined;
}

/** What has labels and milestones, in the transaction that changes these. */
export interface Labeled {
  labelsReplaced?(tx: Db, replacement: Replacement): Promise<void>;
  milestonesReplaced?(tx: Db, replacement: Replacement): Promise<void>;
}

export const labeled = everyPort<Labeled>('what has labels and milestones');

export async function replaceLabels(parts: readonly Labeled[], tx: Db, replacement: Replacement): Promise<void> {
  for (const part of parts) await part.labelsReplaced?.(tx, replacement);
}

export async function replaceMilestones(parts: readonly Labeled[], tx: Db, replacement: Replacement): Promise<void> {
  for (const part of parts) await part.milestonesReplaced?.(tx, replacement);
}

/**
 * After a move, in its transaction: what has a label or milestone of a group that is no longer above gets the one of the
 * same title that the new groups have, else one of the project itself, made like it.
 */
export async function copyInherited(tx: Db, parts: readonly Labeled[], moved: Moved): Promise<void> {
  for (const { project_id: projectId, label } of await labelsLost(tx, moved)) {
    const place = await findProjectSubject(tx, String(projectId), null);
    if (!place) continue;
    const { title, color, description } = label;
    const known = (await labelsOfTitles(tx, place, [title])).get(title);
    const to = known ?? (await ensureLabel(tx, place, { title, color, description })).label.id;
    await replaceLabels(parts, tx, { from: [label.id], to, projectId });
  }
  for (const { project_id: projectId, milestone } of await milestonesLost(tx, moved)) {
    const place = await findProjectSubject(tx, String(projectId), null);
    if (!place) continue;
    const { title, description, state, start_date, due_date } = milestone;
    const known = await milestoneNamed(tx, place, title);
    const to = known ?? (await insertMilestone(tx, place, { title, description, state, start_date, due_date }));
    await replaceMilestones(parts, tx, { from: [milestone.id], to: to.id, projectId });
  }
}
