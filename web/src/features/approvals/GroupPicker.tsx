/** Groups whose members can approve, found as one types. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { groupsCalled } from '../../lib/approval-rules.ts';
import { MultiSelect } from '../../ui/Choices.tsx';

interface Named {
  readonly id: number;
  readonly full_name: string;
}

interface Props {
  /** Those that were chosen before. */
  readonly known: readonly Named[];
  /** Ids. */
  readonly value: string[];
  change(value: string[]): void;
}

export function GroupPicker({ known, value, change }: Props) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 150);
  const { data: found = [] } = useQuery({ ...groupsCalled(search), placeholderData: keepPreviousData });
  const [seen, setSeen] = useState(() => new Map(known.map((group) => [String(group.id), group.full_name])));
  const options = new Map([...seen, ...found.map((group) => [String(group.id), group.full_name] as const)]);
  return (
    <MultiSelect
      label="Approver groups"
      description="Members of these groups can approve"
      placeholder={value.length === 0 ? 'Search groups' : ''}
      data={[...options].map(([id, label]) => ({ value: id, label }))}
      searchable
      searchValue={typed}
      onSearchChange={setTyped}
      value={value}
      onChange={(ids) => {
        setSeen(new Map(ids.map((id) => [id, options.get(id) ?? id])));
        change(ids);
      }}
    />
  );
}
