/** Pipelines of a project, newest first, changing while they run. */
import { NativeSelect } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { Schemas } from '../../lib/api.ts';
import { duration } from '../../lib/time.ts';
import { useLive } from '../../lib/useLive.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { Command, EmptyState } from '../../ui/EmptyState.tsx';
import { FilterBar } from '../../ui/FilterBar.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { RefBadge } from '../../ui/RefBadge.tsx';
import { StatusBadge, statusChoices, statusWord } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { PersonFilter } from '../members/PersonFilter.tsx';
import { level, useProject } from '../projects/useProject.ts';
import { PipelineTabs } from './PipelineTabs.tsx';
import classes from './pipelines.module.css';
import { sourceChoices, sources } from './words.ts';

const example =
  "cat > .gitlab-ci.yml <<'END'\ntest:\n  script:\n    - echo hello\nEND\ngit add .gitlab-ci.yml\ngit commit -m 'Add a pipeline'\ngit push";

const titleOf = ({ id, name, details }: Schemas['PipelineListed']): string =>
  name ?? details?.commit_title ?? `Pipeline #${id}`;

/** The state of each stage in a row of icons, their names on hover and for readers of the screen. */
function Stages({ stages }: { stages: readonly { readonly name: string; readonly status: string }[] }) {
  return (
    <ul className={classes.stages} aria-label="Stages">
      {stages.map(({ name, status }) => (
        <li key={name} title={`${name}: ${statusWord(status)}`}>
          <span className={classes.stageName}>{name}</span>
          <StatusBadge status={status} compact />
        </li>
      ))}
    </ul>
  );
}

export default function PipelinesPage() {
  const search = useSearch({ from: '/p/$path/pipelines' });
  const navigate = useNavigate({ from: '/p/$path/pipelines' });
  const view = useProject();
  const { project, parts, path, segment } = view;
  const { data } = useSuspenseQuery(parts.pipelines(search));
  useLive([`project:${project.id}:pipelines`], [['project', path, 'pipelines']]);
  const filtered = [search.ref, search.status, search.source, search.username].some((value) => value !== undefined);
  const narrow = (part: Partial<Record<'ref' | 'status' | 'source' | 'username', string>>, replace = false) => {
    const [[name, value] = ['ref', '']] = Object.entries(part);
    void navigate({ search: (before) => ({ ...before, [name]: value || undefined, page: undefined }), replace });
  };
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
      <PipelineTabs />
      <FilterBar label="Filter by branch or tag" value={search.ref ?? ''} change={(ref) => narrow({ ref }, true)}>
        <NativeSelect
          aria-label="Status"
          value={search.status ?? ''}
          onChange={(event) => narrow({ status: event.currentTarget.value })}
          data={[{ value: '', label: 'Any status' }, ...statusChoices]}
        />
        <NativeSelect
          aria-label="Source"
          value={search.source ?? ''}
          onChange={(event) => narrow({ source: event.currentTarget.value })}
          data={[{ value: '', label: 'Any source' }, ...sourceChoices]}
        />
        <PersonFilter
          label="Author"
          size="sm"
          value={search.username ?? ''}
          change={(username) => narrow({ username: username ?? '' })}
        />
      </FilterBar>
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
            <DataRow
              key={pipeline.id}
              before={
                <span className={classes.status}>
                  <StatusBadge status={pipeline.status} />
                </span>
              }
              title={
                <Link
                  to="/p/$path/pipelines/$id"
                  params={{ path: segment, id: String(pipeline.id) }}
                  aria-label={`Pipeline #${pipeline.id}: ${titleOf(pipeline)}`}
                  data-entry
                >
                  {titleOf(pipeline)}
                </Link>
              }
              meta={
                <>
                  <span>#{pipeline.id}</span>
                  <RefBadge name={pipeline.ref} />
                  <code>{pipeline.sha.slice(0, 8)}</code>
                  <span>
                    {sources[pipeline.source] ?? pipeline.source}
                    {pipeline.details?.user ? `, ${pipeline.details.user.name}` : ''}
                  </span>
                  {pipeline.details && pipeline.details.duration !== null ? (
                    <span>{duration(pipeline.details.duration)}</span>
                  ) : null}
                </>
              }
              after={
                <>
                  {pipeline.details ? <Stages stages={pipeline.details.stages} /> : null}
                  <TimeAgo at={pipeline.created_at} />
                </>
              }
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
