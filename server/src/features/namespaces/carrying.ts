/** What projects take along when they move: labels and milestones of groups that are no longer above them. */
import type { Db } from '../../kernel/db/index.ts';
import { findProjectSubject } from './access/parents.queries.ts';
import { ensureLabel, labelsLost, labelsOfTitles } from './labels/labels.queries.ts';
import { insertMilestone, milestoneNamed, milestonesLost } from './milestones/milestones.queries.ts';

/** One takes the place of others: everywhere, or in one project. */
export interface Replacement {
  readonly from: readonly number[];
  readonly to: number;
  readonly projectId?: number | undefined;
}

/** What has labels and milestones, in the transaction that changes these. */
export interface Carriers {
  labelsReplaced(tx: Db, replacement: Replacement): Promise<void>;
  milestonesReplaced(tx: Db, replacement: Replacement): Promise<void>;
}

/** All of them as one. */
export const everyCarrier = (carriers: () => readonly Partial<Carriers>[]): Carriers => ({
  labelsReplaced: async (tx, replacement) => {
    for (const carrier of carriers()) await carrier.labelsReplaced?.(tx, replacement);
  },
  milestonesReplaced: async (tx, replacement) => {
    for (const carrier of carriers()) await carrier.milestonesReplaced?.(tx, replacement);
  },
});

export type Moved = { readonly projectId: number } | { readonly namespaceId: number };

/**
 * After a move, in its transaction: what has a label or milestone of a group that is no longer above gets the one of the
 * same title that the new groups have, else one of the project itself, made like it.
 */
export async function carryAlong(tx: Db, carriers: Carriers, moved: Moved): Promise<void> {
  for (const { project_id: projectId, label } of await labelsLost(tx, moved)) {
    const place = await findProjectSubject(tx, String(projectId), null);
    if (!place) continue;
    const { title, color, description } = label;
    const known = (await labelsOfTitles(tx, place, [title])).get(title);
    const to = known ?? (await ensureLabel(tx, place, { title, color, description })).label.id;
    await carriers.labelsReplaced(tx, { from: [label.id], to, projectId });
  }
  for (const { project_id: projectId, milestone } of await milestonesLost(tx, moved)) {
    const place = await findProjectSubject(tx, String(projectId), null);
    if (!place) continue;
    const { title, description, state, start_date, due_date } = milestone;
    const known = await milestoneNamed(tx, place, title);
    const to = known ?? (await insertMilestone(tx, place, { title, description, state, start_date, due_date }));
    await carriers.milestonesReplaced(tx, { from: [milestone.id], to: to.id, projectId });
  }
}
