/** Rows of `audit_events`. They are written in the transaction of the change that they tell of, and never changed. */
import type { Db } from '../db/index.ts';
import type { AuditEvent } from '../db/rows.ts';
import type { Page } from '../http/pagination.ts';
import { countUpTo, idOrder } from '../http/paging.queries.ts';
import type { AuditOrigin } from './index.ts';

type AuditEntityType = AuditEvent['entity_type'];

export interface NewAuditEvent extends AuditOrigin {
  /** Where the event is found: the user, group or project that it is about, or the instance. */
  readonly entity: { readonly type: AuditEntityType; readonly id: number; readonly path: string };
  /** A word for what happened, like `personal_access_token_created`. */
  readonly event: string;
  /** Never a secret: names, ids, and what changed from what to what. */
  readonly details: Readonly<Record<string, unknown>>;
  /** The thing that was changed; the entity itself unless given. */
  readonly target?: { readonly type: string; readonly id: number | null; readonly details: string };
}

function rowOf(event: NewAuditEvent) {
  const { author, entity } = event;
  const target = event.target ?? { type: entity.type, id: entity.id, details: entity.path };
  const details = {
    ...event.details,
    ...(author?.email === undefined ? {} : { author_email: author.email }),
    ...(author?.impersonator ? { impersonated_by: author.impersonator } : {}),
  };
  return {
    author_id: author?.id ?? null,
    author_name: author?.name ?? 'System',
    entity_type: entity.type,
    entity_id: entity.id,
    entity_path: entity.path,
    event: event.event,
    target_type: target.type,
    target_id: target.id,
    target_details: target.details,
    details: JSON.stringify(details),
    ip_address: event.address,
  };
}

/** Keeps events. `tx` is the transaction of the change: either both are there or neither. */
export async function recordAudits(tx: Db, events: readonly NewAuditEvent[]): Promise<void> {
  if (events.length > 0) await tx.insertInto('audit_events').values(events.map(rowOf)).execute();
}

/** Keeps one event. */
export const recordAudit = (tx: Db, event: NewAuditEvent): Promise<void> => recordAudits(tx, [event]);

export interface AuditFilter {
  readonly entityType?: AuditEntityType | undefined;
  readonly entityId?: number | undefined;
  readonly authorId?: number | undefined;
  /** Only what this user did, whatever else is asked for. */
  readonly ownOf?: number | undefined;
  /** Names of events. */
  readonly events?: readonly string[] | undefined;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
}

function filtered(db: Db, filter: AuditFilter) {
  let query = db.selectFrom('audit_events');
  if (filter.entityType !== undefined) query = query.where('entity_type', '=', filter.entityType);
  if (filter.entityId !== undefined) query = query.where('entity_id', '=', filter.entityId);
  if (filter.authorId !== undefined) query = query.where('author_id', '=', filter.authorId);
  if (filter.ownOf !== undefined) query = query.where('author_id', '=', filter.ownOf);
  if (filter.events) query = query.where('event', 'in', [...filter.events]);
  if (filter.createdAfter) query = query.where('created_at', '>=', filter.createdAfter);
  if (filter.createdBefore) query = query.where('created_at', '<=', filter.createdBefore);
  return query;
}

/** Newest first. */
export const auditOrder = idOrder<AuditEvent>('desc');

export async function listAudit(
  db: Db,
  filter: AuditFilter,
  window: Pick<Page, 'limit' | 'offset' | 'after'>,
): Promise<AuditEvent[]> {
  const continued = auditOrder.after(window.after);
  const query = filtered(db, filter).selectAll();
  return await (continued ? query.where(continued) : query)
    .orderBy(auditOrder.orderBy)
    .limit(window.limit)
    .offset(window.offset)
    .execute();
}

/** How many match, counted up to one more than is ever told. */
export const countAudit = (db: Db, filter: AuditFilter): Promise<number> =>
  countUpTo(db, filtered(db, filter).select('id'));

export async function findAudit(db: Db, id: number, filter: AuditFilter): Promise<AuditEvent | undefined> {
  return await filtered(db, filter).selectAll().where('id', '=', id).executeTakeFirst();
}
