/** One iteration: its days, its charts, and the issues that are planned for it. */
import { Button } from '@mantine/core';
import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import {
  changeIteration,
  iterationIssues,
  iteration as iterationOf,
  iterationStates,
  iterationsKey,
  removeIteration,
} from '../../lib/iterations.ts';
import { iterationName } from '../../lib/planning.ts';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { MarkdownPreview } from '../../ui/MarkdownBody.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { useReturnedFocus } from '../../ui/useReturnedFocus.ts';
import { BurnCharts } from '../charts/BurnCharts.tsx';
import { IssueRow } from '../issues/IssueRow.tsx';
import classes from '../milestones/milestones.module.css';
import { Days } from './Days.tsx';
import { type IterationsInView, useGroupIterations, useProjectIterations } from './useIterations.ts';

const IterationForm = lazy(async () => ({ default: (await import('./IterationForm.tsx')).IterationForm }));

function IterationView({ of }: { of: IterationsInView }) {
  const { id = '' } = useParams({ strict: false }) as { id?: string };
  const { data: iteration } = useSuspenseQuery(iterationOf(of.kind, of.path, Number(id)));
  const [page, setPage] = useState(1);
  const { data: issues } = useSuspenseQuery(iterationIssues(of.kind, of.path, iteration.id, page));
  const [editing, setEditing] = useState(false);
  const edit = useReturnedFocus(editing);
  const [leaving, setLeaving] = useState(false);
  const cache = useQueryClient();
  const navigate = useNavigate();
  const again = () => cache.invalidateQueries({ queryKey: iterationsKey(of.kind, of.path) });
  const remove = useMutation({
    mutationFn: () => removeIteration(of.path, iteration.id),
    async onSuccess() {
      await navigate({ to: '/g/$path/iterations', params: { path: of.segment } });
      await again();
    },
  });
  const name = iterationName(iteration);
  return (
    <Page
      title={`${name} · ${of.name}`}
      heading={name}
      actions={
        of.writes ? (
          <>
            <Button ref={edit} size="xs" variant="default" aria-expanded={editing} onClick={() => setEditing(!editing)}>
              Edit
            </Button>
            <Button size="xs" variant="default" onClick={() => setLeaving(true)}>
              Delete
            </Button>
          </>
        ) : null
      }
    >
      <div className={classes.facts}>
        <span>{iterationStates[iteration.state]}</span>
        <Days span={iteration} />
      </div>
      {editing ? (
        <Suspense fallback={null}>
          <IterationForm
            iteration={iteration}
            action="Save changes"
            close={() => setEditing(false)}
            send={async (values) => {
              const { start_date, due_date, ...texts } = values;
              const days =
                start_date === iteration.start_date && due_date === iteration.due_date ? {} : { start_date, due_date };
              await changeIteration(of.path, iteration.id, { ...texts, ...days });
              await again();
              setEditing(false);
            }}
          />
        </Suspense>
      ) : iteration.description ? (
        <MarkdownPreview text={iteration.description} base={{ [of.kind]: of.path }} of={of} />
      ) : null}
      <BurnCharts place={of.kind} path={of.path} kind="iteration" id={iteration.id} />
      <h2 className={classes.heading}>Issues</h2>
      {issues.items.length === 0 ? (
        <p className={classes.nothing}>No issues are planned for this iteration.</p>
      ) : (
        <DataList label="Issues">
          {issues.items.map((issue) => (
            <IssueRow key={issue.id} issue={issue} full={of.kind === 'group'} />
          ))}
        </DataList>
      )}
      <Pager page={page} nextPage={issues.nextPage} go={setPage} />
      <ConfirmDialog
        opened={leaving}
        title="Delete iteration"
        text="Its issues stay, without an iteration."
        action="Delete iteration"
        pending={remove.isPending}
        error={remove.error}
        close={() => setLeaving(false)}
        confirm={() => remove.mutate()}
      />
    </Page>
  );
}

export function ProjectIteration() {
  return <IterationView of={useProjectIterations()} />;
}

export function GroupIteration() {
  return <IterationView of={useGroupIterations()} />;
}
