/** Pipelines of a project, newest first, changing while they run. */
import { NativeSelect } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useLive } from '../../lib/useLive.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { level, useProject } from '../projects/useProject.ts';
import classes from './pipelines.module.css';
import { sources } from './words.ts';

const statuses = ['running', 'pending', 'success', 'failed', 'canceled', 'skipped', 'manual', 'created'];
const example =
  "cat > .gitlab-ci.yml <<'END'\ntest:\n  script:\n    - echo hello\nEND\ngit add .gitlab-ci.yml\ngit commit -m 'Add a pipeline'\ngit push";

export default function PipelinesPage() {
  const search = useSearch({ from: '/p/$path/pipelines' });
  const navigate = useNavigate({ from: '/p/$path/pipelines' });
  const view = useProject();
  const { project, parts, path, segment } = view;
  const { data } = useSuspenseQuery(parts.pipelines(search));
  useLive([`project:${project.id}:pipelines`], [['project', path, 'pipelines']]);
  const filtered = search.ref !== undefined || search.status !== undefined;
  return (
    <Page
      title={`Pipelines · ${project.name_with_namespace}`}
      heading="Pipelines"
      actions={
        <>
          <LinkButton to="/p/$path/environments" params={{ path: segment }}>
            Environments
          </LinkButton>
          {view.level >= level.developer ? (
            <LinkButton to="/p/$path/pipelines/new" params={{ path: segment }} variant="filled">
              Run pipeline
            </LinkButton>
          ) : null}
        </>
      }
    >
      <FilterBar
        label="Filter by branch or tag"
        value={search.ref ?? ''}
        change={(ref) =>
          void navigate({ search: (before) => ({ ...before, ref: ref || undefined, page: undefined }), replace: true })
        }
      >
        <NativeSelect
          aria-label="Status"
          value={search.status ?? ''}
          onChange={(event) => {
            const status = event.currentTarget.value;
            void navigate({ search: (before) => ({ ...before, status: status || undefined, page: undefined }) });
          }}
          data={[{ value: '', label: 'Any status' }, ...statuses]}
        />
      </FilterBar>
      {data.items.length === 0 ? (
        <EmptyState title={filtered ? 'No pipeline is like this' : 'No pipelines yet'}>
          {filtered ? (
            'Change the filter to see others.'
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
            <DataRow
              key={pipeline.id}
              before={
                <span className={classes.status}>
                  <StatusBadge status={pipeline.status} />
                </span>
              }
              title={
                <Link to="/p/$path/pipelines/$id" params={{ path: segment, id: String(pipeline.id) }} data-entry>
                  {pipeline.name ?? `Pipeline #${pipeline.id}`}
                </Link>
              }
              meta={
                <>
                  {pipeline.name ? <span>#{pipeline.id}</span> : null}
                  <RefBadge name={pipeline.ref} />
                  <code>{pipeline.sha.slice(0, 8)}</code>
                  <span>{sources[pipeline.source] ?? pipeline.source}</span>
                </>
              }
              after={<TimeAgo at={pipeline.created_at} />}
            />
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
