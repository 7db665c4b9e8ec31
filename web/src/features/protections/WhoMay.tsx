/** Choosing who may: roles, members, groups, and deploy keys where keys push. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupsWithAccess, membersCalled, writeKeys } from '../../lib/protections.ts';
import { choiceOf, type Entry, roleChoices } from '../../lib/who-may.ts';
import { MultiSelect } from '../../ui/Choices.tsx';

interface Props {
  /** The project whose people may be named; null for roles only. */
  readonly project: string | null;
  readonly label: string;
  readonly description?: string;
  readonly value: string[];
  change(value: string[]): void;
  /** Those who are there already: their names are known. */
  readonly known?: readonly Entry[];
  readonly keys?: boolean;
  /** Where somebody always has to be left. */
  readonly withoutNobody?: boolean;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

export function WhoMay(props: Props) {
  const { project, label, description, value, change, known = [], keys = false, withoutNobody = false } = props;
  const path = project ?? '';
  const enabled = project !== null;
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data: members = [] } = useQuery({
    ...membersCalled(path, search),
    enabled,
    placeholderData: keepPreviousData,
  });
  const { data: groups = [] } = useQuery({ ...groupsWithAccess(path), enabled });
  const { data: deployKeys = [] } = useQuery({ ...writeKeys(path), enabled: enabled && keys });
  const [seen, setSeen] = useState<ReadonlyMap<string, string>>(new Map());
  const offered: Record<string, Choice[]> = {
    Roles: roleChoices.filter((choice) => !withoutNobody || choice.value !== 'role:0').map((choice) => ({ ...choice })),
    Members: members.map((member) => ({ value: `user:${member.id}`, label: `${member.name} (@${member.username})` })),
    Groups: groups.map((group) => ({ value: `group:${group.id}`, label: group.full_path })),
    'Deploy keys': deployKeys.map((key) => ({ value: `key:${key.id}`, label: key.title })),
  };
  const there = new Set(Object.values(offered).flatMap((choices) => choices.map((choice) => choice.value)));
  const names = new Map([...known.map((entry) => [choiceOf(entry), entry.access_level_description] as const), ...seen]);
  // Somebody whom another search found stays by their name.
  const chosen = value
    .filter((choice) => !there.has(choice))
    .map((choice) => ({ value: choice, label: names.get(choice) ?? choice }));
  const data = [...Object.entries(offered), ['Chosen', chosen] as const]
    .filter(([, items]) => items.length > 0)
    .map(([group, items]) => ({ group, items }));
  return (
    <MultiSelect
      label={label}
      description={description}
      data={data}
      value={value}
      onChange={(next) => {
        const labels = Object.values(offered).flatMap((choices) =>
          choices.map((each) => [each.value, each.label] as const),
        );
        setSeen(new Map([...seen, ...labels.filter(([choice]) => next.includes(choice))]));
        change(next);
      }}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      hidePickedOptions
      comboboxProps={{ shadow: 'md' }}
      nothingFoundMessage={enabled ? 'No users match' : 'No roles match'}
    />
  );
}
