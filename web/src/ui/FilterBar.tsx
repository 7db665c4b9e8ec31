/** The filter of a list: what is typed goes into the address after a short pause. */
import { SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import classes from './ui.module.css';

interface FilterBarProps {
  label: string;
  value: string;
  change: (text: string) => void;
  children?: ReactNode;
}

export function FilterBar({ label, value, change, children }: FilterBarProps) {
  const [text, setText] = useState(value);
  const later = useDebouncedCallback(change, 250);
  return (
    <form
      className={classes.filter}
      onSubmit={(event) => {
        event.preventDefault();
        change(text);
      }}
    >
      <TextInput
        className={classes.grow}
        aria-label={label}
        placeholder={label}
        leftSection={<IconSearch size={16} aria-hidden />}
        data-filter
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          later(event.currentTarget.value);
        }}
      />
      {children}
    </form>
  );
}

interface TitleSearch {
  readonly search?: string | undefined;
  readonly state?: string | undefined;
}

interface TitleFilterProps {
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

/** Above a list of what has a title and a state: words to look for, and which states are shown. Kept in the address. */
export function TitleFilter({
  label = 'Filter by title or description',
  value,
  states,
  counts,
  change,
}: TitleFilterProps) {
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
