/** Fields that choose the iteration and the epic of an issue; both belong to a group above the project. */
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { listChoices } from '../../lib/boards.ts';
import { epicChoices } from '../../lib/epics.ts';
import type { Issue } from '../../lib/issues.ts';
import { iterationName } from '../../lib/planning.ts';
import { Select } from '../../ui/Choices.tsx';
import { useProject } from '../projects/useProject.ts';

/** Ids; 0 for none. */
export interface Above {
  readonly iteration_id: number;
  readonly epic_id: number;
}

export const aboveOf = (issue: Issue | undefined): Above => ({
  iteration_id: issue?.iteration?.id ?? 0,
  epic_id: issue?.epic?.id ?? 0,
});

interface AboveFieldsProps {
  readonly issue: Issue | undefined;
  readonly above: Above;
  change(above: Above): void;
  reason(name: string): string | undefined;
}

const settleMilliseconds = 250;
const common = { placeholder: 'None', searchable: true, clearable: true, nothingFoundMessage: 'No results' } as const;

export function AboveFields({ issue, above, change, reason }: AboveFieldsProps) {
  const { project, path } = useProject();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, settleMilliseconds);
  const { data: iterations = [] } = useQuery(listChoices('project', path, 'iteration_id'));
  const { data: epics = [] } = useQuery(epicChoices(project.namespace.full_path, search));
  // What is chosen stays to choose, also when it is closed or not what is searched for.
  const [picked, setPicked] = useState(
    issue?.epic ? { value: String(issue.epic.id), label: `&${issue.epic.iid} ${issue.epic.title}` } : null,
  );
  const shownEpics = picked && !epics.some(({ value }) => value === picked.value) ? [picked, ...epics] : epics;
  const kept = issue?.iteration;
  const shownIterations =
    kept && !iterations.some(({ value }) => value === String(kept.id))
      ? [{ value: String(kept.id), label: iterationName(kept) }, ...iterations]
      : iterations;
  const chosen = (id: number) => (id === 0 ? null : String(id));
  return (
    <>
      <Select
        {...common}
        label="Iteration"
        data={shownIterations}
        value={chosen(above.iteration_id)}
        onChange={(id) => change({ ...above, iteration_id: Number(id ?? 0) })}
        error={reason('iteration_id')}
      />
      <Select
        {...common}
        label="Epic"
        data={shownEpics}
        // The server has searched; its matches are not filtered again by their numbers.
        filter={({ options }) => options}
        searchValue={typed}
        onSearchChange={setTyped}
        value={chosen(above.epic_id)}
        onChange={(id) => {
          setPicked(shownEpics.find(({ value }) => value === id) ?? null);
          change({ ...above, epic_id: Number(id ?? 0) });
        }}
        error={reason('epic_id')}
      />
    </>
  );
}
