/** Making pipelines: one function for pushes, merge requests, the API and whatever comes later. */

import type { Caller, CallerUser, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, isMissingReference, transaction } from '../../../kernel/db/index.ts';
import type {
  Job,
  MergeRequest,
  Namespace,
  Pipeline,
  PipelineSchedule,
  PipelineTrigger,
} from '../../../kernel/db/rows.ts';
import { pipelineFacts, recordFact } from '../../../kernel/events/index.ts';
import type { CiCommit, CiDependencies } from '../deps.ts';
import { insertPipelineSource } from '../downstream/sources.queries.ts';
import { insertExplanation } from '../explain/explain.queries.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { languageNames, openMergeRequestsOf } from '../jobs/context.queries.ts';
import { ensureGroups } from '../resource-groups/resource-groups.queries.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import { processPipeline } from '../scheduling/process.ts';
import { openTrigger, shortToken } from '../triggers/tokens.ts';
import { type JobVariable, variable } from '../variables/job-variables.ts';
import {
  commitVariables,
  freezeVariables,
  type PipelineFacts,
  projectVariables,
  serverVariables,
  userVariables,
} from '../variables/predefined.ts';
import { sealed } from '../variables/sealing.ts';
import { secretVariables } from '../variables/secret-variables.ts';
import { type ArtifactReader, type Compiled, compileConfig, type PipelineInputs } from './compile.ts';
import { type ConfigFile, findConfig } from './config-file.ts';
import { externallyAccepted } from './external-validation.ts';
import { asPush, mergeRequestFacts } from './pipeline-facts.ts';
import {
  blankPipeline,
  insertJobs,
  insertPipeline,
  insertPipelineVariables,
  type NewPipeline,
  priorityOfPipeline,
  startedUninterruptible,
  unfinishedBefore,
} from './pipelines.queries.ts';
import { releaseDescription } from './releases.queries.ts';

type PipelineSource =
  | 'push'
  | 'api'
  | 'web'
  | 'merge_request_event'
  | 'trigger'
  | 'schedule'
  | 'pipeline'
  | 'parent_pipeline';

/** The job that starts a pipeline. */
export interface Upstream {
  readonly job: Pick<Job, 'id' | 'project_id' | 'pipeline_id'>;
  /** The new pipeline is a part of the job's own pipeline. */
  readonly child: boolean;
}

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
  /** The schedule that it is a run of. */
  readonly schedule?: Pick<PipelineSchedule, 'id' | 'description' | 'queue_priority'>;
  /** The trigger token that it is started with. */
  readonly trigger?: Pick<PipelineTrigger, 'id' | 'token_sealed'>;
  /** The job that it is started by. */
  readonly upstream?: Upstream;
  /** Where `sha` is a merge of the request's head into something. */
  readonly merged?: MergedSources;
  /** Instead of the file of the commit. */
  readonly config?: ConfigFile;
  readonly artifact?: ArtifactReader;
  /** From a push option. */
  readonly skip?: boolean;
  /** Store a failed pipeline when the configuration is broken; else that is refused. */
  readonly keepBroken: boolean;
}

/** The commits that a pipeline of a merge is about. */
export interface MergedSources {
  /** The head of the request. */
  readonly source: string;
  /** What it was merged into: the target branch, or the merge of the entry ahead in a merge train. */
  readonly target: string;
  /** A merge train tests everything: no mark in a message, and no limit of a person, keeps it from that. */
  readonly train?: true;
}

/** What facts and variables depend on. */
export type ContextRequest = Omit<CreatePipeline, 'skip' | 'keepBroken'>;

export type CreateOutcome =
  | { readonly kind: 'created'; readonly pipeline: Pipeline }
  /** Nothing was stored: the reasons in the ecosystem's words; `filtered` when the configuration wants none. */
  | {
      readonly kind: 'refused';
      readonly reasons: readonly string[];
      readonly filtered: boolean;
      readonly unconfigured?: true;
    };

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

/** The refs of merges that pipelines test: a request's with its target, and its place in a merge train. */
export const mergedRef = (iid: number): string => `refs/merge-requests/${iid}/merge`;
export const trainRef = (iid: number): string => `refs/merge-requests/${iid}/train`;

