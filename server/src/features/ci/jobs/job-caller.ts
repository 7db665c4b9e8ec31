/** Who acts with the token of a running job: its user, in the job's name. */
import type { Caller } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { findTokenJob } from './jobs.queries.ts';

/** The caller behind the token of a running job; null for any other. */
export async function jobCaller(db: Db, tokenSha256: Buffer): Promise<Caller | null> {
  const found = await findTokenJob(db, tokenSha256);
  if (!found) return null;
  const { id, project_id, pipeline_id, status } = found.job;
  return {
    user: found.user,
    credential: { kind: 'job', job: { id, project_id, pipeline_id, status } },
    scopes: null,
    // A job never has more than its user's membership, also when an administrator started it.
    admin: false,
  };
}
