/** One environment: what runs in it, who may deploy to it, and everything that was deployed to it. */
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import {
  cancelAutoStop,
  deleteEnvironment,
  protectedEnvironments,
  stopEnvironment,
} from '../../lib/environment-actions.ts';
import { deploymentsTo, type Environment, environment, environmentsKey } from '../../lib/environments.ts';
import { useLive } from '../../lib/useLive.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FormError } from '../../ui/FormError.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { DeploymentRow } from './DeploymentRow.tsx';
import classes from './environments.module.css';
import { tiers } from './tiers.ts';

const states: Readonly<Record<Environment['state'], string>> = {
  available: 'Available',
  stopping: 'Stopping',
  stopped: 'Stopped',
};

/** Who may deploy to it, and who has to approve first, for those who may see that. */
function Protection({ name }: { name: string }) {
  const { path } = useProject();
  const { data: all = [] } = useQuery(protectedEnvironments(path));
  const data = all.find((each) => each.name === name);
  if (!data) return null;
  const deployers = data.deploy_access_levels.map((each) => each.access_level_description).join(', ');
  const approvers = data.approval_rules
    .map((each) => `${each.required_approvals} of ${each.access_level_description}`)
    .join(', ');
  return (
    <>
      <span>Protected: {deployers} may deploy</span>
      {approvers ? <span>Approvals: {approvers}</span> : null}
    </>
  );
}

export default function EnvironmentPage() {
  const { id = '' } = useParams({ strict: false });
  const { page } = useSearch({ from: '/p/$path/environments/$id' });
  const { project, path, segment, ...view } = useProject();
  const { data: shown } = useSuspenseQuery(environment(path, Number(id)));
  const { data: deployments } = useSuspenseQuery(deploymentsTo(path, shown.name, page));
  const cache = useQueryClient();
  const navigate = useNavigate({ from: '/p/$path/environments/$id' });
  const again = () => cache.invalidateQueries({ queryKey: environmentsKey(path) });
  useLive([`project:${project.id}:pipelines`], [environmentsKey(path)]);
  const deploys = view.level >= level.developer && !project.archived;
  const keeping = useMutation({ mutationFn: () => cancelAutoStop(path, shown.id), onSettled: again });
  const leave = () => navigate({ to: '/p/$path/environments', params: { path: segment } });
  return (
    <Page
      title={`${shown.name} · Environments · ${project.name_with_namespace}`}
      heading={shown.name}
      actions={
        <>
          {shown.external_url && shown.state !== 'stopped' ? (
            <Button
              component="a"
              size="xs"
              variant="default"
              href={shown.external_url}
              rel="noreferrer"
              target="_blank"
            >
              View app
            </Button>
          ) : null}
          {deploys ? (
            <LinkButton
              size="xs"
              variant="default"
              to="/p/$path/environments/$id/edit"
              params={{ path: segment, id: String(shown.id) }}
            >
              Edit
            </LinkButton>
          ) : null}
          {deploys && shown.state === 'available' && shown.auto_stop_at ? (
            <Button size="xs" variant="default" loading={keeping.isPending} onClick={() => keeping.mutate()}>
              Cancel auto-stop
            </Button>
          ) : null}
          {deploys && shown.state === 'available' ? (
            <ConfirmButton
              title="Stop environment"
              text={`Runs the stop job of ${shown.name}, if it has one.`}
              action="Stop environment"
              label="Stop"
              run={() => stopEnvironment(path, shown.id)}
              shown={again}
            />
          ) : null}
          {deploys && shown.state === 'stopped' ? (
            <ConfirmButton
              title="Delete environment"
              text={`Deletes ${shown.name} and the history of its deployments.`}
              action="Delete environment"
              label="Delete"
              run={() => deleteEnvironment(path, shown.id)}
              shown={leave}
            />
          ) : null}
        </>
      }
    >
      <FormError error={keeping.error} />
      <div className={classes.facts}>
        <span>{states[shown.state]}</span>
        <span>{tiers[shown.tier]}</span>
        {shown.auto_stop_at && shown.state === 'available' ? (
          <span>
            Stops <TimeAgo at={shown.auto_stop_at} />
          </span>
        ) : null}
        {shown.kubernetes_namespace ? (
          <span>
            Namespace <code>{shown.kubernetes_namespace}</code>
          </span>
        ) : null}
        {shown.flux_resource_path ? (
          <span>
            Flux resource <code>{shown.flux_resource_path}</code>
          </span>
        ) : null}
        {view.level >= level.maintainer ? <Protection name={shown.name} /> : null}
      </div>
      {shown.description ? <p>{shown.description}</p> : null}
      <h2 className={classes.heading}>Deployments</h2>
      {deployments.items.length === 0 ? (
        <EmptyState title="No deployments">Nothing has been deployed to this environment yet.</EmptyState>
      ) : (
        <DataList label="Deployments">
          {deployments.items.map((each) => (
            <DeploymentRow
              key={each.id}
              deployment={each}
              current={each.id === shown.last_deployment?.id && shown.state !== 'stopped'}
              deploys={deploys}
              shown={again}
            />
          ))}
        </DataList>
      )}
      <Pager
        page={page ?? 1}
        nextPage={deployments.nextPage}
        go={(to) => void navigate({ search: (before) => ({ ...before, page: to }) })}
      />
    </Page>
  );
}
