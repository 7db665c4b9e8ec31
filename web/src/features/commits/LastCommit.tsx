/** The newest commit that touched a folder or file, in one line. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLive } from '../../lib/useLive.ts';
import { TimeAgo } from '../../ui/TimeAgo.tsx';
import { PipelineMark } from '../pipelines/PipelineMark.tsx';
import { useProject } from '../projects/useProject.ts';
import classes from './commits.module.css';

export function LastCommit({ gitRef, folder }: { gitRef: string; folder: string }) {
  const { parts, segment, project, path } = useProject();
  const { data } = useQuery(parts.commits({ ref: gitRef, folder, perPage: 1 }));
  useLive([`project:${project.id}:pipelines`], [['project', path, 'commits']]);
  const commit = data?.items[0];
  return (
    <div className={classes.last}>
      {commit ? (
        <>
          <strong>{commit.author_name}</strong>
          <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: commit.id }} className={classes.lastTitle}>
            {commit.title}
          </Link>
          <PipelineMark segment={segment} pipeline={commit.pipeline} />
          <code>{commit.short_id}</code>
          <TimeAgo at={commit.committed_date} />
        </>
      ) : null}
    </div>
  );
}
