/** The API of time tracking, the same for issues and merge requests. */
import Type, { type TProperties } from 'typebox';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { IdOrPath, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Context, type Route, route } from '../../../kernel/http/route.ts';
import { type Noteable, systemNote } from '../notes/index.ts';
import { humanDuration, parseDuration } from './durations.ts';
import { TimeStats, timeStatsJson } from './time-stats.entity.ts';
import {
  addEntry,
  lockTimes,
  setEstimate,
  type TimeColumns,
  type TimedTable,
  timesOf,
} from './time-tracking.queries.ts';

/** A kind of thing that people spend time on. */
export interface Timed {
  readonly table: TimedTable;
  readonly tag: string;
  /** In sentences: `an issue`. */
  readonly noun: string;
  /** Below the project, with the parameters that name it. */
  readonly path: string;
  readonly params: TProperties;
  readonly read: ProjectAbility;
  readonly write: ProjectAbility;
  /** 404 where it is not there, or is not for the caller. */
  load(
    subject: ProjectSubject,
    params: Readonly<Record<string, unknown>>,
    caller: Caller,
  ): Promise<{ readonly id: number; readonly noteable: Noteable }>;
  /** It changed: in the transaction of the change. */
  changed(tx: Db, id: number, actorId: number): Promise<void>;
}

interface Given {
  readonly duration: string;
  readonly summary?: string | null;
}

const base = '/projects/:id';

export function timeTrackingRoutes(db: Db, kind: Timed): Route[] {
  const parent = { id: IdOrPath('Id or path of the project'), ...kind.params };
  const duration = Str({ maxLength: 255, description: 'Time in words: `1mo 2w 3d 4h 5m`; a number alone is hours' });
  const common = {
    tag: kind.tag,
    credentials: ['token', 'session'] as const,
    access: { on: 'project', ability: kind.read } as const,
  };
  type On = Pick<
    Context<ReturnType<typeof Type.Object>, { on: 'project'; ability: ProjectAbility }>,
    'params' | 'subject' | 'caller'
  >;
  const loaded = ({ params, subject, caller }: On) =>
    kind.load(subject, params as unknown as Readonly<Record<string, unknown>>, caller);

  /** Changes times and writes what was done under the thing, in one transaction. */
  async function change(
    context: On,
    work: (tx: Db, id: number, before: TimeColumns, userId: number) => Promise<string | null>,
  ) {
    const { user } = context.caller;
    if (!user) throw unauthorized();
    const { id, noteable } = await loaded(context);
    requireOnProject(context.caller, kind.write, context.subject);
    return await transaction(db, async (tx) => {
      const before = await lockTimes(tx, kind.table, id);
      if (!before) throw notFound();
      const text = await work(tx, id, before, user.id);
      if (text !== null) {
        await systemNote(tx, noteable, user.id, 'time_tracking', text);
        await kind.changed(tx, id, user.id);
      }
      return timeStatsJson((await timesOf(tx, kind.table, id)) ?? before);
    });
  }

  const estimate = (context: On, seconds: number) =>
    change(context, async (tx, id, before) => {
      if (seconds === before.time_estimate) return null;
      await setEstimate(tx, kind.table, id, seconds);
      return seconds === 0 ? 'removed time estimate' : `changed time estimate to ${humanDuration(seconds)}`;
    });

  return [
    route({
      ...common,
      method: 'POST',
      path: `${base}${kind.path}/time_estimate`,
      summary: `Estimate the time of ${kind.noun}`,
      params: Type.Object({ ...parent, duration }),
      responses: { 200: TimeStats },
      handler: async (context) => {
        const seconds = parseDuration((context.params as unknown as Given).duration);
        if (seconds === null || seconds < 0)
          throw invalidRecord({ time_estimate: ['must have a valid format and be greater than or equal to zero.'] });
        return await estimate(context, seconds);
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}${kind.path}/reset_time_estimate`,
      summary: `Take back the estimated time of ${kind.noun}`,
      params: Type.Object(parent),
      responses: { 200: TimeStats },
      handler: async (context) => await estimate(context, 0),
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}${kind.path}/add_spent_time`,
      summary: `Add time that was spent on ${kind.noun}`,
      params: Type.Object({
        ...parent,
        duration,
        summary: Optional(OrNull(Str({ maxLength: 255, description: 'What the time was spent for' }))),
      }),
      responses: { 201: TimeStats },
      handler: async (context) => {
        const given = context.params as unknown as Given;
        const seconds = parseDuration(given.duration);
        if (seconds === null) throw invalidRecord({ duration: ['is invalid'] });
        return await change(context, async (tx, id, before, userId) => {
          if (seconds === 0) return null;
          if (before.time_spent + seconds < 0)
            throw invalidRecord({ base: ['Time to subtract exceeds the total time spent'] });
          await addEntry(tx, kind.table, id, { userId, seconds, summary: given.summary ?? null });
          return `${seconds > 0 ? 'added' : 'subtracted'} ${humanDuration(Math.abs(seconds))} of time spent`;
        });
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}${kind.path}/reset_spent_time`,
      summary: `Take back all time that was spent on ${kind.noun}`,
      params: Type.Object(parent),
      responses: { 200: TimeStats },
      handler: async (context) =>
        await change(context, async (tx, id, before, userId) => {
          if (before.time_spent === 0) return null;
          await addEntry(tx, kind.table, id, { userId, seconds: -before.time_spent, summary: null });
          return 'removed time spent';
        }),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${base}${kind.path}/time_stats`,
      summary: `Estimated and spent time of ${kind.noun}`,
      params: Type.Object(parent),
      responses: { 200: TimeStats },
      handler: async (context) => {
        const { id } = await loaded(context);
        const found = await timesOf(db, kind.table, id);
        if (!found) throw notFound();
        return timeStatsJson(found);
      },
    }),
  ];
}
