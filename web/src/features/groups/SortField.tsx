/** The order of a list of groups. */
import { NativeSelect } from '@mantine/core';
import type { GroupSort } from '../../lib/groups.ts';

const words: Readonly<Record<GroupSort, string>> = { name: 'Name', path: 'Path', newest: 'Newest first' };

export function SortField({ value, change }: { value: GroupSort; change: (sort: GroupSort) => void }) {
  return (
    <NativeSelect
      aria-label="Order"
      value={value}
      data={Object.entries(words).map(([key, label]) => ({ value: key, label }))}
      onChange={(event) => change(event.currentTarget.value as GroupSort)}
    />
  );
}
