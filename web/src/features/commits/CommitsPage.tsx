/** The history of a ref or of one path in it, by day. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useLive } from '../../lib/useLive.ts';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { DataList, DataRow } from '../../ui/DataList.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { FeedButton } from '../../ui/FeedButton.tsx';
import { Page } from '../../ui/Page.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { PathBar } from '../files/PathBar.tsx';
import { usePlace } from '../files/refs.ts';
import { PipelineMark } from '../pipelines/PipelineMark.tsx';
import { useProject } from '../projects/useProject.ts';
import { CommitMeta } from './CommitMeta.tsx';
import classes from './commits.module.css';

const day = (date: string) =>
  new Date(date).toLocaleDateString('en', { year: 'numeric', month: 'long', day: 'numeric' });

export default function CommitsPage() {
  const { _splat = '' } = useParams({ strict: false });
  const { page = 1 } = useSearch({ from: '/p/$path/commits/$' });
  const navigate = useNavigate({ from: '/p/$path/commits/$' });
  const { project, path, parts, segment } = useProject();
  const place = usePlace(_splat);
  const { data } = useSuspenseQuery(parts.commits({ ref: place.ref, folder: place.path, page }));
  useLive([`project:${project.id}:pipelines`], [['project', path, 'commits']]);
  const days = Map.groupBy(data.items, (commit) => day(commit.committed_date));
  return (
    <Page
      title={`Commits · ${project.name_with_namespace}`}
      heading="Commits"
      actions={
        <FeedButton
          feed={{
            path: `/${path}/-/commits/${_splat.split('/').map(encodeURIComponent).join('/')}`,
            query: { format: 'atom' },
          }}
        />
      }
    >
      <PathBar place={place} shows="history" />
      {data.items.length === 0 ? <EmptyState title="No commits">No commits have changed this path.</EmptyState> : null}
      {[...days].map(([date, commits]) => (
        <section key={date}>
          <h2 className={classes.day}>{date}</h2>
          <DataList label={`Commits of ${date}`}>
            {commits.map((commit) => (
              <DataRow
                key={commit.id}
                title={
                  <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: commit.id }} data-entry>
                    {commit.title}
                  </Link>
                }
                meta={<CommitMeta commit={commit} />}
                after={
                  <>
                    <PipelineMark segment={segment} pipeline={commit.pipeline} />
                    <code>{commit.short_id}</code>
                    <CopyButton value={commit.id} label="Copy commit SHA" />
                  </>
                }
              />
            ))}
          </DataList>
        </section>
      ))}
      <Pager page={page} nextPage={data.nextPage} go={(number) => void navigate({ search: { page: number } })} />
    </Page>
  );
}
