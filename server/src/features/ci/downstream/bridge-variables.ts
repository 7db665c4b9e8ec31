/** The variables of trigger jobs: what they expand by, and what the pipelines that they start are given. */
import { expandVariables } from '@millrace/ci-config';
import type { CallerUser, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Job, Namespace, Pipeline } from '../../../kernel/db/rows.ts';
import { ciConfigPaths } from '../../../kernel/names.ts';
import type { CiDependencies } from '../deps.ts';
import { languageNames, pipelineVariableRows } from '../jobs/context.queries.ts';
import { dependenciesOf, dotenvVariables } from '../jobs/dependencies.ts';
import type { JobPlan } from '../jobs/plan.ts';
import { pipelineFactsOf } from '../pipelines/pipeline-facts.ts';
import type { PipelineVariableInput } from '../pipelines/request.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import {
  bridgeVariables,
  commitVariables,
  environmentVariables,
  freezeVariables,
  fullPath,
  pipelineVariables,
  projectVariables,
  serverVariables,
  userVariables,
} from '../variables/predefined.ts';
import { sealed } from '../variables/sealing.ts';
import { secretVariables } from '../variables/secret-variables.ts';

export interface BridgeVariables {
  /** All that the job knows, weakest first: what its variables are expanded by. */
  readonly scope: readonly JobVariable[];
  /** Those that the pipeline was started with, and before them what jobs reported that the job depends on. */
  readonly passed: readonly JobVariable[];
}

/** Whom a job acts for, and where. */
interface Acting {
  readonly user: CallerUser | null;
  readonly subject: ProjectSubject;
}

async function startedWith({ db, secrets }: CiDependencies, pipelineId: number): Promise<JobVariable[]> {
  return (await pipelineVariableRows(db, pipelineId)).map((row) =>
    variable(row.key, secrets.open(row.value_encrypted, sealed.pipelineVariable), {
      public: false,
      file: row.variable_type === 'file',
      raw: row.raw,
    }),
  );
}

/** Of a job that starts another project's pipeline: nothing that is protected. */
export async function bridgeVariablesOf(
  deps: CiDependencies,
  { user, subject }: Acting,
  job: Job,
  parent: Pipeline,
  child: boolean,
): Promise<BridgeVariables> {
  const { db, repository } = deps;
  const plan = job.plan as unknown as JobPlan;
  const place = { project: subject.project, namespace: subject.namespace as Namespace };
  const facts = await pipelineFactsOf(deps, db, place, parent);
  const known = await repository.resolve(subject.project, parent.sha);
  const commit = known === null ? null : await repository.commit(subject, known);
  const environment = job.environment === null ? null : await deps.deployments.environmentOf(db, job.id);
  const own = plan.variables.map(({ key, value, raw }) => variable(key, value, { raw }));
  const reported = dotenvVariables(deps, await dependenciesOf(db, job, plan));
  const given = await startedWith(deps, parent.id);
  const scope = [
    ...environmentVariables(environment, null),
    ...serverVariables(deps),
    ...projectVariables(
      subject,
      deps.externalUrl,
      subject.project.ci_config_path ?? ciConfigPaths[1],
      await languageNames(db, subject.project.id),
    ),
    ...commitVariables(facts, commit),
    ...freezeVariables(await deps.deployments.frozen(db, subject.project.id)),
    ...pipelineVariables(parent, `${deps.externalUrl}/${fullPath(subject)}`),
    ...bridgeVariables(job, plan),
    ...own,
    ...userVariables(user),
    ...reported,
    ...(await secretVariables(deps, db, subject, {
      refProtected: child && parent.ref_protected,
      environment: job.environment,
    })),
    ...given,
  ];
  const passed = [...reported, ...given];
  const url = plan.environment?.url ?? null;
  if (!environment || url === null) return { scope, passed };
  // Whoever opens the page of environments reads it: masked values stay out.
  const address = expandVariables(
    url,
    scope.filter(({ masked }) => !masked),
    'keep',
  );
  await deps.deployments.addressKnown(db, job.id, address);
  return { scope: [...scope, variable('CI_ENVIRONMENT_URL', address)], passed };
}

const referred = /\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?|%([A-Za-z_][A-Za-z0-9_]*)%/g;

const inputOf = ({ key, value, file, raw }: JobVariable): PipelineVariableInput => ({
  key,
  value,
  variable_type: file ? 'file' : 'env_var',
  ...(raw ? { raw } : {}),
});

/**
 * What the new pipeline gets: the job's variables, and those of its pipeline where they are passed on, expanded. Files go
 * along as files with what names them.
 */
export function forwarded(
  plan: JobPlan,
  { forward }: Pick<NonNullable<JobPlan['trigger']>, 'forward'>,
  { scope, passed }: BridgeVariables,
): PipelineVariableInput[] {
  const yaml = forward.yamlVariables ? plan.variables.map(({ key, value, raw }) => variable(key, value, { raw })) : [];
  const wanted = [...yaml, ...(forward.pipelineVariables ? passed : [])];
  const files = new Map(scope.filter(({ file }) => file).map((each) => [each.key, each]));
  // A file stands for itself in what is expanded.
  const all = scope.map((each) => (each.file ? { ...each, value: `$${each.key}`, raw: true } : each));
  const found = wanted.flatMap((each): JobVariable[] => {
    if (each.raw || each.file) return [each];
    const named = [...each.value.matchAll(referred)].flatMap(
      ([, plain, percent]) => files.get(plain ?? percent ?? '') ?? [],
    );
    return [{ ...each, value: expandVariables(each.value, all) }, ...named];
  });
  return [...new Map(found.map((each) => [each.key, inputOf(each)])).values()];
}
