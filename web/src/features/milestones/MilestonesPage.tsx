/** Milestones of a project or group and of the groups above, what is due first. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { MilestoneSearch } from '../../lib/planning.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TitleFilter } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Days, Progress } from './facts.tsx';
import { listTarget, MilestoneLink, newTarget } from './MilestoneLink.tsx';
import { type MilestonesInView, useGroupMilestones, useProjectMilestones } from './useMilestones.ts';

const states = [
  { value: 'active', label: 'Open' },
  { value: 'closed', label: 'Closed' },
  { value: 'all', label: 'All' },
];

function Milestones({ of, search }: { of: MilestonesInView; search: MilestoneSearch }) {
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(of.milestones.list(search));
  const go = (to: MilestoneSearch, replace = false) =>
    void navigate({ ...listTarget(of), search: { ...search, ...to }, replace });
  const untouched = (search.state ?? 'active') === 'active' && !search.search;
  return (
    <Page
      title={`Milestones · ${of.name}`}
      heading="Milestones"
      actions={
        of.writes ? (
          <LinkButton {...newTarget(of)} variant="filled">
            New milestone
          </LinkButton>
        ) : null
      }
    >
      <TitleFilter value={search} states={states} change={go} />
      {data.items.length === 0 ? (
        <EmptyState title={untouched ? 'No open milestones' : 'No milestones match your filter'}>
          {untouched
            ? 'A milestone groups issues and merge requests to be completed by a due date.'
            : 'Change the filter to see others.'}
        </EmptyState>
      ) : (
        <DataList label="Milestones">
          {data.items.map((milestone) => (
            <DataRow
              key={milestone.id}
              title={<MilestoneLink milestone={milestone} seen={of} />}
              meta={
                <>
                  {milestone.state === 'closed' ? <span>Closed</span> : null}
                  <Days milestone={milestone} />
                  {isFromAbove(of, milestone.web_url) ? <span>inherited</span> : null}
                </>
              }
              after={<Progress milestone={milestone} />}
            />
          ))}
        </DataList>
      )}
      <Pager page={search.page ?? 1} nextPage={data.nextPage} go={(page) => go({ page })} />
    </Page>
  );
}

/** Whether a milestone is not one of the place itself. */
const isFromAbove = ({ kind, path }: MilestonesInView, url: string) =>
  !url.includes(kind === 'group' ? `/groups/${encodeURI(path)}/-/milestones/` : `/${encodeURI(path)}/-/milestones/`);

export function ProjectMilestones() {
  return <Milestones of={useProjectMilestones()} search={useSearch({ from: '/p/$path/milestones' })} />;
}

export function GroupMilestones() {
  return <Milestones of={useGroupMilestones()} search={useSearch({ from: '/g/$path/milestones' })} />;
}
