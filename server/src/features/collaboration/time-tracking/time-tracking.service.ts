/** Estimating and spending time: what changes is written under the thing, in the same transaction. */
import { type Db, transaction } from '../../../kernel/db/index.ts';
import { invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import { type Noteable, systemNote } from '../notes/index.ts';
import { humanDuration } from './durations.ts';
import { addEntry, lockTimes, setEstimate, type TimeColumns } from './time-tracking.queries.ts';
import type { TimeKept } from './time-tracking.routes.ts';

interface On {
  readonly id: number;
  readonly noteable: Noteable;
}

async function change(
  db: Db,
  kind: TimeKept,
  { id, noteable }: On,
  userId: number,
  work: (tx: Db, before: TimeColumns) => Promise<string | null>,
): Promise<void> {
  await transaction(db, async (tx) => {
    const before = await lockTimes(tx, kind.table, id);
    if (!before) throw notFound();
    const text = await work(tx, before);
    if (text === null) return;
    await systemNote(tx, noteable, userId, 'time_tracking', text);
    await kind.changed(tx, id, userId);
  });
}

/** 0 takes the estimate back. Who may is asked before. */
export async function changeEstimate(db: Db, kind: TimeKept, on: On, userId: number, seconds: number): Promise<void> {
  await change(db, kind, on, userId, async (tx, before) => {
    if (seconds === before.time_estimate) return null;
    await setEstimate(tx, kind.table, on.id, seconds);
    const [old, now] = [humanDuration(before.time_estimate), humanDuration(seconds)];
    if (before.time_estimate === 0) return `added time estimate of ${now}`;
    return seconds === 0 ? `removed time estimate of ${old}` : `changed time estimate to ${now} from ${old}`;
  });
}

const dayOf = (date: Date) => date.toISOString().slice(0, 10);

export interface SpentTime {
  /** Below zero where time is taken back. */
  readonly seconds: number;
  readonly summary?: string | null | undefined;
  readonly spentAt?: Date | undefined;
}

/** Adds an entry; `reset` takes all time back. */
export async function spendTime(
  db: Db,
  kind: TimeKept,
  on: On,
  userId: number,
  spent: SpentTime | 'reset',
): Promise<void> {
  await change(db, kind, on, userId, async (tx, before) => {
    const { seconds, summary = null, spentAt } = spent === 'reset' ? { seconds: -before.time_spent } : spent;
    if (seconds === 0) return null;
    if (before.time_spent + seconds < 0)
      throw invalidRecord({ base: ['Time to subtract exceeds the total time spent'] });
    await addEntry(tx, kind.table, on.id, { userId, seconds, summary, spentAt });
    if (spent === 'reset') return 'removed time spent';
    const text = `${seconds > 0 ? 'added' : 'subtracted'} ${humanDuration(Math.abs(seconds))} of time spent`;
    const day = spentAt && dayOf(spentAt);
    return day && day !== dayOf(new Date()) ? `${text} at ${day}` : text;
  });
}
