/** People by username, found as one types. */
import { Anchor } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { peopleCalled } from '../../../lib/members.ts';
import { sessionQuery } from '../../../lib/session.ts';
import { TagsInput } from '../../../ui/Choices.tsx';

interface Props {
  readonly label: string;
  readonly description?: string;
  /** Usernames. */
  readonly value: string[];
  change(value: string[]): void;
  /** The words of a button that adds whoever looks. */
  readonly self?: string;
}

export function PeoplePicker({ label, description, value, change, self }: Props) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data: people = [] } = useQuery({ ...peopleCalled(search), placeholderData: keepPreviousData });
  const { data: session } = useQuery(sessionQuery);
  const own = session?.user?.username;
  const named = new Map(people.map((person) => [person.username, person.name]));
  return (
    <div>
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
      {self && own && !value.includes(own) ? (
        <Anchor component="button" type="button" size="sm" mt={4} onClick={() => change([...value, own])}>
          {self}
        </Anchor>
      ) : null}
    </div>
  );
}
