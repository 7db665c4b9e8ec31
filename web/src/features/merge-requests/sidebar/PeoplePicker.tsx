/** People by username, found as one types. */
import { TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { peopleCalled } from '../../../lib/members.ts';

interface Props {
  readonly label: string;
  readonly description?: string;
  /** Usernames. */
  readonly value: string[];
  change(value: string[]): void;
}

export function PeoplePicker({ label, description, value, change }: Props) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data: people = [] } = useQuery({ ...peopleCalled(search), placeholderData: keepPreviousData });
  const named = new Map(people.map((person) => [person.username, person.name]));
  return (
    <TagsInput
      label={label}
      description={description}
      placeholder={value.length === 0 ? 'Search by name or username' : ''}
      data={search === '' ? [] : people.map(({ username }) => username)}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <span>
          {named.get(option.value)} @{option.value}
        </span>
      )}
      value={value}
      onChange={change}
      searchValue={typed}
      onSearchChange={setTyped}
    />
  );
}
