/** Trigger tokens, and the pipelines that they and tokens of running jobs create. */
import { ZERO_SHA } from '@millrace/git';
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import { canOnProject } from '../../../kernel/authz/can.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Pipeline, PipelineTrigger } from '../../../kernel/db/rows.ts';
import { forbidden, invalidRecord, notFound, plainError } from '../../../kernel/http/errors.ts';
import { tokenPrefixes } from '../../../kernel/names.ts';
import { instancePrefix, newToken, tokenHash } from '../../../kernel/secrets/index.ts';
import type { CiDependencies } from '../deps.ts';
import { findTokenJob, isTokenOfEndedJob } from '../jobs/jobs.queries.ts';
import type { PipelineInputs } from '../pipelines/compile.ts';
import type { Pipelines } from '../pipelines/create.ts';
import { mayNotRunOn, mayRunOn, resolveReference } from '../pipelines/references.ts';
import type { CreatePipeline, PipelineVariableInput } from '../pipelines/request.ts';
import { mayGiveVariables } from '../pipelines/restrictions.ts';
import { variableProblems } from '../variables/masking.ts';
import { sealed } from '../variables/sealing.ts';
import { deleteTrigger, describeTrigger, findTriggerByToken, insertTrigger, touchTrigger } from './triggers.queries.ts';

/** The variable with everything that a request said, but its token. */
const payloadKey = 'TRIGGER_PAYLOAD';

export interface TriggerRequest {
  /** Id or path of the project. */
  readonly project: string;
  readonly ref: string;
  readonly token: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly inputs?: PipelineInputs | undefined;
  /** All parameters as they came. */
  readonly given: Readonly<Record<string, unknown>>;
}

type Started = Pick<CreatePipeline, 'subject' | 'caller' | 'source' | 'trigger' | 'upstream'>;

export type TriggersService = ReturnType<typeof triggersService>;

