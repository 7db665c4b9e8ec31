/** The front of a project; of a fork or an import whose repository is still on its way, or never came, that it is so. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { client, unwrap } from '../../lib/api.ts';
import * as data from '../../lib/data.ts';
import { ConfirmButton } from '../../ui/ConfirmButton.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { Overview } from './Overview.tsx';
import { level, useProject } from './useProject.ts';

const ImportEnded = lazy(() => import('./ImportEnded.tsx'));

/** Ends an import, for those who may change the project. A fork is copied in a moment. */
function CancelImport() {
  const { project, path, level: own } = useProject();
  const cache = useQueryClient();
  const cancel = () =>
    unwrap(client.POST('/import/hostedgit/cancel', { body: { project_id: project.id } })).finally(() =>
      // Also where it had come to its end meanwhile.
      cache.invalidateQueries({ queryKey: data.project(path).queryKey }),
    );
  if (project.import_type === null || own < level.maintainer) return null;
  return (
    <ConfirmButton
      title="Cancel import"
      text="The import stops. What has been imported so far is kept."
      action="Stop importing"
      label="Cancel import"
      run={cancel}
    />
  );
}

export function Arriving() {
  const { project, path } = useProject();
  const { import_status: status, import_type: type } = project;
  const waiting = status === 'scheduled' || status === 'started';
  useQuery({ ...data.project(path), refetchInterval: waiting ? 1_000 : false });
  if (waiting)
    return (
      <Page title={project.name_with_namespace} heading={project.name} actions={<CancelImport />}>
        <EmptyState title={type === null ? 'The repository is being copied' : 'The project is being imported'}>
          This page updates when it is ready.
        </EmptyState>
      </Page>
    );
  if (status !== 'failed' && status !== 'canceled') return <Overview />;
  return (
    <Overview
      notice={
        <Suspense fallback={null}>
          <ImportEnded project={project} />
        </Suspense>
      }
    />
  );
}
