/** The answer where a request of the same branches is open already. */
import type { Db } from '../../../kernel/db/index.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { HttpError } from '../../../kernel/http/errors.ts';
import { openFromBranch } from './merge-requests.queries.ts';

type Branches = Pick<MergeRequest, 'project_id' | 'source_project_id' | 'source_branch' | 'target_branch'>;

/** The API's 409, with the number of the open request: clients look for it in the text. */
export async function anotherOpen(db: Db, { source_project_id: source, ...wanted }: Branches): Promise<HttpError> {
  const open = source === null ? [] : await openFromBranch(db, source, wanted.source_branch);
  const existing = open.find(
    (row) => row.target_branch === wanted.target_branch && row.project_id === wanted.project_id,
  );
  return new HttpError(409, {
    message: [`Another open merge request already exists for this source branch: !${existing?.iid ?? ''}`],
  });
}
