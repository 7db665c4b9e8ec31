/** POST /jobs/request: a runner asks for a job, and waits for one. */
import Type from 'typebox';
import { transaction } from '../../../kernel/db/index.ts';
import type { Job, Runner } from '../../../kernel/db/rows.ts';
import { AnyJson } from '../../../kernel/http/entity.ts';
import { forbidden } from '../../../kernel/http/errors.ts';
import { Int, Optional, Str } from '../../../kernel/http/params/schema.ts';
import { answer, Empty, type Route, route } from '../../../kernel/http/route.ts';
import { headerPrefix, tokenPrefixes } from '../../../kernel/names.ts';
import { instancePrefix, newToken, tokenHash } from '../../../kernel/secrets/index.ts';
import type { CiDependencies } from '../deps.ts';
import type { SigningKeys } from '../id-tokens/keys.ts';
import { finishJob } from '../jobs/finish.ts';
import { moveJob } from '../jobs/jobs.queries.ts';
import type { WriteAccess } from '../jobs/write-access.ts';
import { lockPipeline, notifyPending } from '../scheduling/process.queries.ts';
import { processPipeline } from '../scheduling/process.ts';
import { type SessionOffer, sessionOffer, type Terminals } from '../terminals/terminals.service.ts';
import { claimJob, findPollingRunner, releaseJob, touchManager } from './claim.queries.ts';
import type { HeldPolls } from './held-polls.ts';
import { runnerTokenOf } from './job-access.ts';
import { payloadReader } from './payload.queries.ts';
import { jobPayload } from './payload.ts';

/** Whatever this version says; looked at with care. */
const Free = (description: string) => Optional(AnyJson({ description }));

/** What runners say about themselves. */
export const InfoParam = () =>
  Optional(
    Type.Object(
      {
        name: Optional(Str({ description: 'Name of the program' })),
        version: Optional(Str({ description: 'Version' })),
        revision: Optional(Str({ description: 'Commit that the runner was built from' })),
        platform: Optional(Str({ description: 'Operating system' })),
        architecture: Optional(Str({ description: 'Processor' })),
        executor: Optional(Str({ description: 'How it runs jobs' })),
        shell: Optional(Str({ description: 'Shell of scripts' })),
        features: Free('What the runner can do'),
        config: Free('How the runner is set up'),
        labels: Free('Labels of the runner'),
      },
      { additionalProperties: true, description: 'What the runner says of itself' },
    ),
  );

export interface RunnerInfo {
  readonly version?: string | undefined;
  readonly revision?: string | undefined;
  readonly platform?: string | undefined;
  readonly architecture?: string | undefined;
  readonly executor?: string | undefined;
  readonly features?: unknown;
}

function hasFeature(info: RunnerInfo | undefined, name: string): boolean {
  const features = info?.features;
  return typeof features === 'object' && features !== null && (features as Record<string, unknown>)[name] === true;
}

/** Longest text of what a runner says about itself. */
const short = (text: string | undefined): string | null => text?.slice(0, 255) ?? null;

export const managerInfo = (systemId: string | undefined, info: RunnerInfo | undefined, address: string) => ({
  systemId: (systemId ?? 'none').slice(0, 64),
  version: short(info?.version),
  revision: short(info?.revision),
  platform: short(info?.platform),
  architecture: short(info?.architecture),
  executor: short(info?.executor),
  ipAddress: address,
});

/** Changes when the runner's own configuration does: a poll that knows another value is answered at once. */
const cursorOf = (runner: Runner): string => `${runner.id}-${runner.updated_at.getTime().toString(36)}`;

