/** Above a list of what has a title and a state: words to look for, and which states are shown. Kept in the address. */
import { SegmentedControl } from '@mantine/core';
import { FilterBar } from './FilterBar.tsx';

export interface TitleSearch {
  readonly search?: string | undefined;
  readonly state?: string | undefined;
}

interface Props {
  /** What the words are looked for in. */
  readonly label?: string;
  readonly value: TitleSearch;
  /** The first one is shown where the address says nothing. */
  readonly states: readonly { readonly value: string; readonly label: string }[];
  /** How many there are in each state, once it is known. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  /** What of the address changes; the list begins anew. `replace` while somebody types. */
  change(to: TitleSearch & { page: undefined }, replace: boolean): void;
}

export function TitleFilter({ label = 'Filter by title or description', value, states, counts, change }: Props) {
  const usual = states[0]?.value;
  return (
    <FilterBar
      label={label}
      value={value.search ?? ''}
      change={(text) => change({ search: text || undefined, page: undefined }, true)}
    >
      <SegmentedControl
        size="xs"
        aria-label="State"
        data={states.map(({ value, label }) => {
          const count = counts?.[value];
          return { value, label: count === undefined ? label : `${label} ${count}` };
        })}
        value={value.state ?? usual ?? ''}
        onChange={(next) => change({ state: next === usual ? undefined : next, page: undefined }, false)}
      />
    </FilterBar>
  );
}
