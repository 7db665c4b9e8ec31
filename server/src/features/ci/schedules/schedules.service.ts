/** Rules of pipeline schedules: who may do what, what is valid, and their runs. */
import { ZERO_SHA } from '@millrace/git';
import { canOnProject } from '../../../kernel/authz/can.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { PipelineSchedule, PipelineScheduleVariable } from '../../../kernel/db/rows.ts';
import { forbidden, invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import type { CiDependencies } from '../deps.ts';
import { remembering } from '../pipelines/context.ts';
import type { CreateOutcome, Pipelines } from '../pipelines/create.ts';
import { mayRunOn, resolveReference } from '../pipelines/references.ts';
import type { CreatePipeline } from '../pipelines/request.ts';
import { mayGiveVariables } from '../pipelines/restrictions.ts';
import { variableProblems } from '../variables/masking.ts';
import { sealed } from '../variables/sealing.ts';
import type { ScheduleInput } from './schedules.entity.ts';
import {
  deleteSchedule,
  deleteScheduleVariable,
  findScheduleVariable,
  insertSchedule,
  insertScheduleVariable,
  type ScheduleValues,
  updateSchedule,
  updateScheduleVariable,
  variablesOf,
} from './schedules.queries.ts';
import { nextRunOf, timingProblems } from './timing.ts';

/** Inputs that one pipeline takes. */
const mostInputs = 20;

export type ScheduleChange = Partial<Omit<ScheduleValues, 'next_run_at' | 'inputs'>> & {
  readonly inputs?: ReadonlyArray<{ readonly name: string; readonly value?: unknown; readonly destroy?: boolean }>;
};

export interface VariableInput {
  readonly key: string;
  readonly value: string;
  readonly variable_type?: 'env_var' | 'file' | undefined;
}

/** A schedule's pipeline, or why there is none; `denied`: its owner may not run it. */
export type ScheduleRun =
  | { readonly kind: 'created' | 'denied' }
  | { readonly kind: 'refused'; readonly reasons: readonly string[] };

const isInputValue = (value: unknown): boolean =>
  ['string', 'number', 'boolean'].includes(typeof value) || Array.isArray(value);

/** The inputs after a change: those that it names are set or removed, the others stay. */
function changedInputs(before: readonly ScheduleInput[], change: NonNullable<ScheduleChange['inputs']>) {
  const names = change.map(({ name }) => name);
  const twice = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
  if (twice.length > 0) throw invalidRecord({ inputs: [`have duplicate values (${twice.join(', ')})`] });
  const after = new Map(before.map(({ name, value }) => [name, value]));
  for (const { name, value, destroy } of change) {
    if (destroy) after.delete(name);
    else if (isInputValue(value)) after.set(name, value);
    else throw invalidRecord({ 'inputs.value': [value === undefined ? 'is missing' : 'is invalid'] });
  }
  if (after.size > mostInputs) throw invalidRecord({ inputs: [`exceeds the limit of ${mostInputs}.`] });
  return [...after].map(([name, value]) => ({ name, value }));
}

export type SchedulesService = ReturnType<typeof schedulesService>;

export function schedulesService(deps: CiDependencies, pipelines: Pipelines) {
  const { db, repository, secrets } = deps;

  const owns = (caller: Caller, schedule: PipelineSchedule) =>
    caller.user !== null && schedule.owner_id === caller.user.id;
  const maintains = (caller: Caller, subject: ProjectSubject) => caller.admin || subject.level >= Level.maintainer;
  const works = (caller: Caller, subject: ProjectSubject) => canOnProject(caller, 'create_pipeline_schedule', subject);

  /** Deleting it, taking it over, and reading its variables: its owner and maintainers. */
  const mayAdminister = (caller: Caller, subject: ProjectSubject, schedule: PipelineSchedule) =>
    works(caller, subject) && (owns(caller, schedule) || maintains(caller, subject));
  /** Its owner alone changes what runs with their rights; administrators may, too. */
  const mayUpdate = (caller: Caller, subject: ProjectSubject, schedule: PipelineSchedule) =>
    works(caller, subject) && (owns(caller, schedule) || caller.admin);

  function requirePriority(subject: ProjectSubject, caller: Caller, priority: string): void {
    if (priority === 'high' && !maintains(caller, subject))
      throw invalidRecord({ queue_priority: ['can only be set to high by maintainers'] });
  }

  /** Whether the caller may run pipelines on what the name means, or would if it were there. */
  async function mayRunOnName(subject: ProjectSubject, caller: Caller, name: string): Promise<boolean> {
    const found = await resolveReference(repository, subject, name);
    const ref = found?.ref ?? (name.startsWith('refs/') ? name : `refs/heads/${name}`);
    return await mayRunOn(repository, subject, caller, ref);
  }

  async function checked(
    subject: ProjectSubject,
    values: Omit<ScheduleValues, 'next_run_at'>,
  ): Promise<ScheduleValues> {
    const problems = timingProblems(values);
    if (values.description.trim() === '') problems.description = ["can't be blank"];
    if ((await resolveReference(repository, subject, values.ref))?.ambiguous) problems.ref = ['is ambiguous'];
    const next = nextRunOf(values, new Date());
    if (Object.keys(problems).length > 0 || next === null) throw invalidRecord(problems);
    return { ...values, next_run_at: next };
  }

  async function requireRef(subject: ProjectSubject, caller: Caller, ref: string, what: string): Promise<void> {
    if (!(await mayRunOnName(subject, caller, ref)))
      throw invalidRecord({ base: [`The current user is not authorized to ${what} the pipeline schedule`] });
  }

  /** In one transaction; those who look at the schedules of the project see it at once. */
  const changing = <T>({ project }: ProjectSubject, change: (tx: Db) => Promise<T>): Promise<T> =>
    transaction(db, async (tx) => {
      const changed = await change(tx);
      await deps.announce(tx, `project:${project.id}:pipelines`);
      return changed;
    });

  async function create(
    subject: ProjectSubject,
    caller: Caller,
    { inputs, ...values }: Omit<ScheduleValues, 'next_run_at' | 'inputs'> & Pick<ScheduleChange, 'inputs'>,
  ): Promise<PipelineSchedule> {
    requirePriority(subject, caller, values.queue_priority);
    const valid = await checked(subject, { ...values, inputs: changedInputs([], inputs ?? []) });
    await requireRef(subject, caller, valid.ref, 'create');
    const place = { projectId: subject.project.id, ownerId: caller.user?.id ?? null };
    return await changing(subject, (tx) => insertSchedule(tx, place, valid));
  }

  async function update(
    subject: ProjectSubject,
    caller: Caller,
    schedule: PipelineSchedule,
    change: ScheduleChange,
  ): Promise<PipelineSchedule> {
    if (!mayUpdate(caller, subject, schedule)) throw forbidden();
    const priority = change.queue_priority ?? schedule.queue_priority;
    if (priority !== schedule.queue_priority) requirePriority(subject, caller, priority);
    const before = schedule.inputs as unknown as ScheduleInput[];
    const valid = await checked(subject, {
      description: change.description ?? schedule.description,
      ref: change.ref ?? schedule.ref,
      cron: change.cron ?? schedule.cron,
      cron_timezone: change.cron_timezone ?? schedule.cron_timezone,
      active: change.active ?? schedule.active,
      queue_priority: priority,
      inputs: changedInputs(before, change.inputs ?? []),
    });
    await requireRef(subject, caller, valid.ref, 'update');
    const changed = await changing(subject, (tx) => updateSchedule(tx, schedule.id, valid));
    if (!changed) throw notFound('Pipeline Schedule');
    return changed;
  }

  /** The caller becomes the owner; `already` when they are. */
  async function takeOwnership(
    subject: ProjectSubject,
    caller: Caller,
    schedule: PipelineSchedule,
  ): Promise<{ readonly schedule: PipelineSchedule; readonly already: boolean }> {
    if (!mayAdminister(caller, subject, schedule) || !caller.user) throw forbidden();
    if (owns(caller, schedule)) return { schedule, already: true };
    const owner_id = caller.user.id;
    const changed = await changing(subject, (tx) => updateSchedule(tx, schedule.id, { owner_id }));
    if (!changed) throw notFound('Pipeline Schedule');
    return { schedule: changed, already: false };
  }

  async function remove(subject: ProjectSubject, schedule: PipelineSchedule): Promise<void> {
    if (!(await changing(subject, (tx) => deleteSchedule(tx, schedule.id)))) throw notFound('Pipeline Schedule');
  }

  const opened = (row: PipelineScheduleVariable): string => secrets.open(row.value_encrypted, sealed.scheduleVariable);

  /** Its variables; null for those who may not read them. */
  async function variables(subject: ProjectSubject, caller: Caller, schedule: PipelineSchedule) {
    if (!mayAdminister(caller, subject, schedule)) return null;
    return (await variablesOf(db, [schedule.id])).map((row) => ({ ...row, value: opened(row) }));
  }

  type Ready = CreatePipeline & { readonly schedule: PipelineSchedule };

  /** What runs are to create, or why there is nothing to create; refs are looked at once for each name. */
  async function requestsOf(
    subject: ProjectSubject,
    caller: Caller,
    schedules: readonly PipelineSchedule[],
  ): Promise<Array<ScheduleRun | Ready>> {
    const once = remembering();
    const variables = Map.groupBy(
      await variablesOf(
        db,
        schedules.map(({ id }) => id),
      ),
      (row) => row.schedule_id,
    );
    const place = (ref: string) =>
      once(ref, async () => {
        const found = await resolveReference(repository, subject, ref);
        return found && { found, may: await mayRunOn(repository, subject, caller, found.ref) };
      });
    const requests: Array<ScheduleRun | Ready> = [];
    for (const schedule of schedules) {
      const at = await place(schedule.ref);
      if (!at) {
        requests.push({ kind: 'refused', reasons: ['Reference not found'] });
        continue;
      }
      if (!at.may) {
        requests.push({ kind: 'denied' });
        continue;
      }
      const inputs = (schedule.inputs as unknown as ScheduleInput[]).map(({ name, value }) => [name, value] as const);
      requests.push({
        subject,
        caller,
        ...at.found,
        beforeSha: ZERO_SHA,
        source: 'schedule',
        schedule,
        variables: (variables.get(schedule.id) ?? []).map((row) => ({
          key: row.key,
          value: opened(row),
          variable_type: row.variable_type === 'file' ? 'file' : 'env_var',
          raw: row.raw,
        })),
        ...(inputs.length > 0 ? { inputs: Object.fromEntries(inputs) } : {}),
        keepBroken: true,
      });
    }
    return requests;
  }

  /** Creates the pipelines of runs of one project, in the name and with the rights of the caller; outcomes in their order. */
  async function run(
    subject: ProjectSubject,
    caller: Caller,
    schedules: readonly PipelineSchedule[],
  ): Promise<ScheduleRun[]> {
    if (!canOnProject(caller, 'create_pipeline', subject)) return schedules.map(() => ({ kind: 'denied' }));
    const requests = await requestsOf(subject, caller, schedules);
    const created = await pipelines.createAll(requests.filter((request) => 'schedule' in request));
    const outcomes = created.values();
    return requests.map((request) => {
      if (!('schedule' in request)) return request;
      const outcome = outcomes.next().value as CreateOutcome;
      return outcome.kind === 'created' ? { kind: 'created' } : { kind: 'refused', reasons: outcome.reasons };
    });
  }

  /** A run now, by somebody who is allowed to run pipelines there; the next run stays as it is. */
  async function play(subject: ProjectSubject, caller: Caller, schedule: PipelineSchedule): Promise<void> {
    const [outcome] = await run(subject, caller, [schedule]);
    if (outcome?.kind === 'denied') throw forbidden();
    if (outcome?.kind === 'refused')
      deps.log.info({ schedule: schedule.id, reasons: outcome.reasons }, 'a played schedule created no pipeline');
  }

  function columnsOf({ key, value, variable_type }: VariableInput, before?: PipelineScheduleVariable) {
    const problems = variableProblems({ key, value, masked: false, raw: false, environment_scope: '*' });
    if (Object.keys(problems).length > 0) throw invalidRecord(problems);
    return {
      value_encrypted: secrets.seal(value, sealed.scheduleVariable),
      variable_type: variable_type ?? (before?.variable_type === 'file' ? 'file' : 'env_var'),
    } as const;
  }

  function requireVariables(subject: ProjectSubject, caller: Caller, may: boolean): void {
    if (!may || !mayGiveVariables(caller, subject)) throw forbidden();
  }

  async function variableOf(schedule: PipelineSchedule, key: string): Promise<PipelineScheduleVariable> {
    const row = await findScheduleVariable(db, schedule.id, key);
    if (!row) throw notFound('Pipeline Schedule Variable');
    return row;
  }

  async function addVariable(
    subject: ProjectSubject,
    caller: Caller,
    schedule: PipelineSchedule,
    input: VariableInput,
  ): Promise<PipelineScheduleVariable> {
    requireVariables(subject, caller, mayUpdate(caller, subject, schedule));
    const columns = { key: input.key, ...columnsOf(input) };
    const row = await transaction(db, async (tx) => insertScheduleVariable(tx, schedule.id, columns));
    if (!row) throw invalidRecord({ key: ['has already been taken'] });
    return row;
  }

  async function changeVariable(
    subject: ProjectSubject,
    caller: Caller,
    schedule: PipelineSchedule,
    input: VariableInput,
  ): Promise<PipelineScheduleVariable> {
    requireVariables(subject, caller, mayUpdate(caller, subject, schedule));
    const before = await variableOf(schedule, input.key);
    const row = await transaction(db, async (tx) => updateScheduleVariable(tx, before.id, columnsOf(input, before)));
    if (!row) throw notFound('Pipeline Schedule Variable');
    return row;
  }

  /** The removed variable's value. */
  async function removeVariable(
    subject: ProjectSubject,
    caller: Caller,
    schedule: PipelineSchedule,
    key: string,
  ): Promise<string> {
    requireVariables(subject, caller, mayAdminister(caller, subject, schedule));
    const row = await variableOf(schedule, key);
    const value = opened(row);
    if (!(await transaction(db, async (tx) => deleteScheduleVariable(tx, row.id))))
      throw notFound('Pipeline Schedule Variable');
    return value;
  }

  return {
    create,
    update,
    takeOwnership,
    remove,
    mayAdminister,
    variables,
    variableOf,
    opened,
    run,
    play,
    addVariable,
    changeVariable,
    removeVariable,
  };
}
