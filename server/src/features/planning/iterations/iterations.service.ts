/** Making, changing and removing iterations and the cadences that they belong to. */
import { type AuditOrigin, entityOfPlace, recordAudit } from '../../../kernel/audit/index.ts';
import type { GroupSubject } from '../../../kernel/authz/subjects.ts';
import { type Db, transaction } from '../../../kernel/db/index.ts';
import type { Iteration, IterationCadence } from '../../../kernel/db/rows.ts';
import { invalidRecord, notFound } from '../../../kernel/http/errors.ts';
import * as cadences from './cadences.queries.ts';
import * as queries from './iterations.queries.ts';
import { dayOf, schedule } from './scheduling.ts';

export interface GivenIteration {
  readonly title?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly start_date?: string | undefined;
  readonly due_date?: string | undefined;
}
export type GivenCadence = { readonly [K in keyof cadences.CadenceValues]?: cadences.CadenceValues[K] | undefined };

/** The values that were given, a title without spaces around it. */
function given<T extends object>(
  values: T,
  names: readonly (keyof T)[],
): { -readonly [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = names.filter((name) => values[name] !== undefined).map((name) => [name, values[name]]);
  return Object.fromEntries(kept) as { -readonly [K in keyof T]: Exclude<T[K], undefined> };
}

function checkedTitle(title: string): string {
  const trimmed = title.trim();
  if (trimmed === '') throw invalidRecord({ title: ["can't be blank"] });
  return trimmed;
}

const iterationColumns = ['title', 'description', 'start_date', 'due_date'] as const;
const cadenceColumns = [
  'title',
  'description',
  'active',
  'automatic',
  'start_date',
  'duration_in_weeks',
  'iterations_in_advance',
  'roll_over',
] as const;

/** What automatic scheduling cannot do without. */
function checkCadence(cadence: Required<Pick<GivenCadence, 'automatic'>> & GivenCadence): void {
  // Days of five-figure years are none.
  if (cadence.start_date && cadence.start_date > '9990-12-31') throw invalidRecord({ start_date: ['is too late'] });
  if (!cadence.automatic) return;
  const missing = (['start_date', 'duration_in_weeks', 'iterations_in_advance'] as const).filter(
    (name) => cadence[name] === undefined || cadence[name] === null,
  );
  if (missing.length > 0) throw invalidRecord(Object.fromEntries(missing.map((name) => [name, ["can't be blank"]])));
}

async function checkIteration(
  tx: Db,
  cadence: IterationCadence,
  row: Pick<Iteration, 'title' | 'start_date' | 'due_date'>,
  id: number | null,
) {
  if (row.due_date <= row.start_date) throw invalidRecord({ due_date: ['must be greater than start date'] });
  const clash = await queries.clashOf(tx, cadence.id, row, id);
  if (clash.title) throw invalidRecord({ title: ['has already been taken'] });
  if (clash.days)
    throw invalidRecord({
      base: ['Dates cannot overlap with other existing Iterations within this iterations cadence'],
    });
}

const scheduled = () => invalidRecord({ base: ['Iterations of an automatic cadence are scheduled by the cadence'] });

export function iterationService(db: Db) {
  const auditedAs =
    (type: 'Iteration' | 'IterationCadence', noun: string) =>
    (
      tx: Db,
      place: GroupSubject,
      origin: AuditOrigin,
      row: { id: number; title: string | null; iid?: number },
      event: string,
    ) =>
      recordAudit(tx, {
        ...origin,
        entity: entityOfPlace(place),
        event: `${noun}_${event}`,
        details: {},
        target: { type, id: row.id, details: row.title ?? String(row.iid) },
      });
  const audited = auditedAs('Iteration', 'group_iteration');
  const auditedCadence = auditedAs('IterationCadence', 'group_iteration_cadence');

  /** The cadence that is named, or the one of the group that people make iterations of. */
  async function cadenceFor(tx: Db, { group }: GroupSubject, id: number | undefined): Promise<IterationCadence> {
    if (id === undefined)
      return (
        (await cadences.lockManualCadence(tx, group.id)) ??
        (await cadences.insertCadence(tx, group.id, {
          title: `${group.name} iterations`.slice(-255),
          automatic: false,
        }))
      );
    const cadence = await cadences.lockCadence(tx, id);
    if (cadence?.namespace_id !== group.id) throw notFound('Iteration Cadence');
    return cadence;
  }

  async function lockOfGroup(tx: Db, { group }: GroupSubject, id: number) {
    const seen = await queries.findIteration(tx, group.id, id);
    const cadence = seen && (await cadences.lockCadence(tx, seen.cadence_id));
    // Again, for whoever waited for the cadence.
    const row = cadence && (await queries.findIteration(tx, group.id, id));
    if (!row) throw notFound('Iteration');
    return { cadence, row };
  }

  return {
    create: (
      place: GroupSubject,
      values: GivenIteration & Pick<Iteration, 'start_date' | 'due_date'>,
      cadenceId: number | undefined,
      origin: AuditOrigin,
    ): Promise<number> =>
      transaction(db, async (tx) => {
        const title = values.title === undefined || values.title === null ? null : checkedTitle(values.title);
        const { description = null, start_date, due_date } = values;
        const row = { title, description, start_date, due_date };
        const cadence = await cadenceFor(tx, place, cadenceId);
        if (cadence.automatic) throw scheduled();
        await checkIteration(tx, cadence, row, null);
        const made = await queries.insertIteration(tx, cadence, row);
        await queries.numberIterations(tx, cadence.id);
        await audited(tx, place, origin, made, 'created');
        return made.id;
      }),

    update: (place: GroupSubject, id: number, values: GivenIteration, origin: AuditOrigin): Promise<void> =>
      transaction(db, async (tx) => {
        const { cadence, row } = await lockOfGroup(tx, place, id);
        const changes = given(values, iterationColumns);
        if (typeof changes.title === 'string') changes.title = checkedTitle(changes.title);
        if (cadence.automatic && (changes.start_date !== undefined || changes.due_date !== undefined))
          throw scheduled();
        await checkIteration(tx, cadence, { ...row, ...changes }, id);
        const after = await queries.updateIteration(tx, id, changes);
        await queries.numberIterations(tx, cadence.id);
        await audited(tx, place, origin, after, 'updated');
      }),

    remove: (
      place: GroupSubject,
      id: number,
      unmodifiedSince: (updatedAt: Date | null) => void,
      origin: AuditOrigin,
    ): Promise<void> =>
      transaction(db, async (tx) => {
        const { cadence, row } = await lockOfGroup(tx, place, id);
        // It would be made again.
        if (cadence.automatic && cadence.active) throw scheduled();
        unmodifiedSince(row.updated_at);
        await queries.deleteIteration(tx, id);
        await queries.numberIterations(tx, cadence.id);
        await audited(tx, place, origin, row, 'destroyed');
      }),

    createCadence: (
      place: GroupSubject,
      values: GivenCadence & { readonly title: string },
      origin: AuditOrigin,
    ): Promise<IterationCadence> =>
      transaction(db, async (tx) => {
        const row = { automatic: true, ...given(values, cadenceColumns), title: checkedTitle(values.title) };
        checkCadence(row);
        const made = await cadences.insertCadence(tx, place.group.id, row);
        await schedule(tx, made, dayOf(new Date()));
        await auditedCadence(tx, place, origin, made, 'created');
        return made;
      }),

    updateCadence: (
      place: GroupSubject,
      id: number,
      values: GivenCadence,
      origin: AuditOrigin,
    ): Promise<IterationCadence> =>
      transaction(db, async (tx) => {
        const before = await cadences.lockCadence(tx, id);
        if (before?.namespace_id !== place.group.id) throw notFound('Iteration Cadence');
        const changes = given(values, cadenceColumns);
        if (changes.title !== undefined) changes.title = checkedTitle(changes.title);
        checkCadence({ ...before, ...changes });
        const today = dayOf(new Date());
        const after = await cadences.updateCadence(tx, id, changes);
        const starts = after.start_date !== before.start_date;
        if (
          starts &&
          after.automatic &&
          (await queries.iterationsFrom(tx, id, today)).some((row) => row.start_date <= today)
        )
          throw invalidRecord({ start_date: ['cannot be changed after the first iteration has started'] });
        const again = before.automatic && (starts || after.duration_in_weeks !== before.duration_in_weeks);
        await schedule(tx, after, today, again);
        await auditedCadence(tx, place, origin, after, 'updated');
        return after;
      }),

    removeCadence: (
      place: GroupSubject,
      id: number,
      unmodifiedSince: (updatedAt: Date | null) => void,
      origin: AuditOrigin,
    ): Promise<void> =>
      transaction(db, async (tx) => {
        const cadence = await cadences.lockCadence(tx, id);
        if (cadence?.namespace_id !== place.group.id) throw notFound('Iteration Cadence');
        unmodifiedSince(cadence.updated_at);
        await cadences.deleteCadence(tx, id);
        await auditedCadence(tx, place, origin, cadence, 'destroyed');
      }),
  };
}

export type IterationService = ReturnType<typeof iterationService>;
