/** What the list of members is narrowed and ordered by; it stands in the address. */
import { NativeSelect } from '@mantine/core';
import { type MemberFilter, readMemberFilter } from '../../lib/member-filter.ts';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { levelsOf } from './levels.ts';

const sources = {
  direct: 'Direct',
  inherited: 'Inherited',
  shared: 'Invited group',
} as const;
const ends = { true: 'Expires', false: 'Does not expire' } as const;
const factors = { enabled: '2FA on', disabled: '2FA off' } as const;
const orders = {
  name_desc: 'Name, Z to A',
  access_level_desc: 'Highest role',
  access_level_asc: 'Lowest role',
  last_joined: 'Last joined',
  oldest_joined: 'First joined',
} as const;

const choices = (all: string, words: Readonly<Record<string, string>>) => [
  { value: '', label: all },
  ...Object.entries(words).map(([value, label]) => ({ value, label })),
];

interface Props {
  readonly filter: MemberFilter;
  readonly manages: boolean;
  readonly topLevel: boolean;
  go(filter: MemberFilter): void;
}

export function MemberFilters({ filter, manages, topLevel, go }: Props) {
  const set = (change: Record<string, unknown>) => go(readMemberFilter({ ...filter, ...change }));
  const field = (label: string, name: keyof MemberFilter, data: { value: string; label: string }[]) => (
    <NativeSelect
      aria-label={label}
      data={data}
      value={String(filter[name] ?? '')}
      onChange={(event) => {
        const value = event.currentTarget.value;
        set({ [name]: value === 'true' ? true : value === 'false' ? false : value });
      }}
    />
  );
  return (
    <FilterBar label="Name or username" value={filter.search ?? ''} change={(search) => set({ search })}>
      {field('Filter by role', 'level', [{ value: '', label: 'Any role' }, ...levelsOf(topLevel)])}
      {field('Source', 'source', choices('Any source', sources))}
      {field('Expiry', 'expires', choices('Any expiry', ends))}
      {manages ? field('Second factor', 'two_factor', choices('2FA: any', factors)) : null}
      {field('Order', 'sort', choices('Name', orders))}
    </FilterBar>
  );
}
