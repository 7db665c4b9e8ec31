/** The filter of audit events: as it stands in the address, and as the API takes it. */

export const entityTypes = {
  User: 'Accounts',
  Group: 'Groups',
  Project: 'Projects',
  Instance: 'The instance',
} as const;
type EntityType = keyof typeof entityTypes;

/** The filter as it stands in the address; days are `YYYY-MM-DD`. */
export interface AuditFilter {
  readonly entity_type?: EntityType | undefined;
  /** Username of the author. */
  readonly author?: string | undefined;
  readonly created_after?: string | undefined;
  readonly created_before?: string | undefined;
}

const word = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined;
const day = (value: unknown): string | undefined =>
  typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value) ? value : undefined;

/** Reads the address; what it does not know it leaves out. */
export function readAuditFilter(search: Record<string, unknown>): AuditFilter {
  const type = word(search.entity_type);
  return {
    entity_type: type !== undefined && Object.hasOwn(entityTypes, type) ? (type as EntityType) : undefined,
    author: word(search.author)?.replace(/^@/, ''),
    created_after: day(search.created_after),
    created_before: day(search.created_before),
  };
}

/** The days of the filter as the API takes them: from the start of the first to the end of the last. */
export const timesOf = ({ created_after, created_before }: AuditFilter) => ({
  ...(created_after ? { created_after: `${created_after}T00:00:00Z` } : {}),
  ...(created_before ? { created_before: `${created_before}T23:59:59.999Z` } : {}),
});
