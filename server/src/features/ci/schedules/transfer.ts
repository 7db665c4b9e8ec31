/** Schedules of pipelines of a project in an archive: they wait until somebody switches them on. */
import Type from 'typebox';
import { Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import { insertSchedule } from './schedules.queries.ts';
import { nextRunOf, timingProblems } from './timing.ts';
import { schedulesOf } from './transfer.queries.ts';

export const pipelineScheduleRelation: Relation = relation({
  name: 'pipeline_schedules',
  schema: Type.Object({
    description: Str({ maxLength: 1024 }),
    ref: Str({ minLength: 1, maxLength: 1024 }),
    cron: Str({ minLength: 1, maxLength: 255 }),
    cron_timezone: Str({ minLength: 1, maxLength: 255 }),
  }),
  rows: (db, projectId) => once(schedulesOf(db, projectId)),
  insert: async (tx, row, { projectId, importerId }) => {
    const next = Object.keys(timingProblems(row)).length === 0 ? nextRunOf(row, new Date()) : null;
    if (next === null) return 'has a time that never comes';
    // Whoever imports answers for what runs; nothing runs before they say so.
    const values = { ...row, active: false, inputs: [], queue_priority: 'normal', next_run_at: next } as const;
    await insertSchedule(tx, { projectId, ownerId: importerId }, values);
    return null;
  },
  remove: removing('pipeline_schedules'),
});
