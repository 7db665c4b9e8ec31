/** The answer to a runner that got a job: everything that it needs to run it, made from the stored plan. */

import { expandForRunner, expandVariables } from '@millrace/ci-config';
import { isBlocked } from '../../../kernel/authz/blocked.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { anonymous } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import type { Job, Runner } from '../../../kernel/db/rows.ts';
import { ciConfigPaths } from '../../../kernel/names.ts';
import { tokenHash } from '../../../kernel/secrets/index.ts';
import { ciDeployToken } from '../../identity/index.ts';
import { reportUpload } from '../artifacts/types.ts';
import { cacheKey } from '../caches/keys.ts';
import type { CiCommit, CiDependencies } from '../deps.ts';
import { idTokenVariables } from '../id-tokens/job-tokens.ts';
import type { SigningKeys } from '../id-tokens/keys.ts';
import { type PayloadRows, pipelineVariableRows } from '../jobs/context.queries.ts';
import { type Dependency, dependenciesOf, dotenvVariables } from '../jobs/dependencies.ts';
import { jobCaller } from '../jobs/job-caller.ts';
import type { JobPlan, PlanArtifacts, PlanCache } from '../jobs/plan.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { pipelineFactsOf } from '../pipelines/pipeline-facts.ts';
import { failedTestVariables } from '../test-reports/failed-tests.ts';
import { asksForDebugging, type JobVariable, variable } from '../variables/job-variables.ts';
import { manualVariables } from '../variables/manual.ts';
import {
  commitVariables,
  deployTokenVariables,
  environmentVariables,
  freezeVariables,
  fullPath,
  jobVariables,
  pipelineVariables,
  projectVariables,
  serverVariables,
  userVariables,
} from '../variables/predefined.ts';
import { sealed } from '../variables/sealing.ts';
import { secretVariables } from '../variables/secret-variables.ts';
import { neededElsewhere } from './needed-elsewhere.ts';
import type { PayloadFacts, payloadReader } from './payload.queries.ts';
import { releaseScript } from './release-step.ts';
import { secretRequests, storesAreKnown } from './secret-requests.ts';
import { markDebugTrace } from './updates.queries.ts';

/** Reasons that we keep as they are when the runner sends them. */
export const failureReasons = [
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'missing_dependency_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'trace_size_exceeded',
  'image_pull_failure',
  'job_router_failure',
  'runner_configuration_error',
  'runner_external_dependency_failure',
  'runner_interrupted',
] as const;

/** Whether what the job left was erased, or went when it expired; what somebody deleted is not waited for. */
const isGone = ({ erased_at: erased, artifacts_expire_at: expired, archive }: Dependency): boolean =>
  erased !== null || (archive === null && expired !== null && expired.getTime() <= Date.now());

function artifactsOf(artifacts: PlanArtifacts | null): unknown[] {
  if (!artifacts) return [];
  const common = { when: artifacts.when, expire_in: artifacts.expire_in };
  const archive =
    artifacts.paths.length > 0 || artifacts.untracked
      ? [
          {
            ...common,
            name: artifacts.name,
            untracked: artifacts.untracked,
            paths: artifacts.paths,
            exclude: artifacts.exclude,
            artifact_type: 'archive',
            artifact_format: 'zip',
          },
        ]
      : [];
  // Reports are wanted of jobs that fail too: that is when they say most.
  const reports = Object.entries(artifacts.reports).map(([kind, paths]) => {
    const { name, type, format } = reportUpload(kind);
    return {
      ...common,
      name,
      untracked: false,
      paths,
      exclude: [],
      when: 'always',
      artifact_type: type,
      artifact_format: format,
    };
  });
  return [...archive, ...reports];
}

/** Protected refs have caches of their own, so that others cannot plant something in them. */
function cacheOf(cache: PlanCache, job: Job, project: PayloadRows['project']) {
  const whole = (key: string) => cacheKey(key, project, { isProtected: job.ref_protected, unprotect: cache.unprotect });
  return {
    key: whole(cache.key),
    untracked: cache.untracked,
    paths: cache.paths,
    policy: cache.policy,
    when: cache.when,
    fallback_keys: cache.fallback_keys.map(whole),
  };
}

