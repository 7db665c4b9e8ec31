/** The imports that somebody has asked for, with how far they are. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { imports } from '../../lib/imports.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ImportRows } from './ImportRows.tsx';
import { Transfers } from './Transfers.tsx';

export default function ImportHistoryPage() {
  const { page = 1 } = useSearch({ from: '/import/history' });
  const navigate = useNavigate({ from: '/import/history' });
  const { data } = useSuspenseQuery(imports('user', page));
  return (
    <Page
      title="Imports"
      actions={
        <>
          <LinkButton to="/import/new">Import from another server</LinkButton>
          <LinkButton to="/projects/new">New project</LinkButton>
        </>
      }
    >
      <Transfers />
      {data.items.length === 0 ? (
        <EmptyState title="No imports yet">
          Import a repository from another server, or a project from an export file.
        </EmptyState>
      ) : (
        <ImportRows rows={data.items} cancelable />
      )}
      <Pager page={page} nextPage={data.nextPage} go={(to) => void navigate({ search: { page: to } })} />
    </Page>
  );
}
