/** Audit events: what pages ask for, and how an event reads. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { client, type Schemas, unwrap, unwrapKeyset } from './api.ts';
import { type AuditFilter, timesOf } from './audit-filter.ts';

export type AuditEvent = Schemas['AuditEvent'];

/** Where events are read: everything, one place, or one's own sign-ins. */
export type AuditPlace =
  | { readonly kind: 'instance' }
  | { readonly kind: 'project' | 'group'; readonly path: string }
  | { readonly kind: 'self' };

/** Null when nobody has the name. */
async function authorOf(name: string | undefined): Promise<{ author_id?: number } | null> {
  if (!name) return {};
  const [found] = await unwrap(client.GET('/users', { params: { query: { username: name } } }));
  return found ? { author_id: found.id } : null;
}

async function pageOf(place: AuditPlace, filter: AuditFilter, cursor: string | null) {
  const paging = { pagination: 'keyset' as const, per_page: 50, ...(cursor === null ? {} : { cursor }) };
  const query = { ...paging, ...timesOf(filter) };
  if (place.kind === 'self')
    return await unwrapKeyset(client.GET('/user/authentication_events', { params: { query } }));
  const author = await authorOf(filter.author);
  if (!author) return { items: [], cursor: null };
  const wanted = { ...query, ...author };
  if (place.kind === 'instance') {
    const type = filter.entity_type ? { entity_type: filter.entity_type } : {};
    return await unwrapKeyset(client.GET('/audit_events', { params: { query: { ...wanted, ...type } } }));
  }
  const path = { id: place.path };
  return place.kind === 'project'
    ? await unwrapKeyset(client.GET('/projects/{id}/audit_events', { params: { path, query: wanted } }))
    : await unwrapKeyset(client.GET('/groups/{id}/audit_events', { params: { path, query: wanted } }));
}

export const auditEvents = (place: AuditPlace, filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['audit-events', place, filter],
    queryFn: ({ pageParam }) => pageOf(place, filter, pageParam),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    staleTime: 0,
  });

const names: Readonly<Record<string, string>> = {
  totp: 'authenticator application',
  ssh: 'SSH',
  gpg: 'GPG',
  email: 'email',
};

/** `user_totp_added` as people read it. */
export function titleOf({ event_name, details }: Pick<AuditEvent, 'event_name' | 'details'>): string {
  const words = event_name.split('_').map((each) => names[each] ?? each);
  const text = words.join(' ');
  const title = text.charAt(0).toUpperCase() + text.slice(1);
  return typeof details.change === 'string' && !event_name.includes(details.change)
    ? `${title}: ${details.change}`
    : title;
}

/** The same where all events are about oneself. */
export function ownTitleOf(event: Pick<AuditEvent, 'event_name' | 'details'>): string {
  const title = titleOf(event).replace(/^User /, '');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

/** What the frame of the row tells, and what was said already. */
const told = new Set([
  'author_name',
  'author_email',
  'target_id',
  'target_type',
  'target_details',
  'ip_address',
  'entity_path',
  'impersonated_by',
  'change',
  'from',
  'to',
  'user_agent',
]);

function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(textOf).join(', ');
  if (typeof value !== 'object') return String(value);
  return Object.entries(value)
    .map(([key, each]) => `${key.replaceAll('_', ' ')} ${textOf(each)}`)
    .join(', ');
}

/** What became of it: both sides of a change, then everything else that the event tells. */
export function factsOf({ details }: Pick<AuditEvent, 'details'>): string[] {
  const change = 'from' in details || 'to' in details ? [`${textOf(details.from)} → ${textOf(details.to)}`] : [];
  const rest = Object.entries(details)
    .filter(([key, value]) => !told.has(key) && value !== null && value !== false)
    .map(([key, value]) =>
      value === true ? key.replaceAll('_', ' ') : `${key.replaceAll('_', ' ')}: ${textOf(value)}`,
    );
  return [...change, ...rest];
}

/** The administrator who acted as the author. */
export function impersonatorOf({ details }: Pick<AuditEvent, 'details'>): string | null {
  const by = details.impersonated_by;
  return typeof by === 'object' && by !== null && 'name' in by ? String(by.name) : null;
}
