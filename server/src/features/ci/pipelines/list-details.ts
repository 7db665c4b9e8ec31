/** What rows of the list of pipelines tell besides: commit, person, duration and stages, with one statement each for a page. */
import type { Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import { userReference } from '../../identity/index.ts';
import type { CiDependencies } from '../deps.ts';
import { usersById } from '../jobs/jobs.queries.ts';
import { compositeStatus } from '../scheduling/composite-status.ts';
import type { JobStatus } from '../scheduling/job-states.ts';
import type { PipelineListed } from './pipelines.entity.ts';
import { type StageJob, stageJobs } from './stages.queries.ts';

type Details = NonNullable<Static<typeof PipelineListed>['details']>;

function stagesOf(jobs: readonly StageJob[]): Details['stages'] {
  return [...Map.groupBy(jobs, ({ stage_index }) => stage_index).values()].map((own) => ({
    name: own[0]?.stage ?? '',
    status:
      compositeStatus(own.map((job) => ({ status: job.status as JobStatus, allowFailure: job.allow_failure })))
        ?.status ?? 'created',
  }));
}

/** Failed jobs that a row names; more are counted. */
const mostNamed = 3;

function failedOf(jobs: readonly StageJob[]): Pick<Details, 'failed_jobs' | 'failed_jobs_count'> {
  const failed = jobs.filter((job) => job.status === 'failed' && !job.allow_failure);
  return {
    failed_jobs: failed.slice(0, mostNamed).map(({ id, name, stage }) => ({ id, name, stage })),
    failed_jobs_count: failed.length,
  };
}

const commitOf = ({ project_id, sha }: Pipeline) => `${project_id}:${sha}`;

/** By the id of the pipeline; `subjects` are their projects, by id. */
export async function detailsOf(
  deps: Pick<CiDependencies, 'db' | 'externalUrl' | 'repository'>,
  subjects: ReadonlyMap<number, ProjectSubject>,
  pipelines: readonly Pipeline[],
): Promise<ReadonlyMap<number, Details>> {
  const [jobs, users, titles] = await Promise.all([
    stageJobs(
      deps.db,
      pipelines.map(({ id }) => id),
    ),
    usersById(deps.db, pipelines),
    Promise.all(
      [...new Map(pipelines.map((pipeline) => [commitOf(pipeline), pipeline]))].map(
        async ([key, { project_id, sha }]) => {
          const subject = subjects.get(project_id);
          const known = subject && (await deps.repository.resolve(subject.project, sha));
          return [key, subject && known ? (await deps.repository.commit(subject, known)).title : null] as const;
        },
      ),
    ).then((found) => new Map(found)),
  ]);
  const byPipeline = Map.groupBy(jobs, ({ pipeline_id }) => pipeline_id);
  return new Map(
    pipelines.map((pipeline) => {
      const user = users.get(pipeline.user_id ?? 0);
      const own = byPipeline.get(pipeline.id) ?? [];
      return [
        pipeline.id,
        {
          tag: pipeline.tag,
          commit_title: titles.get(commitOf(pipeline)) ?? null,
          user: user ? userReference(user, deps.externalUrl) : null,
          duration: pipeline.duration,
          stages: stagesOf(own),
          ...failedOf(own),
        },
      ];
    }),
  );
}
