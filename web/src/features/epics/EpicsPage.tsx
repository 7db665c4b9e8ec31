/** Epics of a group as a tree: each below its parent. */
import { Button } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { createEpic, epics, treeOf } from '../../lib/epics.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TitleFilter } from '../../ui/FilterBar.tsx';
import { LabelChip } from '../../ui/LabelChip.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { issueStatus, StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useGroup } from '../groups/useGroupForm.ts';
import { Days } from '../iterations/Days.tsx';
import { level } from '../projects/useProject.ts';
import { EpicLink } from './EpicLink.tsx';

const EpicForm = lazy(async () => ({ default: (await import('./EpicForm.tsx')).EpicForm }));

const states = [
  { value: 'opened', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];

export default function EpicsPage() {
  const search = useSearch({ from: '/g/$path/epics' });
  const navigate = useNavigate();
  const { group, path, segment, level: own } = useGroup();
  const { data } = useSuspenseQuery(epics(path, search));
  const [making, setMaking] = useState(false);
  const writes = own >= level.planner && !group.archived;
  const change = (to: object, replace: boolean) =>
    void navigate({ to: '/g/$path/epics', params: { path: segment }, search: { ...search, ...to }, replace });
  return (
    <Page
      title={`Epics · ${group.full_name}`}
      heading="Epics"
      actions={
        <>
          <LinkButton to="/g/$path/epic_boards" params={{ path: segment }}>
            Boards
          </LinkButton>
          <LinkButton to="/g/$path/roadmap" params={{ path: segment }}>
            Roadmap
          </LinkButton>
          {writes ? (
            <Button size="xs" onClick={() => setMaking(true)}>
              New epic
            </Button>
          ) : null}
        </>
      }
    >
      {making ? (
        <Suspense fallback={null}>
          <EpicForm
            action="Create epic"
            close={() => setMaking(false)}
            send={async (values) => {
              const { iid } = await createEpic(path, values);
              await navigate({ to: '/g/$path/epics/$iid', params: { path: segment, iid: String(iid) } });
            }}
          />
        </Suspense>
      ) : null}
      <TitleFilter value={search} states={states} change={change} />
      {data.items.length === 0 ? (
        <EmptyState title={search.search || search.state ? 'No epics match your filter' : 'No open epics'}>
          An epic groups issues of several projects under one theme. Epics can have child epics.
        </EmptyState>
      ) : (
        <DataList label="Epics">
          {treeOf(data.items).map(({ epic, depth }) => (
            <DataRow
              key={epic.id}
              before={
                <span style={{ display: 'flex', paddingLeft: Math.min(depth, 6) * 20 }}>
                  <StatusBadge status={issueStatus(epic.state)} compact />
                </span>
              }
              title={<EpicLink epic={epic} />}
              meta={
                <>
                  <span>{epic.references.relative}</span>
                  {epic.confidential ? <span>Confidential</span> : null}
                  {epic.start_date || epic.due_date ? <Days span={epic} /> : null}
                  {epic.labels.map((label) =>
                    typeof label === 'string' ? null : <LabelChip key={label.id} label={label} />,
                  )}
                </>
              }
              after={<TimeAgo at={epic.updated_at} />}
            />
          ))}
        </DataList>
      )}
      <Pager page={search.page ?? 1} nextPage={data.nextPage} go={(page) => change({ page }, false)} />
    </Page>
  );
}
