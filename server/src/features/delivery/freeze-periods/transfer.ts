/** Freeze periods in archives of projects. */
import Type from 'typebox';
import { DateTimeParam, Str } from '../../../kernel/http/params/schema.ts';
import { once, type Relation, relation, removing } from '../../namespaces/index.ts';
import { freezePeriodsOf, insertFreezePeriod } from './freeze-periods.queries.ts';
import { freezeProblems } from './freeze-periods.routes.ts';

const said = Str({ minLength: 1, maxLength: 255 });

export const freezePeriodRelation: Relation = relation({
  name: 'freeze_periods',
  schema: Type.Object({
    freeze_start: said,
    freeze_end: said,
    cron_timezone: said,
    created_at: DateTimeParam(),
    updated_at: DateTimeParam(),
  }),
  rows: (db, projectId) => once(linesOf(freezePeriodsOf(db, projectId))),
  insert: async (tx, row, { projectId }) => {
    if (Object.keys(freezeProblems(row)).length > 0) return 'has a time that never comes';
    await insertFreezePeriod(tx, { ...row, project_id: projectId });
    return null;
  },
  remove: removing('freeze_periods'),
});

const linesOf = async (rows: ReturnType<typeof freezePeriodsOf>) =>
  (await rows).map(({ id: _, project_id: __, ...line }) => line);
