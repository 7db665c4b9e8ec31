/** The newest commit that touched a folder or file, in one line. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './commits.module.css';

export function LastCommit({ gitRef, folder }: { gitRef: string; folder: string }) {
  const { parts, segment } = useProject();
  const { data } = useQuery(parts.commits({ ref: gitRef, folder, perPage: 1 }));
  const commit = data?.items[0];
  return (
    <div className={classes.last}>
      {commit ? (
        <>
          <strong>{commit.author_name}</strong>
          <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: commit.id }} className={classes.lastTitle}>
            {commit.title}
          </Link>
          <code>{commit.short_id}</code>
          <TimeAgo at={commit.committed_date} />
        </>
      ) : null}
    </div>
  );
}
