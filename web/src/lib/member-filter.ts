/** The filter of lists of members, as it stands in the address. */

const sources = ['direct', 'inherited', 'shared'] as const;
const factors = ['enabled', 'disabled'] as const;
const sorts = ['name_desc', 'access_level_asc', 'access_level_desc', 'last_joined', 'oldest_joined'] as const;

/** What a list of members is narrowed and ordered by, as it stands in the address. */
export interface MemberFilter {
  readonly search?: string | undefined;
  readonly level?: number | undefined;
  readonly source?: (typeof sources)[number] | undefined;
  readonly expires?: boolean | undefined;
  readonly two_factor?: (typeof factors)[number] | undefined;
  readonly sort?: (typeof sorts)[number] | undefined;
}

const oneOf = <T extends string>(names: readonly T[], value: unknown): T | undefined =>
  names.find((name) => name === value);

/** Reads the filter from the query of an address; what it does not know is left out. */
export const readMemberFilter = (given: Record<string, unknown>): MemberFilter => ({
  search: typeof given.search === 'string' && given.search !== '' ? given.search : undefined,
  level: Number.isInteger(Number(given.level)) && Number(given.level) > 0 ? Number(given.level) : undefined,
  source: oneOf(sources, given.source),
  expires: typeof given.expires === 'boolean' ? given.expires : undefined,
  two_factor: oneOf(factors, given.two_factor),
  sort: oneOf(sorts, given.sort),
});
