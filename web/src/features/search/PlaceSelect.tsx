/** Narrows a search to a project or group, found by name. */
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { placesNamed } from '../../lib/search.ts';
import { Select } from '../../ui/Choices.tsx';
import classes from './search.module.css';

interface Props {
  /** `project:PATH` or `group:PATH`; null for everywhere. */
  readonly value: string | null;
  readonly change: (value: string | null) => void;
}

export function PlaceSelect({ value, change }: Props) {
  const [text, setText] = useState('');
  const current = value?.replace(/^(project|group):/, '') ?? '';
  const [wanted] = useDebouncedValue(text === current ? '' : text, 150);
  const { data } = useQuery({ ...placesNamed(wanted), placeholderData: keepPreviousData });
  const options = (kind: 'project' | 'group', paths: readonly string[]) =>
    [...new Set([...(value?.startsWith(`${kind}:`) ? [current] : []), ...paths])].map((path) => ({
      value: `${kind}:${path}`,
      label: path,
    }));
  return (
    <Select
      className={classes.place}
      aria-label="Project or group"
      placeholder="All projects and groups"
      data={[
        { group: 'Projects', items: options('project', data?.projects ?? []) },
        { group: 'Groups', items: options('group', data?.groups ?? []) },
      ]}
      // The server has filtered by name.
      filter={({ options: all }) => all}
      value={value}
      onChange={change}
      onSearchChange={setText}
      nothingFoundMessage="No projects or groups match"
      searchable
      clearable
    />
  );
}
