/** Making pipelines: one function for pushes, merge requests, the API and whatever comes later. */

import type { CallerUser } from '../../../kernel/authz/subjects.ts';
import { type Db, isMissingReference, transaction } from '../../../kernel/db/index.ts';
import type { Pipeline } from '../../../kernel/db/rows.ts';
import type { CiDependencies } from '../deps.ts';
import { cancelJobs } from '../jobs/cancel.ts';
import { lockPipeline } from '../scheduling/process.queries.ts';
import { compileConfig } from './compile.ts';
import { findConfig } from './config-file.ts';
import { always, type Once, type PipelineContext, pipelineContexts, remembering } from './context.ts';
import { externallyAccepted } from './external-validation.ts';
import { blankPipeline, type NewPipeline, startedUninterruptible, unfinishedBefore } from './pipelines.queries.ts';
import { shortRef } from './references.ts';
import type { CreatePipeline, PipelineSource } from './request.ts';
import { type Prepared, storePipelines } from './store.ts';

/** Nothing was stored: the reasons in the ecosystem's words; `filtered` when the configuration wants none. */
interface Refused {
  readonly kind: 'refused';
  readonly reasons: readonly string[];
  readonly filtered: boolean;
  readonly unconfigured?: true;
}

export type CreateOutcome = { readonly kind: 'created'; readonly pipeline: Pipeline } | Refused;

const skipMarks = /\[(ci[ _-]skip|skip[ _-]ci)\]/i;
/** Sources that a mark in the commit's message stops. */
const skippable: ReadonlySet<PipelineSource> = new Set(['push', 'merge_request_event']);

const refused = (reason: string, filtered = false): Refused => ({ kind: 'refused', reasons: [reason], filtered });

/** Jobs of pipelines that are stored in one transaction, which others of the project wait for. */
const mostJobsTogether = 1000;

/** Splits what is stored together, by the number of jobs; a large pipeline is alone. */
function inGroups(prepared: readonly Prepared[]): Prepared[][] {
  const groups: Prepared[][] = [];
  let jobs = Number.POSITIVE_INFINITY;
  for (const each of prepared) {
    const more = each.plan?.jobs.length ?? 0;
    if (jobs + more > mostJobsTogether) {
      groups.push([]);
      jobs = 0;
    }
    groups.at(-1)?.push(each);
    jobs += more;
  }
  return groups;
}

export type Pipelines = ReturnType<typeof pipelineMaker>;

export function pipelineMaker(deps: CiDependencies) {
  const { db, repository } = deps;
  const contexts = pipelineContexts(deps);

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

  /** The message that may ask for no pipeline: of a merge, that of the head that was pushed. */
  async function wordsOf({ subject, merged }: CreatePipeline, { commit }: PipelineContext): Promise<string> {
    return merged ? (await repository.commit(subject, merged.source)).message : commit.message;
  }

  /** The pipeline as it is to be stored, or why there is none. */
  async function prepare(request: CreatePipeline, once: Once): Promise<Prepared | Refused> {
    const { subject, caller } = request;
    const unlimited =
      request.source === 'schedule' || request.source === 'parent_pipeline' || request.merged?.train === true;
    if (!unlimited && !(await deps.mayCreatePipeline(caller, subject, request.sha)))
      return refused('Too many pipelines created in the last minute. Try again later.');
    const config =
      request.config ?? (await once(`config ${request.sha}`, () => findConfig(deps, subject.project, request.sha)));
    if (!config) return { kind: 'refused', reasons: ['Missing CI config file'], filtered: true, unconfigured: true };
    const context = await contexts.contextOf(request, config.path, once);
    const row = rowOf(request, context, caller.user);
    const marked =
      skippable.has(request.source) && !request.merged?.train && skipMarks.test(await wordsOf(request, context));
    if (request.skip || marked) return { kind: 'prepared', request, row: { ...row, status: 'skipped' }, plan: null };
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
      number: async () => (iid ??= await deps.takeIids(db, subject.project.id, 'pipeline', 1)),
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
        return { kind: 'prepared', request, row: broken, plan: null, iid };
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
          return { kind: 'prepared', request, row: dropped, plan: null, iid };
        }
        const full = {
          ...row,
          name: compiled.name,
          stages: [...compiled.stages],
          warnings: compiled.warnings,
          auto_cancel_on_new_commit: compiled.autoCancel.onNewCommit,
          auto_cancel_on_job_failure: compiled.autoCancel.onJobFailure,
        };
        return { kind: 'prepared', request, row: full, plan: compiled, iid };
      }
    }
  }

  /** Stores them together, and lets them take the place of older ones of their branches. */
  async function store(prepared: readonly Prepared[]): Promise<CreateOutcome[]> {
    const pipelines = await storePipelines(deps, prepared);
    // Of those of one commit none replaces another, so all replace the same: one look is enough.
    const replacing = new Map<string, Pipeline>();
    for (const [at, pipeline] of pipelines.entries()) {
      const { request, plan } = prepared[at] as Prepared;
      if (plan && request.subject.project.auto_cancel_pending_pipelines && !pipeline.tag && !request.upstream?.child)
        replacing.set(`${pipeline.sha} ${pipeline.ref}`, pipeline);
    }
    for (const pipeline of replacing.values()) await cancelRedundant(pipeline);
    return pipelines.map((pipeline) => ({ kind: 'created', pipeline }));
  }

  async function storeOne(prepared: Prepared): Promise<CreateOutcome> {
    try {
      const [outcome] = await store([prepared]);
      return outcome as CreateOutcome;
    } catch (error) {
      // Removed by somebody while its configuration was read.
      if (isMissingReference(error, 'pipelines_merge_request_id_fkey'))
        return refused('The merge request is gone', true);
      if (isMissingReference(error, 'pipelines_schedule_id_fkey')) return refused('The schedule is gone', true);
      throw error;
    }
  }

  async function create(request: CreatePipeline): Promise<CreateOutcome> {
    const prepared = await prepare(request, always);
    return prepared.kind === 'refused' ? prepared : await storeOne(prepared);
  }

  /**
   * The pipelines of requests of one person for one project, in few transactions: what is the same for them is read once.
   * Outcomes are in the order of the requests.
   */
  async function createAll(requests: readonly CreatePipeline[]): Promise<CreateOutcome[]> {
    const once = remembering();
    const prepared: Array<Prepared | Refused> = [];
    for (const request of requests) prepared.push(await prepare(request, once));
    const wanted = prepared.filter((each) => each.kind === 'prepared');
    const stored: CreateOutcome[] = [];
    for (const group of inGroups(wanted)) {
      try {
        stored.push(...(await store(group)));
      } catch (error) {
        if (!isMissingReference(error, 'pipelines_schedule_id_fkey')) throw error;
        // One of their schedules is gone; the others have their pipelines.
        for (const each of group) stored.push(await storeOne(each));
      }
    }
    const outcomes = stored.values();
    return prepared.map((each) => (each.kind === 'refused' ? each : (outcomes.next().value as CreateOutcome)));
  }

  return { create, createAll, contextOf: contexts.contextOf, emptyContextOf: contexts.emptyContextOf };
}
