/** Merge trains for tests: a project that has them, and a runner that ends the pipelines of entries as it is told. */
import type { TestApp } from './app.ts';
import { eventually, type JobPayload, type ProtocolRunner, protocolRunner } from './ci.ts';
import { type BuiltToken, buildAdmin, buildToken } from './factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from './repositories.ts';

/** One job, in pipelines of merge trains only. */
export const trainConfig = `test:
  script: [make]
  rules: [{ if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"' }]
`;

export interface TrainRunner {
  /** Ends the job of a merge request that waits in this project. */
  end(project: RepositoryProject, iid: unknown, state?: 'success' | 'failed'): Promise<JobPayload>;
  /** The job of a pipeline that waits; null where none does. */
  take(pipelineId: number): Promise<JobPayload | null>;
  readonly runner: ProtocolRunner;
}

const variableOf = (job: JobPayload, key: string) => job.variables.find((variable) => variable.key === key)?.value;

export async function trainRunner(app: TestApp): Promise<TrainRunner> {
  const admin = await buildToken(app, { user: await buildAdmin(app) });
  const json = { runner_type: 'instance_type', run_untagged: true };
  const made = await app.api<Json>('POST', '/user/runners', { token: admin.secret, json });
  const runner = protocolRunner(app, String(made.body.token));
  const held: JobPayload[] = [];
  return {
    runner,
    async take(pipelineId) {
      for (;;) {
        const at = held.findIndex((job) => variableOf(job, 'CI_PIPELINE_ID') === String(pipelineId));
        if (at !== -1) return held.splice(at, 1)[0] ?? null;
        const answer = await runner.request();
        if (answer.status !== 201) return null;
        held.push(JSON.parse(answer.text) as JobPayload);
      }
    },
    async end(project, iid, state = 'success') {
      const job = await eventually(`a job of !${iid}`, async () => {
        const answer = await runner.request();
        if (answer.status === 201) held.push(JSON.parse(answer.text) as JobPayload);
        const mine = held.filter(
          (one) =>
            variableOf(one, 'CI_MERGE_REQUEST_IID') === String(iid) &&
            variableOf(one, 'CI_PROJECT_ID') === String(project.id),
        );
        for (const one of mine) {
          held.splice(held.indexOf(one), 1);
          const done = await runner.update(one, state, state === 'failed' ? { failure_reason: 'script_failure' } : {});
          // One that was canceled in the meantime is no answer.
          if (done.status === 200 && done.headers.get('job-status') !== 'canceled') return one;
        }
        return null;
      });
      return job;
    },
  };
}

export const buildTrainProject = (
  app: TestApp,
  owner: BuiltToken,
  settings: Json = {},
  files: Readonly<Record<string, string>> = {},
): Promise<RepositoryProject> =>
  buildRepositoryProject(app, {
    owner,
    settings: { merge_pipelines_enabled: true, merge_trains_enabled: true, ...settings },
    files: { 'a.txt': 'one\n', '.gitlab-ci.yml': trainConfig, ...files },
  });

/** Opens a merge request of a new branch with two commits. */
export async function openRequest(project: RepositoryProject, branch: string, json: Json = {}): Promise<Json> {
  await project.commit(
    branch,
    { [`${branch}-1`]: '1\n' },
    { start_branch: 'main', commit_message: `First of ${branch}` },
  );
  await project.commit(branch, { [`${branch}-2`]: '2\n' }, { commit_message: `Second of ${branch}` });
  const answer = await project.api('POST', '/merge_requests', {
    json: { source_branch: branch, target_branch: 'main', title: `Title of ${branch}`, ...json },
  });
  if (answer.status !== 201) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
