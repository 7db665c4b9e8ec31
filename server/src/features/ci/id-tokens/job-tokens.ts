/** The ID tokens of a job as its variables. */
import { randomUUID } from 'node:crypto';
import { expandVariables } from '@millrace/ci-config';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Runner } from '../../../kernel/db/rows.ts';
import { ciConfigPaths } from '../../../kernel/names.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import type { CiDependencies } from '../deps.ts';
import type { PayloadRows } from '../jobs/context.queries.ts';
import type { JobPlan } from '../jobs/plan.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import { claimsOf } from './claims.ts';
import type { SigningKeys } from './keys.ts';

interface TokenRequest {
  readonly rows: PayloadRows;
  readonly job: Job;
  readonly plan: JobPlan;
  readonly runner: Runner;
  /** What audiences may refer to. */
  readonly variables: readonly JobVariable[];
}

export async function idTokenVariables(
  deps: Pick<CiDependencies, 'externalUrl' | 'deployments'>,
  db: Db,
  keys: SigningKeys,
  { rows, job, plan, runner, variables }: TokenRequest,
): Promise<JobVariable[]> {
  const wanted = plan.id_tokens ?? [];
  if (wanted.length === 0) return [];
  const subject = rows.user && (await findProjectSubject(db, String(rows.project.id), rows.user.id));
  const environment = job.environment === null ? null : await deps.deployments.environmentOf(db, job.id);
  const isProtected = environment !== null && (await deps.deployments.isProtected(db, job.project_id, environment));
  const facts = {
    issuer: deps.externalUrl,
    rows,
    job,
    runner,
    environment: environment && { ...environment, protected: isProtected },
    level: subject?.level ?? 0,
    configPath: rows.project.ci_config_path ?? ciConfigPaths[1],
    timeoutSeconds: job.timeout_seconds ?? rows.project.build_timeout,
    now: Math.floor(Date.now() / 1000),
  };
  const signed = wanted.map(async ({ name, audience }) => {
    const expanded = audience.map((text) => expandVariables(text, variables));
    const [first = '', ...more] = expanded;
    const token = await keys.sign(
      claimsOf({ ...facts, audience: more.length > 0 ? expanded : first, id: randomUUID() }),
    );
    return variable(name, token, { public: false, masked: true, raw: true });
  });
  return await Promise.all(signed);
}
