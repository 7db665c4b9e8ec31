/** A job of a plan as the runner takes it, without a server. */
import {
  environmentSlug,
  expandForRunner,
  expandVariables,
  groupName,
  nameSlug,
  type Plan,
  type PlanJob,
  type Variable,
} from '@millrace/ci-config';
import type { WorkTreeSnapshot } from '@millrace/git/work-tree';
import type { JobPayload } from '@millrace/runner';
import type { LocalPipeline } from './event.ts';

/** Seconds, of jobs that name none. */
const defaultTimeout = 3600;

/** Names of the jobs whose artifacts a job gets: what it names, else what it needs, else all of the stages before. */
export function dependenciesOf(job: PlanJob, plan: Plan): string[] {
  const reachable =
    job.needs === null
      ? plan.jobs.filter((other) => other.stageIndex < job.stageIndex).map((other) => other.name)
      : job.needs.filter((need) => need.artifacts).map((need) => need.job);
  return job.dependencies === null ? reachable : reachable.filter((name) => job.dependencies?.includes(name));
}

/** The predefined variables of a job. */
function ofJob(job: PlanJob, id: number): Variable[] {
  const { environment, image, parallel } = job;
  const list: Record<string, string> = {
    CI_JOB_ID: String(id),
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: nameSlug(job.name),
    CI_JOB_GROUP_NAME: groupName(job.name),
    CI_JOB_STAGE: job.stage,
    CI_JOB_STARTED_AT: new Date().toISOString().replace(/\.\d+/, ''),
    CI_JOB_TIMEOUT: String(job.timeoutSeconds ?? defaultTimeout),
    ...(job.when === 'manual' && { CI_JOB_MANUAL: 'true' }),
    ...(image && { CI_JOB_IMAGE: image.name }),
    CI_NODE_TOTAL: String(parallel?.total ?? 1),
    ...(parallel && { CI_NODE_INDEX: String(parallel.index) }),
    ...(environment && {
      CI_ENVIRONMENT_NAME: environment.name,
      CI_ENVIRONMENT_SLUG: environmentSlug(environment.name),
      CI_ENVIRONMENT_ACTION: environment.action,
    }),
  };
  return [
    ...Object.entries(list).map(([key, value]) => ({ key, value, raw: true })),
    ...(environment?.url ? [{ key: 'CI_ENVIRONMENT_URL', value: environment.url }] : []),
  ];
}

export function payloadOf(
  job: PlanJob,
  id: number,
  {
    pipeline,
    snapshot,
    archives,
    reported,
  }: {
    readonly pipeline: LocalPipeline;
    readonly snapshot: WorkTreeSnapshot;
    /** Ids of the jobs before that left an archive, by name. */
    readonly archives: ReadonlyMap<string, number>;
    /** What the jobs before reported as variables, by name of the job. */
    readonly reported: ReadonlyMap<string, readonly Variable[]>;
  },
  dependencies: readonly string[],
): JobPayload {
  const own: Variable[] = [
    ...pipeline.predefined,
    ...ofJob(job, id),
    ...job.variables,
    ...dependencies.flatMap((name) => reported.get(name) ?? []),
    ...pipeline.given,
  ];
  const step = (name: string, script: readonly string[], when: string, allow: boolean) => ({
    name,
    script: [...script],
    when,
    allow_failure: allow,
  });
  const { artifacts, image } = job;
  const hasArchive = artifacts !== null && (artifacts.paths.length > 0 || artifacts.untracked);
  return {
    id,
    token: `local-${id}`,
    job_info: { name: job.name, stage: job.stage, project_id: 1, project_name: 'local' },
    git_info: {
      repo_url: snapshot.repository,
      ref: pipeline.ref,
      sha: snapshot.sha,
      ref_type: pipeline.tag ? 'tag' : 'branch',
      refspecs: ['+refs/heads/*:refs/remotes/origin/*'],
    },
    runner_info: { timeout: job.timeoutSeconds ?? defaultTimeout },
    variables: expandForRunner(own).map(({ key, value, raw }) => ({ key, value, raw: raw ?? false, public: true })),
    steps: [
      step('script', [...job.beforeScript, ...job.script], 'on_success', false),
      ...(job.afterScript.length > 0 ? [step('after_script', job.afterScript, 'always', true)] : []),
    ],
    image: image && {
      name: expandVariables(image.name, own, 'keep'),
      entrypoint: image.entrypoint && [...image.entrypoint],
      pull_policy: [...image.pullPolicy],
      executor_opts: image.options,
    },
    services: job.services.map((service) => ({
      name: expandVariables(service.name, own, 'keep'),
      alias: service.alias,
      entrypoint: service.entrypoint && [...service.entrypoint],
      command: service.command && [...service.command],
      pull_policy: [...service.pullPolicy],
      variables: service.variables.map(({ key, value, raw }) => ({ key, value, raw })),
      executor_opts: service.options,
    })),
    artifacts: [
      ...(hasArchive
        ? [
            {
              name: artifacts.name,
              untracked: artifacts.untracked,
              paths: [...artifacts.paths],
              exclude: [...artifacts.exclude],
              when: artifacts.when,
              artifact_type: 'archive',
              artifact_format: 'zip',
            },
          ]
        : []),
      ...(artifacts?.reports ?? [])
        .filter(({ kind }) => kind === 'dotenv')
        .map(({ kind, paths }) => ({
          name: '.env',
          paths: [...paths],
          when: 'always',
          artifact_type: kind,
          artifact_format: 'gzip',
        })),
    ],
    cache: job.cache.map(({ key, untracked, paths, policy, when }) => ({
      key,
      untracked,
      paths: [...paths],
      policy,
      when,
    })),
    dependencies: dependencies.flatMap((name) => {
      const other = archives.get(name);
      return other === undefined
        ? []
        : [{ id: other, name, token: '', artifacts_file: { filename: 'artifacts.zip', size: 1 } }];
    }),
    hooks: job.hooks.map(({ name, script }) => ({ name, script: [...script] })),
    inputs: job.inputs.map(({ name, type, default: content }) => ({ key: name, value: { type, content } })),
    run: job.run && JSON.stringify(job.run),
  };
}
