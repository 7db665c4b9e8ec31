/** Cadences with their iterations in archives of groups. */
import Type from 'typebox';
import {
  Bool,
  DateParam,
  DateTimeParam,
  Int,
  List,
  Optional,
  OrNull,
  Str,
} from '../../../kernel/http/params/schema.ts';
import { type GroupRelation, groupRelation, removingOfGroup } from '../../namespaces/index.ts';
import { cadenceLinesOf, insertArchivedCadence } from './transfer.queries.ts';

const number = Int({ minimum: 1, maximum: 2_147_483_647 });
const text = Optional(OrNull(Str({ maxLength: 1_000_000 })));
const title = Str({ minLength: 1, maxLength: 255 });
const times = { created_at: DateTimeParam(), updated_at: DateTimeParam() };
/** Iterations of one cadence: more than a century of weeks. */
const mostIterations = 6000;

export const cadenceRelation: GroupRelation = groupRelation({
  name: 'iterations_cadences',
  schema: Type.Object({
    title,
    description: text,
    active: Bool(),
    automatic: Bool(),
    start_date: Optional(OrNull(DateParam())),
    duration_in_weeks: Optional(OrNull(Int({ minimum: 1, maximum: 4 }))),
    iterations_in_advance: Optional(OrNull(Int({ minimum: 1, maximum: 10 }))),
    roll_over: Bool(),
    ...times,
    iterations: List(
      Type.Object({
        iid: number,
        sequence: number,
        title: Optional(OrNull(title)),
        description: text,
        start_date: DateParam(),
        due_date: DateParam(),
        ...times,
      }),
    ),
  }),
  rows: cadenceLinesOf,
  insert: async (tx, row, { groupId }) => {
    const { iterations } = row;
    if (iterations.length > mostIterations) return `has more than ${mostIterations} iterations`;
    if (iterations.some((each) => each.due_date < each.start_date))
      return 'has an iteration that ends before it begins';
    const numbers = new Set(iterations.map(({ iid }) => iid));
    if (numbers.size < iterations.length) return 'has two iterations of one number';
    return (await insertArchivedCadence(tx, groupId, row)) ? null : 'has an iteration that is there already';
  },
  remove: removingOfGroup('iteration_cadences'),
});
