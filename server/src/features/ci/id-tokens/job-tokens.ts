/** The ID tokens of a job as its variables. */
import { randomUUID } from 'node:crypto';
import { expandVariables } from '@millrace/ci-config';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Runner } from '../../../kernel/db/rows.ts';
import { ciConfigPaths } from '../../../kernel/names.ts';
import { findProjectSubject } from '../../namespaces/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findMergeRequest, findPlace, type PayloadRows } from '../jobs/context.queries.ts';
import type { JobPlan } from '../jobs/plan.ts';
import { configElsewhere } from '../pipelines/config-file.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import { type ClaimFacts, claimsOf } from './claims.ts';
import { identitiesOf } from './keys.queries.ts';
import type { SigningKeys } from './keys.ts';

interface TokenRequest {
  readonly rows: PayloadRows;
  readonly job: Job;
  readonly plan: JobPlan;
  readonly runner: Runner;
  /** What audiences may refer to. */
  readonly variables: readonly JobVariable[];
}

/** What a merge request brings is its source's, wherever its pipeline runs. */
async function sourceOf(db: Db, rows: PayloadRows, job: Job): Promise<ClaimFacts['source']> {
  const { merge_request_id: id } = rows.pipeline;
  const request = id === null ? undefined : await findMergeRequest(db, id);
  if (!request) return { ...rows, ref: job.ref };
  const other = request.source_project_id !== null && request.source_project_id !== rows.project.id;
  const place = other ? await findPlace(db, request.source_project_id ?? 0) : undefined;
  return { ...(place ?? rows), ref: request.source_branch };
}

export async function idTokenVariables(
  deps: Pick<CiDependencies, 'externalUrl' | 'deployments'>,
  db: Db,
  keys: SigningKeys,
  { rows, job, plan, runner, variables }: TokenRequest,
): Promise<JobVariable[]> {
  const wanted = plan.id_tokens ?? [];
  if (wanted.length === 0) return [];
  const source = await sourceOf(db, rows, job);
  const subject = rows.user && (await findProjectSubject(db, String(source.project.id), rows.user.id));
  const environment = job.environment === null ? null : await deps.deployments.environmentOf(db, job.id);
  const isProtected = environment !== null && (await deps.deployments.isProtected(db, job.project_id, environment));
  const facts = {
    issuer: deps.externalUrl,
    rows,
    source,
    job,
    runner,
    environment: environment && { ...environment, protected: isProtected },
    level: subject?.level ?? 0,
    identities: rows.user?.pass_user_identities_to_ci_jwt ? await identitiesOf(db, rows.user.id) : null,
    configPath: configElsewhere(rows.project.ci_config_path) ? null : (rows.project.ci_config_path ?? ciConfigPaths[1]),
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
