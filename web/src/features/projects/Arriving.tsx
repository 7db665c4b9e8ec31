/** The front of a project; of a fork or an import whose repository is still being copied, that it is. */
import { useQuery } from '@tanstack/react-query';
import * as data from '../../lib/data.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { Overview } from './Overview.tsx';
import { useProject } from './useProject.ts';

export function Arriving() {
  const { project, path } = useProject();
  const waiting = project.import_status === 'scheduled' || project.import_status === 'started';
  useQuery({ ...data.project(path), refetchInterval: waiting ? 1_000 : false });
  if (waiting)
    return (
      <Page title={project.name_with_namespace} heading={project.name}>
        <EmptyState title="The repository is being copied">This page shows it as soon as it is there.</EmptyState>
      </Page>
    );
  if (project.import_status === 'failed')
    return (
      <Page title={project.name_with_namespace} heading={project.name}>
        <EmptyState title="The repository could not be copied">
          {project.import_error ?? 'Delete this project and try again.'}
        </EmptyState>
      </Page>
    );
  return <Overview />;
}