export function triggersService(deps: CiDependencies, pipelines: Pipelines) {
  const { db, repository, secrets, settings } = deps;

  const record = (
    tx: Db,
    subject: ProjectSubject,
    what: 'created' | 'updated' | 'destroyed',
    trigger: PipelineTrigger,
    origin: AuditOrigin,
  ) =>
    recordAudit(tx, {
      ...origin,
      entity: entityOfPlace(subject),
      event: `pipeline_trigger_${what}`,
      details: {},
      target: { type: 'PipelineTrigger', id: trigger.id, details: trigger.description },
    });

  async function create(
    subject: ProjectSubject,
    caller: Caller,
    description: string,
    origin: AuditOrigin,
  ): Promise<PipelineTrigger> {
    const token = newToken(instancePrefix(tokenPrefixes.trigger, await settings.read()));
    return await transaction(db, async (tx) => {
      const trigger = await insertTrigger(tx, {
        project_id: subject.project.id,
        owner_id: caller.user?.id ?? null,
        description,
        token_sha256: tokenHash(token),
        token_sealed: secrets.seal(token, sealed.triggerToken),
      });
      await record(tx, subject, 'created', trigger, origin);
      return trigger;
    });
  }

  /** Only who can use the token in full describes it. */
  async function describe(
    subject: ProjectSubject,
    caller: Caller,
    trigger: PipelineTrigger,
    description: string | undefined,
    origin: AuditOrigin,
  ): Promise<PipelineTrigger> {
    const own = caller.user !== null && trigger.owner_id === caller.user.id;
    if (!own && !caller.admin)
      throw forbidden('The current user is not authorized to update the pipeline trigger token');
    if (description === undefined) return trigger;
    return await transaction(db, async (tx) => {
      const changed = await describeTrigger(tx, trigger.id, description);
      if (!changed) throw notFound('Trigger');
      await record(tx, subject, 'updated', changed, origin);
      return changed;
    });
  }

  async function remove(subject: ProjectSubject, trigger: PipelineTrigger, origin: AuditOrigin): Promise<void> {
    await transaction(db, async (tx) => {
      if (!(await deleteTrigger(tx, trigger.id))) throw notFound('Trigger');
      await record(tx, subject, 'destroyed', trigger, origin);
    });
  }

  const noPipeline = (reason: string) => invalidRecord({ base: [reason] });

  /** Where and in whose name a token starts pipelines. What it does not reach does not exist. */
  async function startedBy(token: string, project: string): Promise<Started> {
    const hash = tokenHash(token);
    const trigger = await findTriggerByToken(db, hash);
    if (trigger) {
      const named = await deps.parents.project(project, {
        user: null,
        credential: { kind: 'none' },
        scopes: null,
        admin: true,
      });
      if (named?.project.id !== trigger.project_id) throw notFound();
      const acting = trigger.owner_id === null ? null : await deps.actingAs(trigger.owner_id, trigger.project_id);
      if (!acting) throw noPipeline('Insufficient permissions to create a new pipeline');
      return { ...acting, source: 'trigger', trigger };
    }
    const found = await findTokenJob(db, hash);
    if (!found) {
      if (await isTokenOfEndedJob(db, hash)) throw plainError(401, 'Job is not running');
      throw notFound();
    }
    const { job, user } = found;
    const { id, project_id, pipeline_id, status } = job;
    const credential = { kind: 'job', job: { id, project_id, pipeline_id, status } } as const;
    const caller: Caller = { user, credential, scopes: null, admin: false };
    const subject = await deps.parents.project(project, caller);
    if (!subject || !canOnProject(caller, 'read_project', subject)) throw notFound();
    return { subject, caller, source: 'pipeline', upstream: { job, child: false } };
  }

  /** The variables of the request, as text; everything that it said comes along as a file. */
  function variablesOf({ variables, given }: TriggerRequest): PipelineVariableInput[] {
    const named = Object.entries(variables).map(([key, value]): PipelineVariableInput => {
      if (!['string', 'number', 'boolean'].includes(typeof value))
        throw plainError(400, 'variables needs to be a map of key-valued strings');
      return { key, value: String(value), variable_type: 'env_var' };
    });
    for (const { key, value } of named) {
      const problems = variableProblems({ key, value, masked: false, raw: false, environment_scope: '*' });
      if (Object.keys(problems).length > 0) throw invalidRecord(problems);
    }
    const payload = JSON.stringify(given, (key, value: unknown) => (key === 'token' ? undefined : value));
    return [
      ...named.filter(({ key }) => key !== payloadKey),
      { key: payloadKey, value: payload, variable_type: 'file', raw: true },
    ];
  }

  /** Creates a pipeline for a token of the request's body. */
  async function start(request: TriggerRequest): Promise<{ subject: ProjectSubject; pipeline: Pipeline }> {
    const started = await startedBy(request.token, request.project);
    const { subject, caller, trigger } = started;
    const variables = variablesOf(request);
    if (!canOnProject(caller, 'create_pipeline', subject))
      throw noPipeline('Insufficient permissions to create a new pipeline');
    const found = await resolveReference(repository, subject, request.ref);
    if (!found) throw noPipeline('Reference not found');
    if (found.ambiguous) throw noPipeline('Ref is ambiguous');
    if (!(await mayRunOn(repository, subject, caller, found.ref))) throw noPipeline(mayNotRunOn(found.ref));
    if (Object.keys(request.variables).length > 0 && !mayGiveVariables(caller, subject))
      throw noPipeline('Insufficient permissions to set pipeline variables');
    const outcome = await pipelines.create({
      ...started,
      ...found,
      beforeSha: ZERO_SHA,
      variables,
      ...(request.inputs ? { inputs: request.inputs } : {}),
      keepBroken: false,
    });
    if (outcome.kind === 'refused') throw invalidRecord({ base: outcome.reasons });
    if (trigger) await touchTrigger(db, trigger.id);
    return { subject, pipeline: outcome.pipeline };
  }

  return { create, describe, remove, start };
}
