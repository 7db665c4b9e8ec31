/** Making pipelines: one function for pushes, merge requests, the API and whatever comes later. */
import type { Caller, CallerUser, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isMissingReference, transaction } from '../../../kernel/db/index.ts';
import type { MergeRequest, Namespace, Pipeline } from '../../../kernel/db/rows.ts';
import type { CiCommit, CiDependencies } from '../deps.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { openMergeRequestsOf } from '../jobs/context.queries.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import { processPipeline } from '../scheduling/process.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import {
  commitVariables,
  type PipelineFacts,
  projectVariables,
  serverVariables,
  userVariables,
} from '../variables/predefined.ts';
import { sealed } from '../variables/sealing.ts';
import { secretVariables } from '../variables/secret-variables.ts';
import { type Compiled, compileConfig, type PipelineInputs } from './compile.ts';
import { findConfig } from './config-file.ts';
import { mergeRequestFacts } from './pipeline-facts.ts';
import {
  blankPipeline,
  insertJobs,
  insertPipeline,
  insertPipelineVariables,
  type NewPipeline,
  startedUninterruptible,
  unfinishedBefore,
} from './pipelines.queries.ts';

export const zeroSha = '0'.repeat(40);

type PipelineSource = 'push' | 'api' | 'web' | 'merge_request_event' | 'trigger' | 'schedule';

export interface PipelineVariableInput {
  readonly key: string;
  readonly value: string;
  readonly variable_type: 'env_var' | 'file';
  readonly raw?: boolean;
}

export interface CreatePipeline {
  readonly subject: ProjectSubject;
  /** Whose request it is: jobs run with their rights. */
  readonly caller: Caller;
  /** Full ref: `refs/heads/x`, `refs/tags/x`, `refs/merge-requests/1/head`. */
  readonly ref: string;
  readonly sha: string;
  readonly beforeSha: string;
  readonly source: PipelineSource;
  readonly variables?: readonly PipelineVariableInput[];
  /** Values for the inputs that the configuration declares. */
  readonly inputs?: PipelineInputs;
  readonly mergeRequest?: MergeRequest;
  /** From a push option. */
  readonly skip?: boolean;
  /** Store a failed pipeline when the configuration is broken; else that is refused. */
  readonly keepBroken: boolean;
}

/** What facts and variables depend on. */
export type ContextRequest = Omit<CreatePipeline, 'skip' | 'keepBroken'>;

export type CreateOutcome =
  | { readonly kind: 'created'; readonly pipeline: Pipeline }
  /** Nothing was stored: the reasons in the ecosystem's words; `filtered` when the configuration wants none. */
  | { readonly kind: 'refused'; readonly reasons: readonly string[]; readonly filtered: boolean };

const skipMarks = /\[(ci[ _-]skip|skip[ _-]ci)\]/i;
/** Sources that a mark in the commit's message stops. */
const skippable: ReadonlySet<PipelineSource> = new Set(['push', 'merge_request_event']);

const refused = (reason: string, filtered = false): CreateOutcome => ({ kind: 'refused', reasons: [reason], filtered });

/** The short name of a branch or tag; the full ref of what has none. */
export function shortRef(ref: string): { name: string; tag: boolean; branch: boolean } {
  const match = /^refs\/(heads|tags)\/(.+)$/.exec(ref);
  if (!match) return { name: ref, tag: false, branch: false };
  return { name: match[2] ?? '', tag: match[1] === 'tags', branch: match[1] === 'heads' };
}

/** The ref that the pipeline of a merge request is of: its own, and in a fork the source branch, as it has no other there. */
export const refOfRequest = (
  request: { readonly iid: number; readonly project_id: number; readonly source_branch: string },
  projectId: number,
): string =>
  projectId === request.project_id ? `refs/merge-requests/${request.iid}/head` : `refs/heads/${request.source_branch}`;