/** For jobs that want the whole history: those look at tags and other branches, too. */
const everything = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];

/**
 * What the job fetches: the pipeline's own ref, and its branch or tag while that exists; a merge may have removed it. With
 * it where the refs of the job's clone are then: who has them so has nothing to fetch. All branches and tags without a depth.
 */
async function fetched(
  deps: CiDependencies,
  rows: PayloadRows,
  job: Job,
  depth: number,
): Promise<{ refspecs: string[]; refs: Record<string, string> }> {
  const ref = `refs/pipelines/${job.pipeline_id}`;
  // git sends no password where it is not asked for one: to a public project it comes as a stranger, who may not be shown
  // the ref, and gets its commit all the same.
  const place = { kind: 'project', project: rows.project, namespace: rows.namespace, level: 0 } as const;
  const shown = canOnProject(anonymous, 'read_pipeline', place) || !canOnProject(anonymous, 'read_code', place);
  const { sha, merge_request_id: request } = rows.pipeline;
  const kept = `+${shown ? ref : sha}:${ref}`;
  const refs = { [ref]: sha };
  if (depth === 0) return { refspecs: [kept, ...everything], refs: {} };
  if (request !== null) return { refspecs: [kept], refs };
  const name = job.tag ? `refs/tags/${job.ref}` : `refs/heads/${job.ref}`;
  const now = await deps.repository.resolve(rows.project, name);
  if (now === null) return { refspecs: [kept], refs };
  // What is known of a tag is its commit, which is not where an annotated one is.
  if (job.tag) return { refspecs: [`+${name}:${name}`, kept], refs: {} };
  const remote = `refs/remotes/origin/${job.ref}`;
  return { refspecs: [kept, `+${name}:${remote}`], refs: { ...refs, [remote]: now } };
}

/** Variables of the job in the order in which later ones win. */
async function variablesOf(
  deps: CiDependencies,
  db: Db,
  parts: {
    facts: PayloadFacts;
    job: Job;
    plan: JobPlan;
    runner: Runner;
    token: string;
    repositoryUrl: string;
    dotenv: JobVariable[];
  },
): Promise<JobVariable[]> {
  const { job, plan, runner } = parts;
  const { rows, languages, has } = parts.facts;
  const place = { project: rows.project, namespace: rows.namespace };
  const projectUrl = `${deps.externalUrl}/${fullPath(place)}`;
  const subject = { kind: 'project', ...place, level: 0 } as const;
  const audience = { refProtected: job.ref_protected, environment: job.environment };
  const [facts, commit, fromPipeline, environment, frozen, deployToken, failedTests, secret] = await Promise.all([
    pipelineFactsOf(deps, db, place, rows.pipeline, !has.openMergeRequests),
    deps.repository.commit(subject, rows.pipeline.sha) as Promise<CiCommit | null>,
    has.pipelineVariables ? pipelineVariableRows(db, job.pipeline_id) : [],
    job.environment === null ? null : deps.deployments.environmentOf(db, job.id),
    has.freezePeriods && deps.deployments.frozen(db, job.project_id),
    has.deployTokens ? ciDeployToken(db, deps.secrets, rows.project) : null,
    has.attempts ? failedTestVariables(db, job) : [],
    has.secretVariables ? secretVariables(deps, db, place, audience) : [],
  ]);
  const variables = [
    ...environmentVariables(environment, null),
    ...serverVariables(deps),
    ...projectVariables(place, deps.externalUrl, rows.project.ci_config_path ?? ciConfigPaths[1], languages),
    ...commitVariables(facts, commit),
    ...freezeVariables(frozen),
    ...deployTokenVariables(deployToken),
    ...failedTests,
    ...pipelineVariables(rows.pipeline, projectUrl),
    ...jobVariables({
      job,
      plan,
      runner,
      projectUrl,
      token: parts.token,
      repositoryUrl: parts.repositoryUrl,
      timeoutSeconds: job.timeout_seconds ?? rows.project.build_timeout,
    }),
    ...plan.variables.map((item) => variable(item.key, item.value, { raw: item.raw })),
    ...userVariables(rows.user),
    ...parts.dotenv,
    ...secret,
    ...fromPipeline.map((row) =>
      variable(row.key, deps.secrets.open(row.value_encrypted, sealed.pipelineVariable), {
        public: false,
        file: row.variable_type === 'file',
        raw: row.raw,
      }),
    ),
    ...manualVariables(deps, job.manual_variables_encrypted).map(({ key, value }) =>
      variable(key, value, { public: false }),
    ),
  ];
  const given = plan.environment?.url ?? null;
  if (!environment || given === null) return variables;
  // Whoever opens the page of environments reads it: masked values stay out, and what the job reports comes later.
  const url = expandVariables(
    given,
    variables.filter(({ masked }) => !masked),
    'keep',
  );
  await deps.deployments.addressKnown(db, job.id, url);
  return [...variables, variable('CI_ENVIRONMENT_URL', url)];
}

