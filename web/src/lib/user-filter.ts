/** The filter of the list of accounts: as it stands in the address, and as the API takes it. */
export const kinds = {
  active: ['Active', { filter: 'active' }],
  admins: ['Administrators', { filter: 'admins' }],
  blocked_pending_approval: ['Pending approval', { filter: 'blocked_pending_approval' }],
  blocked: ['Blocked', { filter: 'blocked' }],
  banned: ['Banned', { filter: 'banned' }],
  deactivated: ['Deactivated', { filter: 'deactivated' }],
  locked: ['Locked', { filter: 'locked' }],
  external: ['External', { filter: 'external' }],
  bots: ['Bots', { filter: 'bots' }],
  service_accounts: ['Service accounts', { filter: 'service_accounts' }],
  two_factor_enabled: ['With two-factor authentication', { filter: 'two_factor_enabled' }],
  two_factor_disabled: ['Without two-factor authentication', { filter: 'two_factor_disabled' }],
  without_projects: ['Without projects', { without_projects: true }],
} as const;
type Kind = keyof typeof kinds;

export const orders = {
  created_desc: ['Newest', { order_by: 'id', sort: 'desc' }],
  created_asc: ['Oldest', { order_by: 'id', sort: 'asc' }],
  name_asc: ['Name', { order_by: 'name', sort: 'asc' }],
  username_asc: ['Username', { order_by: 'username', sort: 'asc' }],
  updated_desc: ['Last updated', { order_by: 'updated_at', sort: 'desc' }],
} as const;
type Order = keyof typeof orders;

export interface UserFilter {
  readonly search?: string | undefined;
  readonly filter?: Kind | undefined;
  readonly sort?: Order | undefined;
}

const oneOf = <T extends string>(value: unknown, names: Readonly<Record<T, unknown>>): T | undefined =>
  typeof value === 'string' && Object.hasOwn(names, value) ? (value as T) : undefined;

/** Reads the address; what it does not know it leaves out. */
export function readUserFilter(search: Record<string, unknown>): UserFilter {
  const { search: text } = search;
  return {
    search: text === undefined || text === '' ? undefined : String(text),
    filter: oneOf(search.filter, kinds),
    sort: oneOf(search.sort, orders),
  };
}

/** The parameters of the API. */
export const userQuery = ({ search, filter, sort = 'created_desc' }: UserFilter) => ({
  ...(search ? { search } : {}),
  ...(filter ? kinds[filter][1] : {}),
  ...orders[sort][1],
});
