/** The variables that a job has reported with `artifacts:reports:dotenv`. */
import type { Job } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { sealed } from './sealing.ts';

export function reportedVariables(
  deps: Pick<CiDependencies, 'secrets'>,
  job: Pick<Job, 'dotenv_encrypted'>,
): ReadonlyArray<{ readonly key: string; readonly value: string }> {
  if (job.dotenv_encrypted === null) return [];
  return JSON.parse(deps.secrets.open(job.dotenv_encrypted, sealed.dotenv)) as Array<{ key: string; value: string }>;
}
