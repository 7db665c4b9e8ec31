/** Chooses a member of the project or group of the page, found by name. */
import type { MantineSize } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { membersCalled } from '../../lib/protections.ts';
import { fromSegment } from '../../lib/urls.ts';
import { Select } from '../../ui/Choices.tsx';

interface Props {
  readonly label: string;
  readonly value: string;
  readonly size?: MantineSize;
  /** Whose members they are. */
  readonly of?: 'project' | 'group';
  change(to: string | null): void;
}

export function PersonFilter({ label, value, change, size = 'xs', of = 'project' }: Props) {
  const { path = '' } = useParams({ strict: false });
  const [text, setText] = useState('');
  const [asked] = useDebouncedValue(text === value ? '' : text, 250);
  // Most lists are read without it.
  const [opened, setOpened] = useState(false);
  const { data: found = [], isPending } = useQuery({ ...membersCalled(fromSegment(path), asked, of), enabled: opened });
  const names = found.map(({ username }) => username);
  return (
    <Select
      size={size}
      w={190}
      searchable
      clearable
      aria-label={label}
      placeholder={`Any ${label.toLowerCase()}`}
      data={value === '' || names.includes(value) ? names : [value, ...names]}
      value={value === '' ? null : value}
      onDropdownOpen={() => setOpened(true)}
      onSearchChange={setText}
      onChange={change}
      nothingFoundMessage={isPending ? 'Loading…' : 'No members match your search'}
    />
  );
}
