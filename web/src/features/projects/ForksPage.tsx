/** The forks of a project. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { forkList } from '../../lib/popularity.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { ProjectRows } from './ProjectRows.tsx';
import { useProject } from './useProject.ts';

export default function ForksPage() {
  const search = useSearch({ from: '/p/$path/forks' });
  const navigate = useNavigate({ from: '/p/$path/forks' });
  const { project, path, segment } = useProject();
  const { data } = useSuspenseQuery(forkList(path, search));
  return (
    <Page
      title={`Forks · ${project.name_with_namespace}`}
      heading="Forks"
      actions={
        <LinkButton to="/p/$path/forks/new" params={{ path: segment }}>
          New fork
        </LinkButton>
      }
    >
      <FilterBar
        label="Filter forks"
        value={search.search ?? ''}
        change={(text) => void navigate({ search: text ? { search: text } : {}, replace: true })}
      />
      {data.items.length === 0 ? (
        <EmptyState title={search.search ? 'No forks match your filter' : 'No forks yet'}>
          A fork is a copy of a project in which others can work on their own changes.
        </EmptyState>
      ) : (
        <ProjectRows projects={data.items} />
      )}
      <Pager
        page={search.page ?? 1}
        nextPage={data.nextPage}
        go={(page) => void navigate({ search: { ...search, page } })}
      />
    </Page>
  );
}
