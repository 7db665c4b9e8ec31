/** From rows of jobs to their JSON: commits, places, one read per table. */
import type { Static } from 'typebox';
import type { ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Job } from '../../../kernel/db/rows.ts';
import { recordNotFound } from '../../../kernel/http/errors.ts';
import type { CiCommit, CiDependencies } from '../deps.ts';
import { downstreamOf } from '../downstream/sources.queries.ts';
import { pipelineBasic } from '../pipelines/pipelines.entity.ts';
import { sessionOf } from '../terminals/terminals.queries.ts';
import { fullPath } from '../variables/predefined.ts';
import { archivedNow } from './archived.ts';
import { findPlace } from './context.queries.ts';
import { type BridgeEntity, bridgeJson, type JobJson, jobJson } from './jobs.entity.ts';
import { viewsOf } from './jobs.queries.ts';
import { waitingFor } from './waiting.ts';

export type Place = Pick<ProjectSubject, 'project' | 'namespace'>;

export const projectUrl = (deps: Pick<CiDependencies, 'externalUrl'>, place: Place): string =>
  `${deps.externalUrl}/${fullPath(place)}`;

/** A commit; null when it is gone, as after a force push and a clean-up: the job is shown without it. */
async function commitOrNull(
  deps: Pick<CiDependencies, 'repository'>,
  place: Place,
  sha: string,
): Promise<CiCommit | null> {
  const subject = { kind: 'project', project: place.project, namespace: place.namespace, level: 0 } as const;
  const known = await deps.repository.resolve(place.project, sha);
  return known === null ? null : await deps.repository.commit(subject, known);
}

/** Jobs of one project as JSON, in order. */
export async function presentJobs(deps: CiDependencies, place: Place, jobs: readonly Job[]): Promise<JobJson[]> {
  const [views, isArchived] = await Promise.all([viewsOf(deps.db, jobs), archivedNow(deps)]);
  const shas = [...new Set(views.map((view) => view.pipeline.sha))];
  const commits = new Map(
    await Promise.all(shas.map(async (sha) => [sha, await commitOrNull(deps, place, sha)] as const)),
  );
  const where = {
    externalUrl: deps.externalUrl,
    projectUrl: projectUrl(deps, place),
    jobTokenScopeEnabled: place.project.ci_job_token_scope_enabled,
    isArchived,
  };
  return views.map((view) => jobJson(view, commits.get(view.pipeline.sha) ?? null, where));
}

/** Trigger jobs of one project as JSON, in order. */
export async function presentBridges(
  deps: CiDependencies,
  place: Place,
  jobs: readonly Job[],
): Promise<Static<typeof BridgeEntity>[]> {
  const [shown, started] = await Promise.all([
    presentJobs(deps, place, jobs),
    downstreamOf(
      deps.db,
      jobs.map(({ id }) => id),
    ),
  ]);
  const urls = new Map<number, string>();
  for (const id of new Set([...started.values()].map((pipeline) => pipeline.project_id))) {
    const other = id === place.project.id ? place : await findPlace(deps.db, id);
    urls.set(id, other ? projectUrl(deps, other) : deps.externalUrl);
  }
  return shown.map((json) => {
    const pipeline = started.get(json.id);
    return bridgeJson(json, pipeline ? pipelineBasic(pipeline, urls.get(pipeline.project_id) ?? '') : null);
  });
}

export async function presentJob(deps: CiDependencies, place: Place, job: Job): Promise<JobJson> {
  const [json] = await presentJobs(deps, place, [job]);
  // Somebody has removed the pipeline meanwhile.
  if (!json) throw recordNotFound();
  if (job.status === 'running') {
    const open = place.project.ci_job_terminals_enabled && (await sessionOf(deps.db, job.id)) !== undefined;
    return { ...json, terminal: open };
  }
  const [shown = json] = await withWaiting(deps, place, [job], [json]);
  return shown;
}

/** What those of the jobs say that have not begun, in addition. */
export async function withWaiting(
  deps: CiDependencies,
  place: Place,
  jobs: readonly Job[],
  shown: readonly JobJson[],
): Promise<JobJson[]> {
  const reasons = await waitingFor(deps, place.project, jobs);
  return shown.map((json) => {
    const waiting = reasons.get(json.id);
    if (!waiting) return json;
    return { ...json, ...(waiting.runners_online === null ? {} : { stuck: waiting.runners_online === 0 }), waiting };
  });
}
