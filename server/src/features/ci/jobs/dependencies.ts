/** The jobs of its own pipeline that a job gets something of: archives, and variables that they reported. */
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, JobArtifact } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import { reportedVariables } from '../variables/reported.ts';
import { earlierJobs } from './context.queries.ts';
import type { JobPlan, PlanNeed } from './plan.ts';

export interface Dependency {
  readonly id: number;
  readonly name: string;
  readonly stage_index: number;
  readonly status: string;
  readonly dotenv_encrypted: Buffer | null;
  readonly erased_at: Date | null;
  readonly artifacts_expire_at: Date | null;
  readonly archive: Pick<JobArtifact, 'filename' | 'size'> | null;
}

/** What the job names, else what it needs, else all of the stages before. */
export async function dependenciesOf(
  db: Db,
  job: Job,
  { dependencies }: Pick<JobPlan, 'dependencies'>,
): Promise<Dependency[]> {
  const needs = job.needs as unknown as readonly PlanNeed[] | null;
  const wanted = needs?.filter((need) => need.artifacts).map((need) => need.name) ?? null;
  const reachable = await earlierJobs(db, job, wanted);
  return dependencies === null ? reachable : reachable.filter((other) => dependencies.includes(other.name));
}

export function dotenvVariables(
  deps: Pick<CiDependencies, 'secrets'>,
  from: ReadonlyArray<Pick<Dependency, 'id' | 'dotenv_encrypted'>>,
): JobVariable[] {
  return from.flatMap((other) => {
    const pairs = reportedVariables(deps, other);
    return pairs.map(({ key, value }) => variable(key, value, { public: false }));
  });
}
