/** A job of a plan as the runner takes it, without a server. */
import { expandForRunner, expandVariables, type Plan, type PlanJob, type Variable } from '@millrace/ci-config';
import type { WorkTreeSnapshot } from '@millrace/git';
import type { JobPayload } from '@millrace/runner';
import type { LocalPipeline } from './event.ts';

/** Names of the jobs whose artifacts a job gets: what it names, else what it needs, else all of the stages before. */
export function dependenciesOf(job: PlanJob, plan: Plan): string[] {
  const reachable =
    job.needs === null
      ? plan.jobs.filter((other) => other.stageIndex < job.stageIndex).map((other) => other.name)
      : job.needs.filter((need) => need.artifacts).map((need) => need.job);
  return job.dependencies === null ? reachable : reachable.filter((name) => job.dependencies?.includes(name));
}

export function payloadOf(
  job: PlanJob,
  id: number,
  {
    pipeline,
    snapshot,
    archives,
  }: {
    readonly pipeline: LocalPipeline;
    readonly snapshot: WorkTreeSnapshot;
    /** Ids of the jobs before that left an archive, by name. */
    readonly archives: ReadonlyMap<string, number>;
  },
  dependencies: readonly string[],
): JobPayload {
  const own: Variable[] = [
    ...pipeline.variables,
    { key: 'CI_JOB_ID', value: String(id), raw: true },
    { key: 'CI_JOB_NAME', value: job.name, raw: true },
    { key: 'CI_JOB_STAGE', value: job.stage, raw: true },
    { key: 'CI_NODE_TOTAL', value: String(job.parallel?.total ?? 1), raw: true },
    ...(job.parallel ? [{ key: 'CI_NODE_INDEX', value: String(job.parallel.index), raw: true }] : []),
    ...(job.environment ? [{ key: 'CI_ENVIRONMENT_NAME', value: job.environment.name, raw: true }] : []),
    ...job.variables,
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
    runner_info: { timeout: job.timeoutSeconds },
    variables: expandForRunner(own).map(({ key, value, raw }) => ({ key, value, raw: raw ?? false, public: true })),
    steps: [
      step('script', [...job.beforeScript, ...job.script], 'on_success', false),
      ...(job.afterScript.length > 0 ? [step('after_script', job.afterScript, 'always', true)] : []),
    ],
    image: image && { name: expandVariables(image.name, own, 'keep') },
    artifacts: hasArchive
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
      : [],
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
