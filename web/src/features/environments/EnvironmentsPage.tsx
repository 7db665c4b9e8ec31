/** Environments of a project: what runs where, since when, and stopping one. */
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { stopEnvironment } from '../../lib/environment-actions.ts';
import { type Environment, environments, environmentsKey } from '../../lib/environments.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { TitleFilter } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { tiers } from './tiers.ts';

const states = [
  { value: 'available', label: 'Available' },
  { value: 'stopped', label: 'Stopped' },
];

function LastDeployment({ environment }: { environment: Environment }) {
  const { segment } = useProject();
  const last = environment.last_deployment;
  if (!last) return <span>Nothing deployed yet</span>;
  return (
    <>
      <span>
        Deployment #{last.iid} of{' '}
        <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: last.sha }}>
          <code>{last.sha.slice(0, 8)}</code>
        </Link>{' '}
        from {last.ref}
      </span>
      {last.deployable ? (
        <span>
          by{' '}
          <Link to="/p/$path/jobs/$id" params={{ path: segment, id: String(last.deployable.id) }}>
            {last.deployable.name}
          </Link>
        </span>
      ) : null}
    </>
  );
}

export default function EnvironmentsPage() {
  const search = useSearch({ from: '/p/$path/environments' });
  const navigate = useNavigate({ from: '/p/$path/environments' });
  const { project, path, segment, ...view } = useProject();
  const { data } = useSuspenseQuery(environments(path, search));
  const cache = useQueryClient();
  const again = () => cache.invalidateQueries({ queryKey: environmentsKey(path) });
  useLive([`project:${project.id}:pipelines`], [environmentsKey(path)]);
  const stops = view.level >= level.developer && !project.archived;
  return (
    <Page
      title={`Environments · ${project.name_with_namespace}`}
      heading="Environments"
      actions={
        stops ? (
          <LinkButton variant="filled" to="/p/$path/environments/new" params={{ path: segment }}>
            New environment
          </LinkButton>
        ) : null
      }
    >
      <TitleFilter
        label="Filter by name"
        value={search}
        states={states}
        change={(to, replace) => void navigate({ search: (before) => ({ ...before, ...to }), replace })}
      />
      {data.items.length === 0 ? (
        <EmptyState title={search.state === 'stopped' ? 'No stopped environments' : 'No environments'}>
          A job with <code>environment:</code> in .gitlab-ci.yml creates one, and records each deployment to it.
        </EmptyState>
      ) : (
        <DataList label="Environments">
          {data.items.map((each) => (
            <DataRow
              key={each.id}
              before={<StatusBadge status={each.last_deployment?.status ?? 'created'} compact />}
              title={
                <Link to="/p/$path/environments/$id" params={{ path: segment, id: String(each.id) }} data-entry>
                  {each.name}
                </Link>
              }
              meta={
                <>
                  <span>{tiers[each.tier]} tier</span>
                  {each.external_url && each.state !== 'stopped' ? (
                    <a
                      href={each.external_url}
                      rel="noreferrer"
                      target="_blank"
                      aria-label={`View app in ${each.name}`}
                    >
                      View app
                    </a>
                  ) : null}
                  <LastDeployment environment={each} />
                  {each.auto_stop_at && each.state === 'available' ? (
                    <span>
                      stops <TimeAgo at={each.auto_stop_at} />
                    </span>
                  ) : null}
                </>
              }
              after={
                <>
                  <TimeAgo at={each.last_deployment?.updated_at ?? each.updated_at} />
                  {stops && each.state === 'available' ? (
                    <ConfirmButton
                      title="Stop environment"
                      about={`Stop ${each.name}`}
                      text={`Runs the stop job of ${each.name}, if it has one.`}
                      action="Stop environment"
                      label="Stop"
                      run={() => stopEnvironment(path, each.id)}
                      shown={again}
                    />
                  ) : null}
                </>
              }
            />
          ))}
        </DataList>
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
    </Page>
  );
}
