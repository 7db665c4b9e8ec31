/** A filter that chooses one of many by a search on the server. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, type QueryKey, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Select } from './Choices.tsx';

interface Option {
  readonly value: string;
  readonly label: string;
}

interface Found<T> {
  readonly queryKey: QueryKey;
  readonly queryFn?: unknown;
  readonly enabled?: unknown;
  readonly item?: T;
}

interface Props<T> {
  readonly label: string;
  readonly placeholder: string;
  readonly nothing: string;
  /** What is chosen. */
  readonly current: Option | null;
  /** The query of what a text finds. */
  search(text: string): Found<T>;
  option(item: T): Option;
  change(value: string | null): void;
}

export function SearchSelect<T>({ label, placeholder, nothing, current, search, option, change }: Props<T>) {
  const [text, setText] = useState('');
  const [wanted] = useDebouncedValue(text === current?.label ? '' : text.trim(), 200);
  // Most lists are read without it.
  const [opened, setOpened] = useState(false);
  const { data = [], isPending } = useQuery({
    ...(search(wanted) as { queryKey: QueryKey; queryFn: () => Promise<readonly T[]> }),
    enabled: opened,
    placeholderData: keepPreviousData,
  });
  const options = data.map(option);
  const all = current && !options.some(({ value }) => value === current.value) ? [current, ...options] : options;
  return (
    <Select
      size="xs"
      w={190}
      aria-label={label}
      placeholder={placeholder}
      data={all}
      // The server has filtered.
      filter={({ options: found }) => found}
      value={current?.value ?? null}
      onChange={change}
      onDropdownOpen={() => setOpened(true)}
      onSearchChange={setText}
      nothingFoundMessage={isPending ? 'Loading…' : nothing}
      searchable
      clearable
    />
  );
}