/** How many commits the job itself asks for; 0 means all, as everything does that is no number. */
function gitDepth(variables: readonly JobVariable[]): number | null {
  const wanted = variables.findLast(({ key }) => key === 'GIT_DEPTH')?.value;
  if (wanted === undefined) return null;
  const depth = Number.parseInt(wanted, 10);
  return depth > 0 && depth < 2 ** 31 ? depth : 0;
}

export interface PayloadRequest {
  readonly job: Job;
  readonly runner: Runner;
  /** In plain text: only the runner gets it. */
  readonly token: string;
  /** Where the runner asks from. */
  readonly address: string;
  /** Whether the runner has a feature. */
  readonly supports: (feature: string) => boolean;
}

/** What a runner must be able to do: it would leave these out without a word. */
function requiredFeatures(plan: JobPlan): string[] {
  return [
    ...(plan.run?.some((step) => typeof step.script !== 'string') ? ['native_steps_integration'] : []),
    ...(plan.secrets ? ['vault_secrets'] : []),
    ...(plan.inputs ? ['job_inputs'] : []),
  ];
}

/** The values of the job's inputs: what was given when it was started, else the defaults. */
function inputsOf(plan: JobPlan): object[] {
  const values = plan.input_values ?? {};
  return (plan.inputs ?? []).map(({ name, type, default: fallback }) => ({
    key: name,
    value: { type, content: values[name] ?? fallback ?? '', sensitive: false },
  }));
}

interface PayloadMaking {
  readonly writes: WriteAccess;
  readonly keys: SigningKeys;
  readonly read: ReturnType<typeof payloadReader>;
}

/** What the runner gets, or the reason for which the job fails. */
type Payload = { readonly payload: Record<string, unknown> } | { readonly failure: string };

/** Why nobody may run the job here and now; null when somebody may. */
async function refusal(
  deps: CiDependencies,
  { rows: { project, namespace, user }, has }: PayloadFacts,
  address: string,
): Promise<string | null> {
  // Their jobs were ended when they were blocked; these are what somebody else started in their name, or what came meanwhile.
  if (user && isBlocked(user)) return 'user_blocked';
  if (project.builds_access_level === 'disabled') return 'builds_disabled';
  // The job could reach nothing of the project from there.
  const closed = has.networks ? ((await deps.parents.closedTo?.(address)) ?? []) : [];
  return closed.includes(namespace.traversal_ids[0] ?? namespace.id) ? 'ip_restriction_failure' : null;
}

