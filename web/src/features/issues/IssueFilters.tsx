/** Narrows and orders the list of issues by the filters of the API, each of them also excluded. All stands in the address. */
import { Button, Group, MultiSelect, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type IssueFilter, isFiltered } from '../../lib/issue-filters.ts';
import { issueOrders, labelsIn } from '../../lib/issue-queries.ts';
import { labels, openMilestones } from '../../lib/planning.ts';
import { membersCalled } from '../../lib/protections.ts';
import classes from '../../ui/ui.module.css';

interface Place {
  readonly of: 'project' | 'group';
  /** Of the project or group. */
  readonly path: string;
}

interface Props extends Place {
  readonly value: IssueFilter;
  change(to: Partial<IssueFilter>): void;
}

const look = { size: 'xs', w: 190, searchable: true, clearable: true } as const;
/** Before a value that is excluded. */
const excluded = 'not:';

const unique = (values: readonly string[]) => [...new Set(values)];
const option = (value: string) => ({ value, label: value });
const exclusion = (value: string) => ({ value: `${excluded}${value}`, label: `not ${value}` });
const groups = (special: readonly string[], values: readonly string[]) => [
  ...(special.length > 0 ? [{ group: 'Any or none', items: special.map(option) }] : []),
  { group: 'Is', items: values.map(option) },
  { group: 'Is not', items: values.map(exclusion) },
];

interface PersonProps extends Place {
  readonly label: 'Author' | 'Assignee';
  readonly is: string | undefined;
  readonly isNot: string | undefined;
  readonly special?: readonly string[];
  change(value: string | null): void;
}

/** A member of the project or group, found by name. */
function PersonFilter({ of, path, label, is, isNot, special = [], change }: PersonProps) {
  const value = is ?? (isNot ? `${excluded}${isNot}` : null);
  const [text, setText] = useState('');
  const shown = value?.startsWith(excluded) ? `not ${isNot}` : (value ?? '');
  const [asked] = useDebouncedValue(text === shown ? '' : text.replace(/^not /, ''), 250);
  const { data: found = [] } = useQuery(membersCalled(path, asked, of));
  const own = [is, isNot].filter((name) => name !== undefined && !special.includes(name)) as string[];
  return (
    <Select
      {...look}
      aria-label={label}
      placeholder={`Any ${label.toLowerCase()}`}
      data={groups(special, unique([...own, ...found.map(({ username }) => username)]))}
      value={value}
      onSearchChange={setText}
      onChange={change}
      nothingFoundMessage="No members match your search"
    />
  );
}

/** A value as it is or as it is excluded, for the two names of the API. */
const sides = (value: string | null) =>
  value?.startsWith(excluded) ? [undefined, value.slice(excluded.length)] : [value ?? undefined, undefined];

export function IssueFilters({ of, path, value, change }: Props) {
  const { data: known = [] } = useQuery(labels(path, '', of));
  const { data: milestones = [] } = useQuery(openMilestones(path, of));
  const [wanted, unwanted] = [labelsIn(value.labels), labelsIn(value['not[labels]'])];
  const { milestone, 'not[milestone]': notMilestone } = value;
  const special = ['None', 'Any'];
  const days = ['Upcoming', 'Started'];
  const titles = unique([
    ...[milestone, notMilestone].filter((title) => title !== undefined && ![...special, ...days].includes(title)),
    ...milestones.map(({ title }) => title),
  ] as string[]);
  const names = unique([...wanted, ...unwanted, ...known.map(({ name }) => name)]).filter(
    (name) => !special.includes(name),
  );
  return (
    <Group gap="xs" mb="sm" align="flex-start" className={classes.choices}>
      <PersonFilter
        {...{ of, path }}
        label="Author"
        is={value.author_username}
        isNot={value['not[author_username]']}
        change={(name) => {
          const [is, isNot] = sides(name);
          change({ author_username: is, 'not[author_username]': isNot });
        }}
      />
      <PersonFilter
        {...{ of, path }}
        label="Assignee"
        is={value.assignee_username ?? value.assignee_id}
        isNot={value['not[assignee_username]']}
        special={special}
        change={(name) => {
          const [is, isNot] = sides(name);
          const anybody = is !== undefined && special.includes(is);
          change({
            assignee_id: anybody ? is : undefined,
            assignee_username: anybody ? undefined : is,
            'not[assignee_username]': isNot,
          });
        }}
      />
      <MultiSelect
        {...look}
        w={240}
        aria-label="Labels"
        placeholder={wanted.length + unwanted.length === 0 ? 'Any label' : ''}
        data={groups(special, names)}
        value={[...wanted, ...unwanted.map((name) => `${excluded}${name}`)]}
        onChange={(chosen) => {
          const not = chosen.flatMap((name) => (name.startsWith(excluded) ? [name.slice(excluded.length)] : []));
          const is = chosen.filter((name) => !name.startsWith(excluded));
          // `None` and `Any` stand alone.
          const alone = is.findLast((name) => special.includes(name));
          const kept = alone && is.at(-1) === alone ? [alone] : is.filter((name) => !special.includes(name));
          change({ labels: kept.join(',') || undefined, 'not[labels]': not.join(',') || undefined });
        }}
        nothingFoundMessage="No labels match your search"
      />
      <Select
        {...look}
        aria-label="Milestone"
        placeholder="Any milestone"
        data={groups([...special, ...days], titles)}
        value={milestone ?? (notMilestone ? `${excluded}${notMilestone}` : null)}
        onChange={(title) => {
          const [is, isNot] = sides(title);
          change({ milestone: is, 'not[milestone]': isNot });
        }}
        nothingFoundMessage="No milestones match your search"
      />
      <Select
        size="xs"
        w={170}
        clearable
        aria-label="Confidentiality"
        placeholder="Any confidentiality"
        data={[
          { value: 'true', label: 'Confidential' },
          { value: 'false', label: 'Not confidential' },
        ]}
        value={value.confidential ?? null}
        onChange={(confidential) => change({ confidential: confidential ?? undefined })}
      />
      <Select
        size="xs"
        w={170}
        aria-label="Sort by"
        allowDeselect={false}
        data={issueOrders.map(({ value: order, label }) => ({ value: order, label }))}
        value={issueOrders.find((each) => each.value === value.sort)?.value ?? issueOrders[0].value}
        onChange={(sort) => change({ sort: sort === issueOrders[0].value ? undefined : (sort ?? undefined) })}
      />
      {isFiltered(value) ? (
        <Button
          size="xs"
          variant="subtle"
          onClick={() =>
            change({
              ...{
                state: undefined,
                search: undefined,
                labels: undefined,
                milestone: undefined,
                assignee_id: undefined,
              },
              ...{ assignee_username: undefined, author_username: undefined, confidential: undefined },
              ...{ 'not[labels]': undefined, 'not[milestone]': undefined },
              ...{ 'not[assignee_username]': undefined, 'not[author_username]': undefined },
            })
          }
        >
          Clear filters
        </Button>
      ) : null}
    </Group>
  );
}
