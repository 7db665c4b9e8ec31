/** The imports that somebody has asked for, with how far they are. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { imports } from '../../lib/imports.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ImportRows } from './ImportRows.tsx';

export default function ImportHistoryPage() {
  const { page = 1 } = useSearch({ from: '/import/history' });
  const navigate = useNavigate({ from: '/import/history' });
  const { data } = useSuspenseQuery(imports('user', page));
  return (
    <Page title="Imports" actions={<LinkButton to="/projects/new">New project</LinkButton>}>
      {data.items.length === 0 ? (
        <EmptyState title="No imports yet">Projects that you bring from elsewhere are listed here.</EmptyState>
      ) : (
        <ImportRows rows={data.items} />
      )}
      <Pager page={page} nextPage={data.nextPage} go={(to) => void navigate({ search: { page: to } })} />
    </Page>
  );
}
