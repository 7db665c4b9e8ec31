/** Tracked time as archives hold it, of issues and merge requests alike. */
import Type, { type Static } from 'typebox';
import { DateTimeParam, Int, List, Optional, OrNull, Str } from '../../../kernel/http/params/schema.ts';
import type { ImportTarget } from '../../namespaces/index.ts';
import type { NewEntry } from './time-tracking.queries.ts';

/** A hundred years. */
const longest = 3_155_760_000;

const line = Type.Object({
  /** Below zero where time was taken back. */
  seconds: Int({ minimum: -longest, maximum: longest }),
  summary: Optional(OrNull(Str({ maxLength: 255 }))),
  by: Optional(OrNull(Str({ minLength: 1, maxLength: 255 }))),
  spent_at: DateTimeParam(),
});

/** Seconds. */
export const timeEstimateLine = Optional(Int({ minimum: 0, maximum: longest }));
export const timeEntryLines = Optional(List(line));

/** Entries with the people that their names stand for here; those of nobody are the importer's. */
export const takenTimes = (
  lines: readonly Static<typeof line>[],
  { person, importerId }: Pick<ImportTarget, 'person' | 'importerId'>,
): Promise<NewEntry[]> =>
  Promise.all(
    lines.map(async ({ seconds, summary = null, by, spent_at: spentAt }) => ({
      ...{ seconds, summary, spentAt },
      userId: (await person(by)) ?? importerId,
    })),
  );
