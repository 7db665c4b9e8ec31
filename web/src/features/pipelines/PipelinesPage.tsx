/** Pipelines of a project, newest first, changing while they run. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { PipelineSearch } from '../../lib/group-lists.ts';
import { useLive } from '../../lib/useLive.ts';
import { DataList } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { isFiltered, PipelineFilters, PipelineRow } from './PipelineRow.tsx';

const example =
  "cat > .gitlab-ci.yml <<'END'\ntest:\n  script:\n    - echo hello\nEND\ngit add .gitlab-ci.yml\ngit commit -m 'Add a pipeline'\ngit push";

export default function PipelinesPage() {
  const search = useSearch({ from: '/p/$path/pipelines' });
  const navigate = useNavigate({ from: '/p/$path/pipelines' });
  const view = useProject();
  const { project, parts, path, segment } = view;
  const { data } = useSuspenseQuery(parts.pipelines(search));
  useLive([`project:${project.id}:pipelines`], [['project', path, 'pipelines']]);
  const filtered = isFiltered(search);
  const narrow = (part: PipelineSearch, replace: boolean) =>
    void navigate({ search: (before) => ({ ...before, ...part, page: undefined }), replace });
  return (
    <Page
      title={`Pipelines · ${project.name_with_namespace}`}
      heading="Pipelines"
      actions={
        view.level >= level.developer ? (
          <LinkButton to="/p/$path/pipelines/new" params={{ path: segment }} variant="filled">
            Run pipeline
          </LinkButton>
        ) : null
      }
    >
      <PipelineFilters of="project" value={search} narrow={narrow} />
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No pipelines match your filter' : 'No pipelines yet'}>
          {filtered ? (
            'Try removing a filter.'
          ) : (
            <>
              A pipeline starts with each push once the repository has a <code>.gitlab-ci.yml</code>.
              <Command text={example} />
            </>
          )}
        </EmptyState>
      ) : (
        <DataList label="Pipelines">
          {data.items.map((pipeline) => (
            <PipelineRow key={pipeline.id} pipeline={pipeline} segment={segment} />
          ))}
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
