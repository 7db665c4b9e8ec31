/** Which issues or epics a board shows: those of a milestone, assignee and weight with all of some labels. */
import { NumberInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Board, type BoardScope, listChoices } from '../../lib/boards.ts';
import { MultiSelect, Select } from '../../ui/Choices.tsx';
import type { BoardsInView } from './useBoards.ts';

export const scopeOf = (board: Board | undefined): BoardScope => ({
  labels: board?.labels.map(({ name }) => name) ?? [],
  milestone_id: board?.milestone?.id ?? 0,
  assignee_id: board?.assignee?.id ?? 0,
  weight: board?.weight ?? null,
});

interface Choice {
  readonly value: string;
  readonly label: string;
}

/** What is chosen stays to choose, also when it is closed or has left. */
const withChosen = (choices: readonly Choice[], id: number, label: string | undefined): Choice[] =>
  id === 0 || label === undefined || choices.some(({ value }) => value === String(id))
    ? [...choices]
    : [{ value: String(id), label }, ...choices];

interface Props {
  readonly of: BoardsInView;
  readonly board: Board | undefined;
  readonly scope: BoardScope;
  change(scope: BoardScope): void;
  reason(name: string): string | undefined;
}

/** What only issues have. */
function IssueScope({ of, board, scope, change, reason }: Props) {
  const { data: milestones = [] } = useQuery(listChoices(of.kind, of.path, 'milestone_id'));
  const { data: people = [] } = useQuery(listChoices(of.kind, of.path, 'assignee_id'));
  const single = { placeholder: 'Any', searchable: true, clearable: true, nothingFoundMessage: 'No results' } as const;
  const chosen = (id: number) => (id === 0 ? null : String(id));
  return (
    <>
      <Select
        {...single}
        label="Milestone"
        data={withChosen(milestones, board?.milestone?.id ?? 0, board?.milestone?.title)}
        value={chosen(scope.milestone_id)}
        onChange={(id) => change({ ...scope, milestone_id: Number(id ?? 0) })}
        error={reason('milestone_id')}
      />
      <Select
        {...single}
        label="Assignee"
        data={withChosen(people, board?.assignee?.id ?? 0, board?.assignee?.name)}
        value={chosen(scope.assignee_id)}
        onChange={(id) => change({ ...scope, assignee_id: Number(id ?? 0) })}
        error={reason('assignee_id')}
      />
      <NumberInput
        label="Weight"
        placeholder="Any"
        min={0}
        max={2_147_483_647}
        allowDecimal={false}
        allowNegative={false}
        value={scope.weight ?? ''}
        onChange={(next) => change({ ...scope, weight: typeof next === 'number' ? next : null })}
        error={reason('weight')}
      />
    </>
  );
}

export function BoardScopeFields({ of, board, scope, change, reason }: Props) {
  const { data: labels = [] } = useQuery(listChoices(of.kind, of.path, 'label_id'));
  return (
    <>
      <MultiSelect
        label="Labels"
        description={`Only ${of.cards} with all of these labels`}
        data={[...new Set([...scope.labels, ...labels.map(({ label }) => label)])]}
        value={[...scope.labels]}
        onChange={(next) => change({ ...scope, labels: next })}
        searchable
        clearable
        nothingFoundMessage="No results"
        error={reason('labels')}
      />
      {of.cards === 'epics' ? null : <IssueScope {...{ of, board, scope, change, reason }} />}
    </>
  );
}
