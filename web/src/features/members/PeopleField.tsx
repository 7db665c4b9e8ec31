/** People by name or username, found as one types, and addresses of those who have no account yet. */
import { Avatar, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { peopleCalled } from '../../lib/members.ts';
import { TagsInput } from '../../ui/Choices.tsx';

interface Props {
  readonly value: string[];
  change(value: string[]): void;
  readonly typed: string;
  type(text: string): void;
  readonly error?: string | undefined;
}

export function PeopleField({ value, change, typed, type, error }: Props) {
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data: people = [] } = useQuery({ ...peopleCalled(search), placeholderData: keepPreviousData });
  const named = new Map(people.map((person) => [person.username, person]));
  return (
    <TagsInput
      label="Username or email"
      placeholder={value.length === 0 ? 'Names, usernames or email addresses' : ''}
      data={search === '' ? [] : people.map(({ username }) => username)}
      filter={({ options }) => options}
      renderOption={({ option }) => (
        <Group gap="xs" wrap="nowrap">
          <Avatar
            src={named.get(option.value)?.avatar_url ?? null}
            name={named.get(option.value)?.name ?? option.value}
            size={22}
            color="race"
            variant="filled"
            alt=""
          />
          <Text size="sm" truncate>
            {named.get(option.value)?.name}{' '}
            <Text span size="sm" c="var(--mr-dim)">
              @{option.value}
            </Text>
          </Text>
        </Group>
      )}
      splitChars={[',', ' ', ';']}
      value={value}
      onChange={change}
      searchValue={typed}
      onSearchChange={type}
      error={error}
    />
  );
}
