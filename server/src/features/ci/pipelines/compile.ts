/** From a configuration file to the rows of a pipeline: the compiler with this project's repository behind it. */

import { createHash } from 'node:crypto';
import {
  type CompileResult,
  compile,
  type FileVersion,
  filesMatching,
  formatLocated,
  type IncludedFile,
  type IncludeSource,
  type PlanJob,
  parseDuration,
  type Variable,
} from '@millrace/ci-config';
import { ZERO_SHA } from '@millrace/git';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { ciConfigPaths } from '../../../kernel/names.ts';
import type { ApplicationSettings } from '../../../kernel/settings/index.ts';
import type { CiDependencies } from '../deps.ts';
import { type ExplanationJson, explanationJson } from '../explain/explain.entity.ts';
import { environmentFacts } from '../jobs/context.queries.ts';
import type { JobPlan, PlanCache, PlanEnvironment, PlanRelease } from '../jobs/plan.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import type { PipelineFacts } from '../variables/predefined.ts';
import { refName } from '../variables/predefined.ts';
import { type ConfigFile, readableConfigBytes, readConfigFile } from './config-file.ts';
import type { RuleVariables } from './context.ts';
import { includeSources, type SourceDependencies } from './include-sources.ts';
import type { NewJob } from './pipelines.queries.ts';

/** Files that one include with wildcards may bring in. */
const maxWildcardFiles = 150;
/** Bytes of a file whose content makes a cache key. */
const maxKeyFileBytes = 16 * 1024 * 1024;

interface AutoCancelPolicy {
  readonly onNewCommit: 'conservative' | 'interruptible' | 'none';
  readonly onJobFailure: 'all' | 'none';
}

export type Compiled =
  | {
      readonly kind: 'plan';
      readonly name: string | null;
      readonly stages: readonly string[];
      readonly jobs: readonly NewJob[];
      readonly autoCancel: AutoCancelPolicy;
      readonly warnings: readonly string[];
      /** Why each job is in or out. */
      readonly explanation: ExplanationJson;
    }
  /** Valid, and no pipeline here. */
  | { readonly kind: 'filtered'; readonly reason: string }
  | { readonly kind: 'invalid'; readonly errors: readonly string[]; readonly warnings: readonly string[] };

export interface CompileRequest {
  readonly subject: ProjectSubject;
  readonly config: ConfigFile;
  /** Commit whose files are included and looked at. */
  readonly sha: string;
  readonly facts: PipelineFacts;
  readonly variables: RuleVariables;
  /** Values for the inputs that the configuration declares. */
  readonly inputs?: PipelineInputs | undefined;
  /** Takes every job, whatever the rules say. */
  readonly everyJob?: boolean;
  /** Whose rights decide what is read of other projects. */
  readonly caller: Caller;
  /** Reads what a job of the parent pipeline has left. */
  readonly artifact?: ArtifactReader | undefined;
  /** Gives the pipeline its number. Asked only where the configuration has the variable: a pipeline without jobs takes none. */
  readonly number?: (() => Promise<number>) | undefined;
}

/** A file in the archive of a job, by the job's name; null when there is none. */
export type ArtifactReader = (job: string, path: string) => Promise<string | null>;

export type PipelineInputs = Readonly<Record<string, unknown>>;
/** Inputs that one pipeline takes. */
const mostInputs = 20;

const unseen = (each: JobVariable): Variable => ({ ...plain(each), hidden: true });
const plain = ({ key, value, raw, masked }: JobVariable): Variable => ({ key, value, raw, masked });

/** The limits that administrators set. */
const yamlLimits = (values: ApplicationSettings) => ({
  fileBytes: values.max_yaml_size_bytes,
  totalBytes: values.ci_max_total_yaml_size_bytes,
  includes: values.ci_max_includes,
  depth: values.max_yaml_depth,
});

