/** What the checks of one write ask of its project, read by one statement when the first of them wants to know. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Push } from './push-check.ts';
import { type ConditionsOfProject, conditionsOfProject } from './push-conditions.queries.ts';

export type PushConditions = (push: Pick<Push, 'subject' | 'quarantine'>) => Promise<ConditionsOfProject>;

/** Read once for each write, under the lock of the repository, where its checks run. */
export function pushConditions(db: Db): PushConditions {
  // Each write has a quarantine of its own.
  const read = new WeakMap<Push['quarantine'], Promise<ConditionsOfProject>>();
  return ({ subject, quarantine }) => {
    const known = read.get(quarantine);
    if (known !== undefined) return known;
    const reading = conditionsOfProject(db, subject.project.id, subject.namespace.traversal_ids);
    read.set(quarantine, reading);
    return reading;
  };
}
