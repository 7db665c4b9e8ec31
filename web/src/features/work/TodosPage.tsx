/** One's to-dos, filtered by the words of the API in the address: marked as done one by one or together, and restored. */
import { Button, Group, SegmentedControl } from '@mantine/core';
import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { peopleCalled } from '../../lib/members.ts';
import {
  personById,
  projectById,
  projectsCalled,
  type TodoFilter,
  todoReasons,
  todos,
  todoTypes,
} from '../../lib/todos.ts';
import { Select } from '../../ui/Choices.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { SearchSelect } from '../../ui/SearchSelect.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import classes from '../../ui/ui.module.css';
import { TodoRow } from './TodoRow.tsx';
import { useTodoChanges } from './useTodoChanges.tsx';

const choice = { size: 'xs', w: 170, clearable: true } as const;

interface FilterProps {
  readonly value: TodoFilter;
  change(to: Partial<TodoFilter>): void;
}

function Filters({ value, change }: FilterProps) {
  const { data: project } = useQuery(projectById(value.project_id));
  const { data: author } = useQuery(personById(value.author_id));
  const chosen = (id: number | undefined, label: string | undefined) =>
    id === undefined ? null : { value: String(id), label: label ?? `Id ${id}` };
  return (
    <Group gap="xs" mb="sm" className={classes.choices}>
      <SegmentedControl
        size="xs"
        aria-label="State"
        data={[
          { value: 'pending', label: 'To do' },
          { value: 'done', label: 'Done' },
        ]}
        value={value.state === 'done' ? 'done' : 'pending'}
        onChange={(state) => change({ state: state === 'done' ? state : undefined })}
      />
      <SearchSelect
        label="Project"
        placeholder="Any project"
        nothing="No projects match your search"
        current={chosen(value.project_id, project?.path_with_namespace)}
        search={projectsCalled}
        option={(each: { id: number; path_with_namespace: string }) => ({
          value: String(each.id),
          label: each.path_with_namespace,
        })}
        change={(id) => change({ project_id: id === null ? undefined : Number(id) })}
      />
      <SearchSelect
        label="Author"
        placeholder="Any author"
        nothing="No users match your search"
        current={chosen(value.author_id, author?.username)}
        search={peopleCalled}
        option={(each: { id: number; username: string }) => ({ value: String(each.id), label: each.username })}
        change={(id) => change({ author_id: id === null ? undefined : Number(id) })}
      />
      <Select
        {...choice}
        aria-label="Type"
        placeholder="Any type"
        data={Object.entries(todoTypes).map(([type, label]) => ({ value: type, label }))}
        value={value.type ?? null}
        onChange={(type) => change({ type: type ?? undefined })}
      />
      <Select
        {...choice}
        aria-label="Reason"
        placeholder="Any reason"
        data={Object.entries(todoReasons).map(([action, { filter }]) => ({ value: action, label: filter }))}
        value={value.action ?? null}
        onChange={(action) => change({ action: action ?? undefined })}
      />
    </Group>
  );
}

export default function TodosPage() {
  const search = useSearch({ from: '/dashboard/todos' });
  const navigate = useNavigate({ from: '/dashboard/todos' });
  const list = useSuspenseInfiniteQuery(todos(search));
  const rows = useRef<HTMLDivElement>(null);
  const changes = useTodoChanges(rows);
  const items = list.data.pages.flatMap((page) => page.items);
  const done = search.state === 'done';
  const filtered = Object.entries(search).some(([name, value]) => name !== 'state' && value !== undefined);
  return (
    <Page
      title="To-dos"
      actions={
        done || items.length === 0 ? null : (
          <Button size="xs" variant="default" loading={changes.pending} onClick={() => changes.markAll(search)}>
            {filtered ? 'Mark all that match as done' : 'Mark all as done'}
          </Button>
        )
      }
    >
      <Filters
        value={search}
        change={(to) => void navigate({ search: (before) => ({ ...before, ...to }), replace: true })}
      />
      {changes.bar}
      {items.length === 0 ? (
        <EmptyState title={filtered ? 'No to-dos match your filter' : done ? 'No completed to-dos' : 'No to-dos'}>
          {filtered
            ? 'Try removing a filter.'
            : 'A to-do is added when you are assigned, mentioned or asked for a review.'}
        </EmptyState>
      ) : (
        <div ref={rows}>
          <DataList label="To-dos">
            {items.map((todo) => (
              <TodoRow key={todo.id} todo={todo} pending={changes.pending} change={changes.change} />
            ))}
          </DataList>
          <ShowMore more={list.hasNextPage} pending={list.isFetchingNextPage} show={list.fetchNextPage} />
        </div>
      )}
    </Page>
  );
}
