/** Who changes a single merge request: the roles of the project, and who wrote it or is assigned to it. */
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { peopleIn } from './history.queries.ts';

/** Whether the caller may change its texts and state: its author and assignees only while the project accepts changes. */
export async function mayUpdateRequest(
  db: Db,
  subject: ProjectSubject,
  caller: Caller,
  request: Pick<MergeRequest, 'id' | 'author_id'>,
): Promise<boolean> {
  if (canOnProject(caller, 'update_merge_request', subject)) return true;
  const { user } = caller;
  // Authors and assignees need no more than what commenting takes, which an archived project refuses.
  if (user === null || !canOnProject(caller, 'create_merge_request_note', subject)) return false;
  return request.author_id === user.id || (await peopleIn(db, request.id, 'assignee')).includes(user.id);
}
