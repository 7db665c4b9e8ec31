/** Narrows and orders the list of merge requests: author, reviewer, label, milestone. Everything stands in the address. */
import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type MergeRequestFilter, mergeRequestOrders } from '../../lib/merge-requests.ts';
import { labels, openMilestones } from '../../lib/planning.ts';
import classes from '../../ui/ui.module.css';
import { PersonFilter } from '../members/PersonFilter.tsx';

interface Props {
  readonly of: 'project' | 'group';
  /** Of the project or group. */
  readonly path: string;
  readonly value: MergeRequestFilter;
  change(to: Partial<MergeRequestFilter>): void;
}

const look = { size: 'xs', w: 190, searchable: true, clearable: true } as const;

export function MergeRequestFilters({ of, path, value, change }: Props) {
  const { data: known = [] } = useQuery(labels(path, '', of));
  const { data: milestones = [] } = useQuery(openMilestones(path, of));
  const unique = (all: readonly string[]) => [...new Set(all)];
  const titles = unique(milestones.map(({ title }) => title));
  const withOwn = (all: string[], own: string | undefined) => (own && !all.includes(own) ? [own, ...all] : all);
  return (
    <Group gap="xs" mb="sm" className={classes.choices}>
      <PersonFilter
        of={of}
        label="Author"
        value={value.author_username ?? ''}
        change={(name) => change({ author_username: name ?? undefined })}
      />
      <PersonFilter
        of={of}
        label="Reviewer"
        value={value.reviewer_username ?? ''}
        change={(name) => change({ reviewer_username: name ?? undefined })}
      />
      <Select
        {...look}
        aria-label="Label"
        placeholder="Any label"
        data={withOwn(unique(known.map(({ name }) => name)), value.labels)}
        value={value.labels ?? null}
        onChange={(name) => change({ labels: name ?? undefined })}
        nothingFoundMessage="No labels match your search"
      />
      <Select
        {...look}
        aria-label="Milestone"
        placeholder="Any milestone"
        data={withOwn(titles, value.milestone)}
        value={value.milestone ?? null}
        onChange={(title) => change({ milestone: title ?? undefined })}
        nothingFoundMessage="No milestones match your search"
      />
      <Select
        size="xs"
        w={190}
        aria-label="Sort by"
        allowDeselect={false}
        data={[...mergeRequestOrders]}
        value={mergeRequestOrders.find((each) => each.value === value.order)?.value ?? mergeRequestOrders[0].value}
        onChange={(order) =>
          change({ order: order === null || order === mergeRequestOrders[0].value ? undefined : order })
        }
      />
    </Group>
  );
}
