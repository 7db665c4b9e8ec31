/** Milestones of a release, by title or id: those of the project and of the groups above it. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { plainError } from '../../../kernel/http/errors.ts';
import { milestoneNamed, milestonesFor } from '../../collaboration/index.ts';

export interface WishedMilestones {
  readonly milestones?: readonly string[];
  readonly milestone_ids?: readonly number[];
}

/** Their ids; undefined where nothing was wished. Throws the API's 400 for those that are not there. */
export async function wishedMilestones(
  db: Db,
  { subject, caller }: { readonly subject: ProjectSubject; readonly caller: Caller },
  { milestones: titles, milestone_ids: ids }: WishedMilestones,
): Promise<number[] | undefined> {
  const sees = canOnProject(caller, 'read_milestone', subject);
  if (ids !== undefined) {
    const found = new Set((sees ? await milestonesFor(db, subject, ids) : []).map(({ id }) => id));
    const missing = ids.filter((id) => !found.has(id));
    if (missing.length > 0) throw plainError(400, `Milestone id(s) not found: ${missing.join(', ')}`);
    return [...found];
  }
  if (titles === undefined) return undefined;
  const named = await Promise.all(
    titles.map(async (title) => ({ title, row: sees ? await milestoneNamed(db, subject, title) : undefined })),
  );
  const missing = named.filter(({ row }) => !row);
  if (missing.length > 0)
    throw plainError(400, `Milestone(s) not found: ${missing.map(({ title }) => title).join(', ')}`);
  return named.flatMap(({ row }) => row?.id ?? []);
}