/** The repository as the compiler asks for it. */
function surroundings(deps: SourceDependencies, request: CompileRequest, fileBytes: number) {
  const { repository } = deps;
  const elsewhere = includeSources(deps, request, fileBytes);
  const { subject, sha, facts } = request;
  const { project } = subject;
  let paths: Promise<string[]> | undefined;
  // An empty repository has no commit and no files.
  const empty = sha === ZERO_SHA;
  const listPaths = () => (paths ??= empty ? Promise.resolve([]) : repository.listPaths(project, sha));

  async function against(revision: string): Promise<readonly string[] | null | 'unknown ref'> {
    for (const name of [revision, `refs/heads/${revision}`, `refs/tags/${revision}`]) {
      const other = await repository.resolve(project, name);
      if (other === null) continue;
      const base = await repository.mergeBase(project, other, sha);
      return base === null ? null : await repository.changedPaths(project, base, sha);
    }
    return 'unknown ref';
  }

  /** What a push or a merge request changes; unknown for the first push of a branch and for all else. */
  async function changedPaths(compareTo?: string): Promise<readonly string[] | null | 'unknown ref'> {
    if (compareTo !== undefined) return await against(compareTo);
    if (facts.mergeRequest) {
      const { row, target, targetBranchSha: tip } = facts.mergeRequest;
      // A fork need not have what the target has by now.
      const own = target.id === project.id;
      const base = !own ? row.base_sha : tip === null ? null : await repository.mergeBase(project, tip, sha);
      return base === null ? null : await repository.changedPaths(project, base, sha);
    }
    if (facts.source !== 'push' || facts.tag || facts.beforeSha === ZERO_SHA) return null;
    const before = await repository.resolve(project, facts.beforeSha);
    return before === null ? null : await repository.changedPaths(project, before, sha);
  }

  async function fetch(local: string, source: IncludeSource | null) {
    if (source) return await elsewhere.fetch(local, source);
    const read = async (path: string) => {
      const found = empty ? null : await readConfigFile(repository, project, sha, path, fileBytes);
      return found && { path, ...found };
    };
    if (!local.includes('*')) {
      const file = await read(local);
      return file && [file];
    }
    const found = filesMatching(local, await listPaths()).slice(0, maxWildcardFiles);
    return (await Promise.all(found.map(read))).filter((file) => file !== null);
  }

  /** By content the same bytes give the same key, whatever commit brought them. */
  async function versionOf(path: string, of: FileVersion): Promise<string | null> {
    if (of === 'commit') return empty ? null : await repository.lastCommitOf(project, sha, path);
    const content = empty ? null : await repository.readText(project, sha, path, maxKeyFileBytes);
    return content === null ? null : createHash('sha1').update(content).digest('hex');
  }

  // Many jobs may be of one environment, and each is compiled twice.
  const environments = new Map<string, ReturnType<typeof environmentFacts>>();
  function environmentOf(name: string): ReturnType<typeof environmentFacts> {
    const found = environments.get(name) ?? environmentFacts(deps.db, project.id, name);
    environments.set(name, found);
    return found;
  }
  return { listPaths, listPathsIn: elsewhere.listPathsIn, changedPaths, fetch, versionOf, environmentOf };
}

/**
 * What is compiled. A configuration that is somewhere else is included, and gets the inputs. Its address is not shown: it may
 * hold a token.
 */
function entryOf({ path, text, bytes, elsewhere }: ConfigFile, inputs: PipelineInputs | undefined) {
  const given = inputs && Object.keys(inputs).length > 0 ? { inputs } : {};
  if (!elsewhere) return { path, content: text, ...(bytes === undefined ? {} : { bytes }), ...given };
  return { path: ciConfigPaths[1], content: JSON.stringify({ include: [{ ...elsewhere, ...given }] }) };
}

/** The compiler's own answer, for lint; `fetched` hears of every file that was included. */
export async function compileWith(
  deps: SourceDependencies & Pick<CiDependencies, 'settings'>,
  request: CompileRequest,
  fetched: (file: IncludedFile, source: IncludeSource | null) => void = () => undefined,
): Promise<CompileResult> {
  const { subject, config, sha, facts, variables } = request;
  const values = await deps.settings.read();
  const user = variables.user.map(plain);
  const { fetch, ...around } = surroundings(deps, request, readableConfigBytes(values));
  return await compile({
    ...entryOf(config, request.inputs),
    limits: yamlLimits(values),
    everyJob: request.everyJob ?? false,
    fetch: async (local, source) => {
      const found = await fetch(local, source);
      if (found !== null && !('failure' in found)) for (const file of found) fetched(file, source);
      return found;
    },
    context: {
      ...around,
      ref: refName(facts),
      sha,
      tag: facts.tag,
      source: facts.source,
      defaultBranch: subject.project.default_branch ?? '',
      variables: {
        base: variables.predefined.map(plain),
        override: [...user, ...variables.given.map(unseen)],
        forEnvironment: (environment) => {
          const own = variables.givenFor?.(environment);
          return own ? [...user, ...own.map(unseen)] : null;
        },
      },
    },
  });
}

const cacheOf = (cache: PlanJob['cache'][number]): PlanCache => ({
  key: cache.key,
  untracked: cache.untracked,
  paths: cache.paths,
  policy: cache.policy,
  when: cache.when,
  fallback_keys: cache.fallbackKeys,
  unprotect: cache.unprotect,
});

const imageOf = (image: NonNullable<PlanJob['image']>) => ({
  name: image.name,
  entrypoint: image.entrypoint,
  pull_policy: image.pullPolicy.length > 0 ? image.pullPolicy : null,
  executor_opts: image.options,
});

const serviceOf = (service: PlanJob['services'][number]) => ({
  name: service.name,
  alias: service.alias,
  entrypoint: service.entrypoint,
  command: service.command,
  pull_policy: service.pullPolicy.length > 0 ? service.pullPolicy : null,
  variables: service.variables.map(({ key, value }) => ({ key, value, public: true })),
  executor_opts: service.options,
});

function artifactsOf(artifacts: PlanJob['artifacts']): JobPlan['artifacts'] {
  if (!artifacts) return null;
  return {
    name: artifacts.name,
    untracked: artifacts.untracked,
    paths: artifacts.paths,
    exclude: artifacts.exclude,
    when: artifacts.when,
    expire_in: artifacts.expireIn,
    access: artifacts.access,
    ...(artifacts.exposeAs === null ? {} : { expose_as: artifacts.exposeAs }),
    reports: Object.fromEntries(artifacts.reports.map((report) => [report.kind, report.paths])),
  };
}

