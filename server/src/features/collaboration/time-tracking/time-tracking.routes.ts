/** The API of time tracking, the same for issues and merge requests. */
import Type, { type TProperties } from 'typebox';
import type { ProjectAbility } from '../../../kernel/authz/abilities.ts';
import type { Caller, ProjectSubject } from '../../../kernel/authz/subjects.ts';
import type { Db } from '../../../kernel/db/index.ts';
import { invalidRecord, notFound, unauthorized } from '../../../kernel/http/errors.ts';
import { IdOrPath, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import { requireOnProject } from '../../../kernel/http/parents.ts';
import { type Context, type Route, route } from '../../../kernel/http/route.ts';
import type { Noteable } from '../notes/index.ts';
import { parseDuration } from './durations.ts';
import { TimeStats, timeStatsJson } from './time-stats.entity.ts';
import { type TimedTable, timesOf } from './time-tracking.queries.ts';
import { changeEstimate, spendTime } from './time-tracking.service.ts';

interface Loaded {
  readonly id: number;
  readonly noteable: Noteable;
}

/** A kind of thing that people spend time on. */
export interface TimeKept {
  readonly table: TimedTable;
  /** It changed: in the transaction of the change. */
  changed(tx: Db, id: number, actorId: number): Promise<void>;
}

/** One with routes of its own. */
export interface Timed extends TimeKept {
  readonly tag: string;
  /** In sentences: `an issue`. */
  readonly noun: string;
  /** Below the project, with the parameters that name it. */
  readonly path: string;
  readonly params: TProperties;
  readonly read: ProjectAbility;
  readonly write: ProjectAbility;
  /** 404 where it is not there, or is not for the caller. */
  load(subject: ProjectSubject, params: Readonly<Record<string, unknown>>, caller: Caller): Promise<Loaded>;
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

  /** Changes times, for those who may, and answers them as they are then. */
  async function change(context: On, work: (on: Loaded, userId: number) => Promise<void>) {
    const { user } = context.caller;
    if (!user) throw unauthorized();
    const on = await loaded(context);
    requireOnProject(context.caller, kind.write, context.subject);
    await work(on, user.id);
    const found = await timesOf(db, kind.table, on.id);
    if (!found) throw notFound();
    return timeStatsJson(found);
  }

  const estimate = (context: On, seconds: number) =>
    change(context, (on, userId) => changeEstimate(db, kind, on, userId, seconds));

  return [
    route({
      ...common,
      method: 'POST',
      path: `${base}${kind.path}/time_estimate`,
      summary: `Set the time estimate of ${kind.noun}`,
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
      summary: `Reset the time estimate of ${kind.noun}`,
      params: Type.Object(parent),
      responses: { 200: TimeStats },
      handler: async (context) => await estimate(context, 0),
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}${kind.path}/add_spent_time`,
      summary: `Add time spent on ${kind.noun}`,
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
        const { summary } = given;
        return await change(context, (on, userId) => spendTime(db, kind, on, userId, { seconds, summary }));
      },
    }),
    route({
      ...common,
      method: 'POST',
      path: `${base}${kind.path}/reset_spent_time`,
      summary: `Reset the time spent on ${kind.noun}`,
      params: Type.Object(parent),
      responses: { 200: TimeStats },
      handler: async (context) => await change(context, (on, userId) => spendTime(db, kind, on, userId, 'reset')),
    }),
    route({
      ...common,
      method: 'GET',
      path: `${base}${kind.path}/time_stats`,
      summary: `Get the time estimate and time spent of ${kind.noun}`,
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