/** The ref of what is stored by its short name. */
export const fullRef = ({ ref, tag }: { readonly ref: string; readonly tag: boolean }): string =>
  `refs/${tag ? 'tags' : 'heads'}/${ref}`;

/** Everything about a pipeline that is not stored yet: what rules, variables and the row are made of. */
export interface PipelineContext {
  readonly facts: PipelineFacts;
  readonly commit: CiCommit;
  /** When the pipeline that is made of it was created. */
  readonly createdAt: Date;
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
      ? merge.source?.id === merge.target.id &&
        merge.source.branchProtected &&
        merge.target.branchProtected &&
        // Whoever may not merge it does not get its secrets by a pipeline either.
        (await repository.mayUpdate(subject, request.caller, `refs/heads/${merge.row.target_branch}`))
      : await repository.isProtected(subject.project, request.ref);
    return asPush({
      sha: request.sha,
      beforeSha: request.beforeSha,
      ref: name,
      tag,
      tagMessage: tag ? await repository.tagMessage(subject.project, name) : null,
      releaseDescription: tag ? await releaseDescription(db, subject.project.id, name) : null,
      refProtected,
      source: request.source,
      mergeRequest: merge,
      scheduleDescription: request.schedule?.description ?? null,
      triggerShortToken: request.trigger ? shortToken(openTrigger(deps, request.trigger)) : null,
      openMergeRequests: branch ? await openMergeRequestsOf(db, subject.project.id, name) : [],
    });
  }

  async function contextOf(request: ContextRequest, configPath: string): Promise<PipelineContext> {
    const { subject } = request;
    const facts = await factsOf(request);
    const commit = await repository.commit(subject, request.sha);
    const languages = await languageNames(db, subject.project.id);
    const createdAt = new Date();
    const secret = await secretVariables(deps, db, subject, { refProtected: facts.refProtected, environment: null });
    return {
      facts,
      commit,
      createdAt,
      variables: {
        predefined: [
          ...serverVariables(deps),
          ...projectVariables(subject, deps.externalUrl, configPath, languages),
          variable('CI_PIPELINE_CREATED_AT', createdAt.toISOString()),
          ...commitVariables(facts, commit),
          ...userVariables(request.caller.user),
          ...freezeVariables(await deps.deployments.frozen(db, subject.project.id)),
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

  /** What a configuration is checked with while the repository has no commit. */
  async function emptyContextOf(request: ContextRequest, configPath: string) {
    const { subject } = request;
    const predefined = [
      ...serverVariables(deps),
      ...projectVariables(subject, deps.externalUrl, configPath),
      ...userVariables(request.caller.user),
    ];
    return { facts: await factsOf(request), variables: { predefined, given: [] } };
  }

  const rowOf = (
    request: CreatePipeline,
    { facts, commit, createdAt }: Pick<PipelineContext, 'facts' | 'commit' | 'createdAt'>,
    user: CallerUser | null,
  ): Omit<NewPipeline, 'iid'> =>
    blankPipeline({
      project_id: request.subject.project.id,
      sha: request.sha,
      before_sha: request.beforeSha,
      ref: shortRef(request.ref).name,
      tag: facts.tag,
      ref_protected: facts.refProtected,
      source: request.source,
      user_id: user?.id ?? null,
      merge_request_id: request.mergeRequest?.id ?? null,
      schedule_id: request.schedule?.id ?? null,
      queue_priority: request.schedule?.queue_priority ?? 'normal',
      trigger_id: request.trigger?.id ?? null,
      source_sha: request.merged?.source ?? null,
      target_sha: request.merged?.target ?? null,
      committed_at: new Date(commit.committed_date),
      created_at: createdAt,
    });

  /** Stores a pipeline with its jobs and starts it, in one transaction. */
  async function store(
    request: CreatePipeline,
    row: Omit<NewPipeline, 'iid'>,
    plan: Extract<Compiled, { kind: 'plan' }> | null,
    known?: number,
  ): Promise<Pipeline> {
    return await transaction(db, async (tx) => {
      const iid = known ?? (await deps.nextIid(tx, row.project_id, 'pipeline'));
      const { upstream } = request;
      const inherited = upstream?.child
        ? { queue_priority: await priorityOfPipeline(tx, upstream.job.pipeline_id) }
        : {};
      const pipeline = await insertPipeline(tx, { ...row, ...inherited, iid });
      if (upstream) await insertPipelineSource(tx, pipeline.id, upstream);
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
      const context = { project_id: row.project_id, actor_id: row.user_id };
      const payload = { pipeline_id: pipeline.id, status: pipeline.status };
      await recordFact(tx, pipelineFacts.created, payload, context);
      await deps.announce(tx, `project:${row.project_id}:pipelines`);
      if (!plan) {
        await recordFact(tx, pipelineFacts.finished, payload, context);
        return pipeline;
      }
      await insertJobs(tx, pipeline, plan.jobs);
      await insertExplanation(tx, pipeline.id, plan.explanation);
      await ensureGroups(tx, row.project_id, [...new Set(plan.jobs.flatMap((job) => job.resourceGroup ?? []))]);
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
      if (isMissingReference(error, 'pipelines_schedule_id_fkey')) return refused('The schedule is gone', true);
      throw error;
    }
  }

  /** The message that may ask for no pipeline: of a merge, that of the head that was pushed. */
  async function wordsOf({ subject, merged }: CreatePipeline, { commit }: PipelineContext): Promise<string> {
    return merged ? (await repository.commit(subject, merged.source)).message : commit.message;
  }

  async function createNow(request: CreatePipeline): Promise<CreateOutcome> {
    const { subject, caller } = request;
    const unlimited =
      request.source === 'schedule' || request.source === 'parent_pipeline' || request.merged?.train === true;
    if (!unlimited && !(await deps.mayCreatePipeline(caller, subject, request.sha)))
      return refused('Too many pipelines created in the last minute. Try again later.');
    const config = request.config ?? (await findConfig(deps, subject.project, request.sha));
    if (!config) return { kind: 'refused', reasons: ['Missing CI config file'], filtered: true, unconfigured: true };
    const context = await contextOf(request, config.path);
    const row = rowOf(request, context, caller.user);
    const marked =
      skippable.has(request.source) && !request.merged?.train && skipMarks.test(await wordsOf(request, context));
    if (request.skip || marked)
      return { kind: 'created', pipeline: await store(request, { ...row, status: 'skipped' }, null) };
    let iid: number | undefined;
    const compiled = await compileConfig(deps, {
      subject,
      config,
      sha: request.sha,
      facts: context.facts,
      variables: context.variables,
      inputs: request.inputs,
      caller,
      artifact: request.artifact,
      number: async () => (iid ??= await deps.nextIid(db, subject.project.id, 'pipeline')),
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
        return { kind: 'created', pipeline: await store(request, broken, null, iid) };
      }
      case 'filtered':
        return refused(compiled.reason, true);
      case 'plan': {
        const { sha, source } = request;
        const validated = { subject, user: caller.user, sha, ref: row.ref, source, jobs: compiled.jobs };
        const accepted = await externallyAccepted(deps, validated);
        if (!accepted) {
          if (!request.keepBroken) return refused('External validation failed');
          const dropped = { ...row, status: 'failed', failure_reason: 'external_validation_failure' };
          return { kind: 'created', pipeline: await store(request, dropped, null, iid) };
        }
        const full = {
          ...row,
          name: compiled.name,
          stages: [...compiled.stages],
          warnings: compiled.warnings,
          auto_cancel_on_new_commit: compiled.autoCancel.onNewCommit,
          auto_cancel_on_job_failure: compiled.autoCancel.onJobFailure,
        };
        const pipeline = await store(request, full, compiled, iid);
        if (subject.project.auto_cancel_pending_pipelines && !pipeline.tag && !request.upstream?.child)
          await cancelRedundant(pipeline);
        return { kind: 'created', pipeline };
      }
    }
  }

  return { create, contextOf, emptyContextOf };
}
