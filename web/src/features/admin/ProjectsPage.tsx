/** All projects of the instance. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { everyProject } from '../../lib/overview.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProjectRows } from '../projects/ProjectRows.tsx';
import { AdminFrame } from './AdminFrame.tsx';

export default function ProjectsPage() {
  const search = useSearch({ from: '/administration/admin/projects' });
  const navigate = useNavigate({ from: '/admin/projects' });
  const { data } = useSuspenseQuery(everyProject(search));
  return (
    <AdminFrame title="Projects" wide>
      <FilterBar
        label="Filter by name or path"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
      />
      {data.items.length === 0 ? (
        <EmptyState title={search.search ? 'No projects match your filter' : 'No projects yet'} />
      ) : (
        <ProjectRows projects={data.items} />
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: (before) => ({ ...before, page }) })}
      />
    </AdminFrame>
  );
}
