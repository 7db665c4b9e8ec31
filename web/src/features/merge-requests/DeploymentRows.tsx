/** Where a merge request was deployed to, with the way to look at it. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { requestDeployments } from '../../lib/environment-actions.ts';
import { environmentsKey } from '../../lib/environments.ts';
import { useLive } from '../../lib/useLive.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './merge-requests.module.css';

export function DeploymentRows({ iid }: { iid: number }) {
  const { project, path, segment, level: own } = useProject();
  const seen =
    own >= level.reporter || (project.visibility !== 'private' && project.environments_access_level !== 'private');
  const shown = seen && project.environments_access_level !== 'disabled';
  const { data: deployments = [] } = useQuery({ ...requestDeployments(path, iid), enabled: shown });
  useLive([`project:${project.id}:pipelines`], [environmentsKey(path)]);
  if (deployments.length === 0) return null;
  return (
    <section aria-label="Deployments" className={classes.stack}>
      <h3>
        {deployments.length === 1 ? 'Deployed to 1 environment' : `Deployed to ${deployments.length} environments`}
      </h3>
      <ul>
        {deployments.map(({ id, environment, status, updated_at }) => (
          <li key={id}>
            <StatusBadge status={status === 'blocked' ? 'manual' : status} compact />{' '}
            <Link to="/p/$path/environments/$id" params={{ path: segment, id: String(environment.id) }}>
              {environment.name}
            </Link>{' '}
            <span className={classes.dim}>
              <TimeAgo at={updated_at} />
            </span>{' '}
            {environment.external_url ? (
              <a
                href={environment.external_url}
                rel="noreferrer"
                target="_blank"
                aria-label={`View app in ${environment.name}`}
              >
                View app
              </a>
            ) : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
