/** The tabs of a merge request that are lists: commits and pipelines. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '../../lib/session.ts';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { CommitMeta } from '../commits/CommitMeta.tsx';
import { level, useProject } from '../projects/useProject.ts';

function CommitsTab({ iid }: { iid: number }) {
  const { parts, segment } = useProject();
  const { data: commits } = useSuspenseQuery(parts.mergeRequestCommits(iid));
  if (commits.length === 0) return <EmptyState title="No commits">The source branch has no new commits.</EmptyState>;
  return (
    <DataList label="Commits">
      {commits.map((commit) => (
        <DataRow
          key={commit.id}
          title={
            <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: commit.id }} data-entry>
              {commit.title}
            </Link>
          }
          meta={<CommitMeta commit={commit} />}
          after={<code>{commit.short_id}</code>}
        />
      ))}
    </DataList>
  );
}

function PipelinesTab({ iid }: { iid: number }) {
  const { parts, segment, level: own } = useProject();
  const { data: pipelines } = useSuspenseQuery(parts.mergeRequestPipelines(iid));
  const { data: session } = useQuery(sessionQuery);
  if (pipelines.length === 0)
    return (
      <EmptyState title="No pipelines">
        Nothing has run for this merge request yet.
        {session?.pages.suggest_pipeline && own >= level.developer ? (
          <>
            {' '}
            Add a <code>.gitlab-ci.yml</code> to run tests for each push:{' '}
            <Link to="/p/$path/ci/editor" params={{ path: segment }}>
              Set up CI/CD
            </Link>
          </>
        ) : null}
      </EmptyState>
    );
  return (
    <DataList label="Pipelines">
      {pipelines.map((pipeline) => (
        <DataRow
          key={pipeline.id}
          before={<StatusBadge status={pipeline.status} />}
          title={
            <Link to="/p/$path/pipelines/$id" params={{ path: segment, id: String(pipeline.id) }} data-entry>
              Pipeline #{pipeline.id}
            </Link>
          }
          meta={<code>{pipeline.sha.slice(0, 8)}</code>}
          after={<TimeAgo at={pipeline.created_at} />}
        />
      ))}
    </DataList>
  );
}

export function ListTab({ of, iid }: { of: 'commits' | 'pipelines'; iid: number }) {
  return of === 'commits' ? <CommitsTab iid={iid} /> : <PipelinesTab iid={iid} />;
}
