/** Pipelines of one merge request: reading them, and making one at once or in the background. */
import { ZERO_SHA } from '@millrace/git';
import Type from 'typebox';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { MergeRequest } from '../../../kernel/db/rows.ts';
import { forbidden, HttpError, invalidRecord, unauthorized } from '../../../kernel/http/errors.ts';
import type { Page } from '../../../kernel/http/pagination.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { addJob, defineTask, type Task } from '../../../kernel/queue/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findMergeRequest, findPlace } from '../jobs/context.queries.ts';
import { projectUrl } from '../jobs/serialize.ts';
import { reportRoutesOf } from '../reports/reports.queries.ts';
import type { Pipelines } from './create.ts';
import { requestRun } from './merged-results.ts';
import { type PipelineDetailJson, type PipelineJson, pipelineBasic } from './pipelines.entity.ts';
import { countPipelinesOfMergeRequest, findPipelineById, pipelinesOfMergeRequest } from './pipelines.queries.ts';
import { pipelineDetailById } from './serialize.ts';

const taskName = 'ci.create_merge_request_pipeline';

export interface MergeRequestPipelines {
  detail(id: number): Promise<PipelineDetailJson | null>;
  ofMergeRequest(
    request: Pick<MergeRequest, 'id' | 'project_id' | 'source_project_id' | 'source_branch'>,
    page: Page,
  ): Promise<{ rows: readonly PipelineJson[]; total: number }>;
  countOfMergeRequest(request: Pick<MergeRequest, 'id' | 'source_project_id' | 'source_branch'>): Promise<number>;
  /** Names of the routes of its reports that answer more than nothing. */
  reportsOfMergeRequest(request: Pick<MergeRequest, 'id'>): Promise<string[]>;
  /** 400 when the configuration has no jobs for it. */
  createForMergeRequest(subject: ProjectSubject, caller: Caller, request: MergeRequest): Promise<PipelineJson>;
  /** Makes one in the background, with the rights that the caller has then. */
  requestForMergeRequest(subject: ProjectSubject, caller: Caller, request: MergeRequest): Promise<void>;
}

export function mergeRequestPipelines(
  deps: CiDependencies,
  pipelines: Pick<Pipelines, 'create'>,
): { readonly reader: MergeRequestPipelines; readonly task: Task } {
  const { db, log } = deps;

  /** Where the pipeline of a merge request runs: a fork's in the fork, unless somebody of the project runs it here. */
  async function placeOf(subject: ProjectSubject, caller: Caller, request: MergeRequest): Promise<ProjectSubject> {
    const { source_project_id: from, project_id: to } = request;
    const here = subject.project.ci_allow_fork_pipelines_to_run_in_parent_project;
    if (from === to || (here && canOnProject(caller, 'create_pipeline', subject))) {
      requireOnProject(caller, 'create_pipeline', subject);
      return subject;
    }
    const source = from === null ? null : await deps.parents.project(String(from), caller);
    if (source && canOnProject(caller, 'create_pipeline', source)) return source;
    throw caller.user === null ? unauthorized() : forbidden();
  }

  async function create(place: ProjectSubject, caller: Caller, request: MergeRequest) {
    if (request.head_sha === null) throw invalidRecord({ base: ['The merge request has no commits'] });
    return await pipelines.create({
      subject: place,
      caller,
      ...(await requestRun(deps, place, request, request.head_sha)),
      beforeSha: ZERO_SHA,
      source: 'merge_request_event',
      mergeRequest: request,
      keepBroken: true,
    });
  }

  async function createRequested(requestId: number, userId: number): Promise<void> {
    const request = await findMergeRequest(db, requestId);
    const acting = request && (await deps.actingAs(userId, request.project_id));
    // Either went, or the person may do nothing here any more.
    if (!request || !acting || request.head_sha === null) return;
    const { caller, subject } = acting;
    if (!canOnProject(caller, 'read_merge_request', subject)) return;
    try {
      const outcome = await create(await placeOf(subject, caller, request), caller, request);
      if (outcome.kind === 'refused')
        log.info({ merge_request: requestId, reasons: outcome.reasons }, 'no pipeline was made');
    } catch (error) {
      // The person lost the right to it since: another attempt would not help.
      if (!(error instanceof HttpError)) throw error;
      log.info({ merge_request: requestId, reasons: [error.message] }, 'no pipeline was made');
    }
  }

  return {
    reader: {
      detail: (id) => pipelineDetailById(deps, id),
      ofMergeRequest: async (request, page) => {
        const { rows, total } = await pipelinesOfMergeRequest(db, request, page);
        // Those of a fork's request are the fork's, or of the project that it is for.
        const urls = new Map<number, string>();
        for (const id of new Set(rows.map((row) => row.project_id))) {
          const place = await findPlace(db, id);
          urls.set(id, place ? projectUrl(deps, place) : deps.externalUrl);
        }
        return {
          rows: rows.map((row) => pipelineBasic(row, urls.get(row.project_id) ?? deps.externalUrl)),
          total,
        };
      },
      countOfMergeRequest: (request) => countPipelinesOfMergeRequest(db, request),
      reportsOfMergeRequest: ({ id }) => reportRoutesOf(db, id),
      createForMergeRequest: async (subject, caller, request) => {
        const place = await placeOf(subject, caller, request);
        const outcome = await create(place, caller, request);
        if (outcome.kind === 'refused') throw invalidRecord({ base: outcome.reasons });
        const pipeline = await findPipelineById(db, outcome.pipeline.id);
        return pipelineBasic(pipeline ?? outcome.pipeline, projectUrl(deps, place));
      },
      requestForMergeRequest: async (subject, caller, request) => {
        await placeOf(subject, caller, request);
        if (!caller.user) throw unauthorized();
        await addJob(db, { name: taskName }, { merge_request_id: request.id, user_id: caller.user.id });
      },
    },
    task: defineTask(
      taskName,
      Type.Object({ merge_request_id: Type.Integer(), user_id: Type.Integer() }),
      async (payload) => createRequested(payload.merge_request_id, payload.user_id),
    ),
  };
}
