/** SQL of orders that people give to rows of a top-level namespace, with room between them: of issues, and of epics on boards. */
import { type RawBuilder, sql } from 'kysely';
import { type Db, lockInTransaction } from '../../kernel/db/index.ts';

/** Between two rows are this many places when they are put in order. */
const gap = 1024;

interface Neighbours {
  readonly after: number | null;
  readonly before: number | null;
}

interface Ordered {
  readonly table: RawBuilder<unknown>;
  /** Its column of places. */
  readonly position: RawBuilder<unknown>;
  /** Its column that says which project or group a row is of, and the table of these. */
  readonly holder: RawBuilder<unknown>;
  readonly holders: RawBuilder<unknown>;
  /** The ids of those within a top-level namespace. */
  readonly holdersIn: (rootId: number) => RawBuilder<unknown>;
  readonly lock: string;
}

export function placesOf({ table, position, holder, holders, holdersIn, lock }: Ordered) {
  /** The neighbours that are there, with their places. */
  const placesAround = async (tx: Db, { after, before }: Neighbours): Promise<Map<number, number | null>> => {
    const { rows } = await sql<{ id: number; place: number | null }>`select id, ${position} as place from ${table}
      where id = any(${[after, before].filter((id) => id !== null)}::bigint[])`.execute(tx);
    return new Map(rows.map(({ id, place }) => [id, place]));
  };

  /** Gives a place to rows that have none: those up to an id, behind all others, in the order that lists show. */
  async function placeUpTo(tx: Db, rootId: number, id: number): Promise<void> {
    await sql`with placed as (
        select coalesce(max(${position}), 0) as last from ${table} where ${holder} in ${holdersIn(rootId)}),
      added as (
        select id, row_number() over (order by id) as place from ${table}
        where ${holder} in ${holdersIn(rootId)} and ${position} is null and id <= ${id})
      update ${table} i set ${position} = placed.last + added.place * ${gap}
      from placed, added where i.id = added.id`.execute(tx);
  }

  /** Gives every row that has a place one with room around it, in the order that there is. */
  async function spread(tx: Db, rootId: number): Promise<void> {
    await sql`update ${table} i set ${position} = o.place * ${gap}
      from (select id, row_number() over (order by ${position}, id) as place
        from ${table} where ${holder} in ${holdersIn(rootId)} and ${position} is not null) o
      where i.id = o.id`.execute(tx);
  }

  /** The place between the neighbours; null where there is no room. */
  async function between(
    tx: Db,
    rootId: number,
    id: number,
    { after, before }: Neighbours,
    places: ReadonlyMap<number, number | null>,
  ): Promise<number | null> {
    const low = (after === null ? null : places.get(after)) ?? null;
    const high = (before === null ? null : places.get(before)) ?? null;
    if (low !== null && high !== null && high > low) return high - low > 1 ? Math.floor((low + high) / 2) : null;
    // With one neighbour, or two that others have put in another order meanwhile: right beside the first.
    const [edge, sign, next] =
      low === null ? ([high ?? 0, sql`<`, sql`max`] as const) : ([low, sql`>`, sql`min`] as const);
    const { rows } = await sql<{ next: number | null }>`select ${next}(found.place) as next from ${holders} p,
      lateral (select ${next}(${position}) as place from ${table}
        where ${holder} = p.id and id <> ${id} and ${position} ${sign} ${edge}) found
      where p.id in ${holdersIn(rootId)}`.execute(tx);
    const other = rows[0]?.next ?? null;
    if (other === null) return low === null ? edge - gap : edge + gap;
    return Math.abs(other - edge) > 1 ? Math.floor((other + edge) / 2) : null;
  }

  return {
    /** First in a transaction that orders rows, before it locks any of them: one after the other in a top-level namespace. */
    lockOrder: (tx: Db, rootId: number): Promise<void> => lockInTransaction(tx, lock, rootId),

    /** Puts a row behind and before others of its top-level namespace, and answers its place. The order is locked. */
    async reorder(tx: Db, rootId: number, id: number, neighbours: Neighbours): Promise<number | null> {
      let places = await placesAround(tx, neighbours);
      const unplaced = [...places].flatMap(([each, place]) => (place === null ? [each] : []));
      if (unplaced.length > 0) {
        await placeUpTo(tx, rootId, Math.max(...unplaced));
        places = await placesAround(tx, neighbours);
      }
      let place = await between(tx, rootId, id, neighbours, places);
      if (place === null) {
        await spread(tx, rootId);
        place = await between(tx, rootId, id, neighbours, await placesAround(tx, neighbours));
      }
      if (place !== null) await sql`update ${table} set ${position} = ${place} where id = ${id}`.execute(tx);
      return place;
    },
  };
}
