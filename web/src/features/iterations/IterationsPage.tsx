/** Iterations that a group or project has, by their days. */
import { Button } from '@mantine/core';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import {
  createIteration,
  type Iteration,
  type IterationSearch,
  iterationStates,
  iterations,
  iterationsKey,
} from '../../lib/iterations.ts';
import { iterationName } from '../../lib/planning.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TitleFilter } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Days } from './Days.tsx';
import { type IterationsInView, useGroupIterations, useProjectIterations } from './useIterations.ts';

const IterationForm = lazy(async () => ({ default: (await import('./IterationForm.tsx')).IterationForm }));

const states = [
  { value: 'opened', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];

function IterationLink({ of, iteration }: { of: IterationsInView; iteration: Iteration }) {
  const params = { path: of.segment, id: String(iteration.id) };
  const name = iterationName(iteration);
  return of.kind === 'project' ? (
    <Link to="/p/$path/iterations/$id" params={params} data-entry>
      {name}
    </Link>
  ) : (
    <Link to="/g/$path/iterations/$id" params={params} data-entry>
      {name}
    </Link>
  );
}

interface Props {
  readonly of: IterationsInView;
  readonly search: IterationSearch;
  change(to: IterationSearch, replace: boolean): void;
}

function IterationsView({ of, search, change }: Props) {
  const { data } = useSuspenseQuery(iterations(of.kind, of.path, search));
  const [making, setMaking] = useState(false);
  const cache = useQueryClient();
  return (
    <Page
      title={`Iterations · ${of.name}`}
      heading="Iterations"
      actions={
        of.kind === 'project' ? (
          <LinkButton to="/p/$path/value_stream_analytics" params={{ path: of.segment }}>
            Value stream
          </LinkButton>
        ) : (
          <>
            <LinkButton to="/g/$path/value_stream_analytics" params={{ path: of.segment }}>
              Value stream
            </LinkButton>
            <LinkButton to="/g/$path/cadences" params={{ path: of.segment }}>
              Cadences
            </LinkButton>
            {of.writes ? (
              <Button size="xs" onClick={() => setMaking(true)}>
                New iteration
              </Button>
            ) : null}
          </>
        )
      }
    >
      {making ? (
        <Suspense fallback={null}>
          <IterationForm
            action="Create iteration"
            close={() => setMaking(false)}
            send={async (values) => {
              await createIteration(of.path, values);
              await cache.invalidateQueries({ queryKey: iterationsKey(of.kind, of.path) });
              setMaking(false);
            }}
          />
        </Suspense>
      ) : null}
      <TitleFilter label="Filter by title" value={search} states={states} change={change} />
      {data.items.length === 0 ? (
        <EmptyState title={search.search || search.state ? 'No iterations match your filter.' : 'No open iterations'}>
          An iteration is a span of days, such as a sprint. A cadence schedules them automatically.
        </EmptyState>
      ) : (
        <DataList label="Iterations">
          {data.items.map((each) => (
            <DataRow
              key={each.id}
              title={<IterationLink of={of} iteration={each} />}
              meta={<Days span={each} />}
              after={<span>{iterationStates[each.state]}</span>}
            />
          ))}
        </DataList>
      )}
      <Pager page={search.page ?? 1} nextPage={data.nextPage} go={(page) => change({ page }, false)} />
    </Page>
  );
}

export function ProjectIterations() {
  const navigate = useNavigate({ from: '/p/$path/iterations' });
  return (
    <IterationsView
      of={useProjectIterations()}
      search={useSearch({ from: '/p/$path/iterations' })}
      change={(to, replace) => void navigate({ search: (before) => ({ ...before, ...to }), replace })}
    />
  );
}

export function GroupIterations() {
  const navigate = useNavigate({ from: '/g/$path/iterations' });
  return (
    <IterationsView
      of={useGroupIterations()}
      search={useSearch({ from: '/g/$path/iterations' })}
      change={(to, replace) => void navigate({ search: (before) => ({ ...before, ...to }), replace })}
    />
  );
}