export function requestRoutes(
  deps: CiDependencies,
  polls: HeldPolls,
  making: { readonly writes: WriteAccess; readonly keys: SigningKeys; readonly terminals: Terminals },
): Route[] {
  const { db } = deps;
  const read = payloadReader();

  /** Whether a job that was claimed may deploy. One that may not has failed, or waits for approval. */
  async function mayBegin(job: Job): Promise<boolean> {
    if (job.environment === null) return true;
    const place = { jobId: job.id, pipelineId: job.pipeline_id };
    return await transaction(db, async (tx) => {
      const pipeline = await lockPipeline(tx, job.pipeline_id);
      const admission = await deps.deployments.admit(tx, job);
      if (admission === 'begin' || !pipeline) return true;
      if (admission !== 'block') {
        await finishJob(deps, tx, place, { event: 'drop', failureReason: admission.failure });
        return false;
      }
      await releaseJob(tx, job.id);
      await moveJob(tx, job.id, 'pending', 'manual');
      await deps.announce(tx, `job:${job.id}`);
      await processPipeline(deps, tx, job.pipeline_id, pipeline);
      return false;
    });
  }

  /** Claims a job and makes its payload; a job whose payload cannot be made fails with a reason. */
  async function claim(
    runner: Runner,
    { managerId, address }: { readonly managerId: number; readonly address: string },
    supports: (feature: string) => boolean,
    session: SessionOffer | null,
    signal: AbortSignal,
  ): Promise<Record<string, unknown> | null> {
    // A poll may have been held since before it began.
    const values = await deps.settings.read();
    if (values.maintenance_mode) return null;
    for (;;) {
      const token = newToken(instancePrefix(tokenPrefixes.job, values));
      const claimed = await claimJob(db, {
        runnerId: runner.id,
        managerId,
        tokenSha256: tokenHash(token),
        cancelGracefully: supports('cancel_gracefully'),
        builtIn: deps.builtIn.serves(),
        session: session && making.terminals.sealedSession(session),
      });
      if (!claimed) return null;
      const { job, runs } = claimed;
      const place = { jobId: job.id, pipelineId: job.pipeline_id };
      if (!(await mayBegin(job))) continue;
      let failureReason = 'scheduler_failure';
      try {
        const made = await jobPayload(deps, { ...making, read }, { job, runner, token, address, supports });
        if (made && 'failure' in made) failureReason = made.failure;
        else if (made) {
          // Of a pipeline that runs already, the start of another job changes nothing but its own deployment.
          if (runs && job.environment === null && !signal.aborted) return made.payload;
          const gone = signal.aborted;
          await transaction(db, async (tx) => {
            // The runner hung up: somebody else may have it.
            if (gone) {
              await releaseJob(tx, job.id);
              await notifyPending(tx);
              await deps.announce(tx, `job:${job.id}`);
            }
            const pipeline = await lockPipeline(tx, job.pipeline_id);
            if (pipeline && (pipeline.status !== 'running' || job.environment !== null || gone))
              await processPipeline(deps, tx, pipeline.id, pipeline, gone ? undefined : []);
          });
          return gone ? null : made.payload;
        }
      } catch (error) {
        deps.log.error({ err: error, job: job.id }, 'the payload of a job could not be made');
      }
      await transaction(db, async (tx) => finishJob(deps, tx, place, { event: 'drop', failureReason }));
    }
  }

  return [
    route({
      method: 'POST',
      path: '/jobs/request',
      summary: 'Request a job, as a runner',
      rate: 'runner_jobs_request_api',
      tag: 'Runner protocol',
      credentials: ['body'],
      access: { on: 'credential' },
      params: Type.Object({
        token: Optional(Str({ description: "The runner's authentication token" })),
        system_id: Optional(Str({ description: 'Tells processes that share a token apart' })),
        last_update: Optional(
          Str({ description: 'Value of the header of the answer before; the request is then held' }),
        ),
        info: InfoParam(),
        session: Free('Address of the interactive terminal of the runner'),
        job_age: Optional(Int({ description: 'Seconds after which a job is too old to be handed out' })),
      }),
      responses: { 201: AnyJson({ description: 'The job with everything that is needed to run it' }), 204: Empty },
      handler: async ({ params, request, signal, clientAddress }) => {
        const token = runnerTokenOf(request, params.token);
        const info = params.info as RunnerInfo | undefined;
        const process = managerInfo(params.system_id, info, clientAddress);
        const found = token === undefined ? undefined : await findPollingRunner(db, tokenHash(token), process.systemId);
        if (!found) throw forbidden();
        const { runner } = found;
        const manager = await touchManager(db, runner.id, process, found.manager);
        const cursor = cursorOf(runner);
        const headers = { [`${headerPrefix}Last-Update`]: cursor };
        if (runner.paused) return answer(204, undefined, headers);
        const from = { managerId: manager, address: clientAddress };
        const attempt = () => claim(runner, from, (feature) => hasFeature(info, feature), session, signal);
        const session = sessionOffer(params.session, runner.built_in);
        const held = params.last_update === cursor;
        const payload = held ? await polls.hold(runner.id, signal, attempt) : await attempt();
        return payload === null ? answer(204, undefined, headers) : answer(201, payload, headers);
      },
    }),
  ];
}