const releaseOf = (release: NonNullable<PlanJob['release']>): PlanRelease => ({
  tag_name: release.tagName,
  tag_message: release.tagMessage,
  name: release.name,
  description: release.description,
  ref: release.ref,
  released_at: release.releasedAt,
  milestones: release.milestones,
  links: release.links.map(({ linkType, ...link }) => ({ ...link, link_type: linkType })),
});

const environmentOf = (environment: NonNullable<PlanJob['environment']>): PlanEnvironment => ({
  action: environment.action as PlanEnvironment['action'],
  url: environment.url,
  on_stop: environment.onStop,
  // `never` is no duration.
  auto_stop_in_seconds: environment.autoStopIn === null ? null : (parseDuration(environment.autoStopIn) ?? 0),
  tier: environment.deploymentTier,
  ...(environment.kubernetes
    ? {
        kubernetes: {
          namespace: environment.kubernetes.namespace,
          flux_resource_path: environment.kubernetes.fluxResourcePath,
        },
      }
    : {}),
});

/** One job of the compiler's plan as its row. */
function jobOf(job: PlanJob): NewJob {
  return {
    name: job.name,
    kind: job.trigger || job.upstream !== null ? 'bridge' : 'job',
    stage: job.stage,
    stageIndex: job.stageIndex,
    when: job.when,
    allowFailure: job.allowFailure,
    needs: job.needs === null ? null : job.needs.map((need) => ({ name: need.job, artifacts: need.artifacts })),
    tags: job.tags,
    interruptible: job.interruptible ?? false,
    resourceGroup: job.resourceGroup,
    environment: job.environment?.name ?? null,
    plan: {
      script: [...job.beforeScript, ...job.script],
      after_script: job.afterScript,
      variables: job.variables,
      image: job.image && imageOf(job.image),
      services: job.services.map(serviceOf),
      artifacts: artifactsOf(job.artifacts),
      cache: job.cache.map(cacheOf),
      dependencies: job.dependencies,
      retry: job.retry.max === 0 ? null : { max: job.retry.max, when: job.retry.when, exit_codes: job.retry.exitCodes },
      timeout_seconds: job.timeoutSeconds,
      coverage: job.coverage,
      start_in_seconds: job.startIn,
      allow_failure_exit_codes: job.allowFailureExitCodes.length > 0 ? job.allowFailureExitCodes : null,
      parallel: job.parallel,
      hooks: job.hooks,
      ...(job.environment ? { environment: environmentOf(job.environment) } : {}),
      ...(job.release ? { release: releaseOf(job.release) } : {}),
      ...(job.trigger ? { trigger: job.trigger } : {}),
      ...(job.needsElsewhere.length > 0 ? { needs_elsewhere: job.needsElsewhere } : {}),
      ...(job.upstream === null ? {} : { upstream: job.upstream }),
      ...(job.run ? { run: job.run } : {}),
      ...(job.idTokens.length > 0 ? { id_tokens: job.idTokens } : {}),
      ...(job.secrets.length > 0 ? { secrets: job.secrets } : {}),
      ...(job.inputs.length > 0 ? { inputs: job.inputs } : {}),
      ...(job.manualConfirmation === null ? {} : { manual_confirmation: job.manualConfirmation }),
    },
  };
}

const numberVariable = 'CI_PIPELINE_IID';

async function withNumber(request: CompileRequest): Promise<CompileRequest> {
  const number = await request.number?.();
  const predefined = [...request.variables.predefined, variable(numberVariable, String(number))];
  return { ...request, variables: { ...request.variables, predefined } };
}

export async function compileConfig(
  deps: SourceDependencies & Pick<CiDependencies, 'settings'>,
  request: CompileRequest,
): Promise<Compiled> {
  const count = Object.keys(request.inputs ?? {}).length;
  if (count > mostInputs)
    return { kind: 'invalid', errors: [`too many inputs: ${count}, and a pipeline takes ${mostInputs}`], warnings: [] };
  const texts = [request.config.text];
  const first = await compileWith(deps, request, ({ content }) => texts.push(content));
  const numbered = request.number !== undefined && texts.some((text) => text.includes(numberVariable));
  const result = numbered ? await compileWith(deps, await withNumber(request)) : first;
  const warnings = result.warnings.map(formatLocated);
  if (!result.ok) {
    if (result.filtered) return { kind: 'filtered', reason: result.errors[0]?.message ?? '' };
    return { kind: 'invalid', errors: result.errors.map(formatLocated), warnings };
  }
  const { plan } = result;
  return {
    kind: 'plan',
    name: plan.workflow.name,
    stages: plan.stages,
    jobs: plan.jobs.map(jobOf),
    autoCancel: {
      onNewCommit: plan.workflow.autoCancel?.onNewCommit ?? 'conservative',
      onJobFailure: plan.workflow.autoCancel?.onJobFailure ?? 'none',
    },
    warnings,
    explanation: explanationJson(result),
  };
}