/** The ref of what is stored by its short name. */
export const fullRef = ({ ref, tag }: { readonly ref: string; readonly tag: boolean }): string =>
  `refs/${tag ? 'tags' : 'heads'}/${ref}`;

/** Everything about a pipeline that is not stored yet: what rules, variables and the row are made of. */
export interface PipelineContext {
  readonly facts: PipelineFacts;
  readonly commit: CiCommit;
  /** As the configuration's rules see them, weakest first. */
  readonly variables: { readonly predefined: readonly JobVariable[]; readonly given: readonly JobVariable[] };
}

export type Pipelines = ReturnType<typeof pipelineMaker>;

export function pipelineMaker(deps: CiDependencies) {
  const { db, repository } = deps;

  /** Protection is decided on the full ref: a branch that is named like a protected tag is not protected by it. */
  async function factsOf(request: ContextRequest): Promise<PipelineFacts> {
    const { subject, mergeRequest } = request;
    const { name, tag, branch } = shortRef(request.ref);
    const place = { project: subject.project, namespace: subject.namespace as Namespace };
    const merge = mergeRequest ? await mergeRequestFacts(deps, db, place, mergeRequest) : null;
    const refProtected = merge
      ? merge.source?.id === merge.target.id && merge.source.branchProtected && merge.target.branchProtected
      : await repository.isProtected(subject.project, request.ref);
    return {
      sha: request.sha,
      beforeSha: request.beforeSha,
      ref: name,
      tag,
      refProtected,
      source: request.source,
      mergeRequest: merge,
      openMergeRequests: branch ? await openMergeRequestsOf(db, subject.project.id, name) : [],
    };
  }

  async function contextOf(request: ContextRequest, configPath: string): Promise<PipelineContext> {
    const { subject } = request;
    const facts = await factsOf(request);
    const commit = await repository.commit(subject, request.sha);
    const secret = await secretVariables(deps, db, subject, { refProtected: facts.refProtected, environment: null });
    return {
      facts,
      commit,
      variables: {
        predefined: [
          ...serverVariables(deps),
          ...projectVariables(subject, deps.externalUrl, configPath),
          ...commitVariables(facts, commit),
          ...userVariables(request.caller.user),
        ],
        given: [
          ...secret,
          ...(request.variables ?? []).map((item) =>
            variable(item.key, item.value, { file: item.variable_type === 'file', raw: item.raw ?? false }),
          ),
        ],
      },
    };
  }

  const rowOf = (
    request: CreatePipeline,
    { facts, commit }: Pick<PipelineContext, 'facts' | 'commit'>,
    user: CallerUser | null,
  ): Omit<NewPipeline, 'iid'> =>
    blankPipeline({
      project_id: request.subject.project.id,
      sha: request.sha,
      before_sha: request.beforeSha,
      ref: facts.ref,
      tag: facts.tag,
      ref_protected: facts.refProtected,
      source: request.source,
      user_id: user?.id ?? null,
      merge_request_id: request.mergeRequest?.id ?? null,
      committed_at: new Date(commit.committed_date),
    });

  /** Stores a pipeline with its jobs and starts it, in one transaction. */
  async function store(
    request: CreatePipeline,
    row: Omit<NewPipeline, 'iid'>,
    plan: Extract<Compiled, { kind: 'plan' }> | null,
  ): Promise<Pipeline> {
    return await transaction(db, async (tx) => {
      const iid = await deps.nextIid(tx, row.project_id, 'pipeline');
      const pipeline = await insertPipeline(tx, { ...row, iid });
      await insertPipelineVariables(
        tx,
        pipeline.id,
        (request.variables ?? []).map((item) => ({
          key: item.key,
          sealed: deps.secrets.seal(item.value, sealed.pipelineVariable),
          type: item.variable_type,
          raw: item.raw ?? false,
        })),
      );
      const place = { projectId: row.project_id, actorId: row.user_id };
      await deps.recordFact(tx, {
        ...place,
        kind: 'pipeline.created',
        payload: { pipeline_id: pipeline.id, status: pipeline.status },
      });
      await deps.announce(tx, `project:${row.project_id}:pipelines`);
      if (!plan) {
        await deps.recordFact(tx, {
          ...place,
          kind: 'pipeline.finished',
          payload: { pipeline_id: pipeline.id, status: pipeline.status },
        });
        return pipeline;
      }
      await insertJobs(tx, pipeline, plan.jobs);
      // Runners fetch by this ref: the commit stays reachable when the branch moves on.
      await repository.keepRef(tx, request.subject.project, `refs/pipelines/${pipeline.id}`, request.sha);
      await processPipeline(deps, tx, pipeline.id, pipeline);
      return pipeline;
    });
  }

  /**
   * Older pipelines of the branch have lost their purpose. Each says itself what may be stopped: all of it as long as
   * nothing that must not be interrupted has begun, only what may be interrupted, or nothing.
   */
  async function cancelRedundant(pipeline: Pipeline): Promise<void> {
    for (const { id } of await unfinishedBefore(db, pipeline)) {
      await transaction(db, async (tx: Db) => {
        const older = await lockPipeline(tx, id);
        if (!older || older.auto_cancel_on_new_commit === 'none') return;
        if (older.auto_cancel_on_new_commit === 'interruptible')
          await cancelJobs(deps, tx, older, null, (job) => job.interruptible);
        else if (!(await startedUninterruptible(tx, id))) await cancelJobs(deps, tx, older, null);
      });
    }
  }

  async function create(request: CreatePipeline): Promise<CreateOutcome> {
    try {
      return await createNow(request);
    } catch (error) {
      // Removed by somebody while its configuration was read.
      if (isMissingReference(error, 'pipelines_merge_request_id_fkey'))
        return refused('The merge request is gone', true);
      throw error;
    }
  }

  async function createNow(request: CreatePipeline): Promise<CreateOutcome> {
    const { subject, caller } = request;
    if (request.source !== 'schedule' && !(await deps.mayCreatePipeline(caller, subject, request.sha)))
      return refused('Too many pipelines created in the last minute. Try again later.');
    const config = await findConfig(deps, subject.project, request.sha);
    if (!config) return refused('Missing CI config file', true);
    const context = await contextOf(request, config.path);
    const row = rowOf(request, context, caller.user);
    const marked = skippable.has(request.source) && skipMarks.test(context.commit.message);
    if (request.skip || marked)
      return { kind: 'created', pipeline: await store(request, { ...row, status: 'skipped' }, null) };
    const compiled = await compileConfig(deps, {
      subject,
      config,
      sha: request.sha,
      facts: context.facts,
      variables: context.variables,
      inputs: request.inputs,
    });
    switch (compiled.kind) {
      case 'invalid': {
        if (!request.keepBroken) return { kind: 'refused', reasons: compiled.errors, filtered: false };
        const broken = {
          ...row,
          status: 'failed',
          failure_reason: 'config_error',
          yaml_errors: compiled.errors.join('\n'),
          warnings: compiled.warnings,
        };
        return { kind: 'created', pipeline: await store(request, broken, null) };
      }
      case 'filtered':
        return refused(compiled.reason, true);
      case 'plan': {
        const full = {
          ...row,
          name: compiled.name,
          stages: [...compiled.stages],
          warnings: compiled.warnings,
          auto_cancel_on_new_commit: compiled.autoCancel.onNewCommit,
          auto_cancel_on_job_failure: compiled.autoCancel.onJobFailure,
        };
        const pipeline = await store(request, full, compiled);
        if (subject.project.auto_cancel_pending_pipelines && !pipeline.tag) await cancelRedundant(pipeline);
        return { kind: 'created', pipeline };
      }
    }
  }

  return { create, contextOf };
}
