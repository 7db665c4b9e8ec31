/** The history as a graph: of one ref, or of all branches and tags. */
import { Badge, Group, Switch } from '@mantine/core';
import { useQuery, useSuspenseInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { graphOf } from '../../lib/history.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { Page } from '../../ui/Page.tsx';
import { ShowMore } from '../../ui/ShowMore.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { RefPicker } from '../files/RefPicker.tsx';
import { usePlace } from '../files/refs.ts';
import { useProject } from '../projects/useProject.ts';
import { Graph } from './Graph.tsx';
import { lanesOf } from './lanes.ts';
import classes from './network.module.css';

/** Names of branches and tags by the commit that they are at. */
function useNames(): Map<string, string[]> {
  const { parts } = useProject();
  const { data: refs } = useQuery(parts.refs());
  return useMemo(() => {
    const named = new Map<string, string[]>();
    for (const { name, commit } of refs ?? []) named.set(commit.id, [...(named.get(commit.id) ?? []), name]);
    return named;
  }, [refs]);
}

export default function NetworkPage() {
  const { _splat = '' } = useParams({ strict: false });
  const { all = false } = useSearch({ from: '/p/$path/network/$' });
  const navigate = useNavigate({ from: '/p/$path/network/$' });
  const { project, path, segment } = useProject();
  const { ref } = usePlace(_splat);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = useSuspenseInfiniteQuery(graphOf(path, ref, all));
  const { commits, lanes } = useMemo(() => {
    const commits = data.pages.flatMap(({ items }) => items);
    return { commits, lanes: lanesOf(commits) };
  }, [data]);
  const names = useNames();
  return (
    <Page title={`Graph · ${project.name_with_namespace}`} heading="Graph" wide>
      <Group gap="md" mb="md">
        <RefPicker
          value={ref}
          choose={(chosen) => void navigate({ params: { path: segment, _splat: chosen }, search: {} })}
        />
        <Switch
          label="All branches and tags"
          checked={all}
          onChange={(event) => void navigate({ search: event.currentTarget.checked ? { all: true } : {} })}
        />
      </Group>
      {commits.length === 0 ? <EmptyState title="No commits">The repository is empty.</EmptyState> : null}
      <div className={classes.history}>
        <Graph lanes={lanes} />
        <ol className={classes.rows} aria-label="Commits">
          {commits.map((commit) => (
            <li key={commit.id} className={classes.row}>
              {(names.get(commit.id) ?? []).slice(0, 3).map((name) => (
                <Badge key={name} size="sm" variant="default" tt="none">
                  {name}
                </Badge>
              ))}
              <span className={classes.title}>
                <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: commit.id }} data-entry>
                  {commit.title}
                </Link>
              </span>
              <span className={classes.who}>
                {commit.author_name} <TimeAgo at={commit.committed_date} />
              </span>
              <code>{commit.short_id}</code>
            </li>
          ))}
        </ol>
      </div>
      <ShowMore more={hasNextPage} pending={isFetchingNextPage} show={fetchNextPage} />
    </Page>
  );
}
