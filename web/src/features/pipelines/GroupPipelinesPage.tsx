/** Pipelines of all projects below a group, the newest first. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { groupPipelines } from '../../lib/group-lists.ts';
import { toSegment } from '../../lib/urls.ts';
import { DataList } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { useGroup } from '../groups/useGroupForm.ts';
import { isFiltered, PipelineFilters, PipelineRow } from './PipelineRow.tsx';

export default function GroupPipelinesPage() {
  const { group, path } = useGroup();
  const search = useSearch({ from: '/g/$path/pipelines' });
  const navigate = useNavigate({ from: '/g/$path/pipelines' });
  const { data } = useSuspenseQuery(groupPipelines(path, search));
  const filtered = isFiltered(search);
  return (
    <Page title={`Pipelines · ${group.full_name}`} heading="Pipelines">
      <PipelineFilters
        of="group"
        value={search}
        narrow={(part, replace) =>
          void navigate({ search: (before) => ({ ...before, ...part, page: undefined }), replace })
        }
      />
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No pipelines match your filter' : 'No pipelines yet'}>
          {filtered ? 'Try removing a filter.' : 'Pipelines of all projects in this group appear here.'}
        </EmptyState>
      ) : (
        <DataList label="Pipelines">
          {data.items.map((pipeline) => {
            const segment = toSegment(pipeline.project.path_with_namespace);
            return (
              <PipelineRow key={pipeline.id} pipeline={pipeline} segment={segment}>
                <Link to="/o/$path" params={{ path: segment }}>
                  {pipeline.project.name_with_namespace}
                </Link>
              </PipelineRow>
            );
          })}
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
