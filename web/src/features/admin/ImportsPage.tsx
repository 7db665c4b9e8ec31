/** All imports of the instance, with how far they are. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { imports } from '../../lib/imports.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ImportRows } from '../transfers/ImportRows.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function ImportsPage() {
  const { page = 1 } = useSearch({ from: '/administration/admin/imports' });
  const navigate = useNavigate({ from: '/admin/imports' });
  const { data } = useSuspenseQuery(imports('admin', page));
  return (
    <AdminFrame title="Imports" wide>
      {data.items.length === 0 ? <EmptyState title="No imports yet" /> : <ImportRows rows={data.items} people />}
      <Pager page={page} nextPage={data.nextPage} go={(to) => void navigate({ search: { page: to } })} />
    </AdminFrame>
  );
}