/** The payload; null when the job's project is gone. */
export async function jobPayload(
  deps: CiDependencies,
  { writes, keys, read }: PayloadMaking,
  { job, runner, token, address, supports }: PayloadRequest,
): Promise<Payload | null> {
  const { db } = deps;
  const plan = job.plan as unknown as JobPlan;
  if (!requiredFeatures(plan).every(supports)) return { failure: 'runner_unsupported' };
  const [facts, own] = await Promise.all([read(db, job), dependenciesOf(db, job, plan)]);
  if (!facts) return null;
  const { rows, running } = facts;
  const refused = await refusal(deps, facts, address);
  if (refused !== null) return { failure: refused };
  if (own.some(isGone)) return { failure: 'missing_dependency_failure' };
  const path = fullPath(rows);
  const repositoryUrl = new URL(`${deps.externalUrl}/${path}.git`);
  const withToken = new URL(repositoryUrl);
  withToken.username = 'gitlab-ci-token';
  withToken.password = token;
  const parts = { facts, job, plan, runner, token, repositoryUrl: withToken.href };
  const reported = dotenvVariables(deps, own);
  let variables = await variablesOf(deps, db, { ...parts, dotenv: reported });
  let from: ReadonlyArray<Pick<Dependency, 'id' | 'name' | 'archive'>> = own;
  if (plan.needs_elsewhere) {
    const caller = await jobCaller(db, tokenHash(token));
    const others = await neededElsewhere(deps, writes, { job, caller }, plan.needs_elsewhere, variables);
    if (!others) return { failure: 'missing_dependency_failure' };
    from = [...own, ...others];
    const more = dotenvVariables(deps, others);
    if (more.length > 0) variables = await variablesOf(deps, db, { ...parts, dotenv: [...reported, ...more] });
  }
  if (!storesAreKnown(plan.secrets ?? [], variables)) return { failure: 'secrets_provider_not_found' };
  const tokens = await idTokenVariables(deps, db, keys, { rows, job, plan, runner, variables });
  variables = [...variables, ...tokens];
  if (asksForDebugging(variables)) await markDebugTrace(db, job.id);
  const queued = job.queued_at && job.started_at ? (job.started_at.getTime() - job.queued_at.getTime()) / 1000 : 0;
  const timeout = job.timeout_seconds ?? rows.project.build_timeout;
  const depth = gitDepth(variables) ?? rows.project.ci_default_git_depth ?? 0;
  const step = (name: string, script: readonly string[], when: string, allowFailure: boolean) => ({
    name,
    script,
    timeout,
    when,
    allow_failure: allowFailure,
  });
  const { refspecs, refs } = await fetched(deps, rows, job, depth);
  const payload = {
    id: job.id,
    token,
    allow_git_fetch: rows.project.build_git_strategy !== 'clone',
    job_info: {
      id: job.id,
      name: job.name,
      stage: job.stage,
      pipeline_id: job.pipeline_id,
      project_id: job.project_id,
      project_name: rows.project.path,
      project_full_name: path,
      project_full_path: path,
      namespace_id: rows.namespace.id,
      root_namespace_id: rows.namespace.traversal_ids[0] ?? rows.namespace.id,
      user_id: job.user_id,
      time_in_queue_seconds: Math.round(queued),
      project_jobs_running_on_instance_runners_count: running > 100 ? '100+' : String(running),
    },
    git_info: {
      repo_url: withToken.href,
      repo_object_format: 'sha1',
      ref: job.ref,
      sha: rows.pipeline.sha,
      before_sha: rows.pipeline.before_sha,
      ref_type: job.tag ? 'tag' : 'branch',
      refspecs,
      // Of ours alone: others do not know it.
      ...(runner.built_in && { refs }),
      depth,
      protected: job.ref_protected,
    },
    runner_info: { timeout, runner_session_url: null },
    inputs: inputsOf(plan),
    variables: expandForRunner(variables),
    steps: [
      ...(plan.run ? [] : [step('script', plan.script, 'on_success', false)]),
      ...(plan.release ? [step('release', [releaseScript(plan.release)], 'on_success', false)] : []),
      ...(plan.after_script.length > 0 ? [step('after_script', plan.after_script, 'always', true)] : []),
    ],
    image: plan.image && { ...plan.image, ports: [] },
    services: plan.services,
    artifacts: artifactsOf(plan.artifacts),
    cache: plan.cache.map((cache) => cacheOf(cache, job, rows.project)),
    credentials: [],
    dependencies: from
      .filter((other) => other.archive !== null)
      .map((other) => ({
        id: other.id,
        name: other.name,
        token,
        artifacts_file: { filename: other.archive?.filename ?? '', size: other.archive?.size ?? 0 },
      })),
    features: {
      trace_sections: true,
      cache_store: true,
      last_piece: true,
      failure_reasons: failureReasons,
      token_mask_prefixes: ['glpat-', 'glcbt-', 'glrt-', 'glrtr-'],
    },
    secrets: secretRequests(
      plan.secrets ?? [],
      (plan.id_tokens ?? []).map(({ name }) => name),
      variables,
    ),
    ...(plan.run ? { run: JSON.stringify(plan.run) } : {}),
    hooks: plan.hooks,
    policy_options: null,
  };
  return { payload };
}
