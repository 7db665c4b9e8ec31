/** One commit: message, parents, pipeline, and what it changed. */
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { CopyButton } from '../../ui/CopyButton.tsx';
import { DiffView } from '../../ui/diff/DiffView.tsx';
import { LinkButton } from '../../ui/links.ts';
import { Page } from '../../ui/Page.tsx';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import { Comments } from '../comments/Comments.tsx';
import { useThreads } from '../comments/useThreads.tsx';
import { ExternalStatuses } from '../pipelines/ExternalStatuses.tsx';
import { useProject } from '../projects/useProject.ts';
import { CommitActions } from './CommitActions.tsx';
import { CommitMeta } from './CommitMeta.tsx';
import { CommitRefs } from './CommitRefs.tsx';
import classes from './commits.module.css';
import { SignatureBadge } from './SignatureBadge.tsx';

/** What a first commit is counted from. */
const nothing = '0'.repeat(40);

export default function CommitPage() {
  const { sha = '' } = useParams({ strict: false });
  const { project, parts, segment, warn } = useProject();
  const { data: commit } = useSuspenseQuery(parts.commit(sha));
  const { data: diff } = useQuery(parts.commitDiff(sha));
  const body = commit.message.slice(commit.title.length).trim();
  const pipeline = commit.last_pipeline;
  const base = commit.parent_ids[0] ?? nothing;
  const discussed = { kind: 'commit', sha: commit.id } as const;
  const threads = useThreads(discussed, { base_sha: base, start_sha: base, head_sha: commit.id }, diff?.items);
  return (
    <Page
      title={`${commit.title} · ${commit.short_id}`}
      heading={commit.title}
      wide
      actions={
        <>
          <LinkButton to="/p/$path/tree/$" params={{ path: segment, _splat: commit.id }}>
            Files at this commit
          </LinkButton>
          <CommitActions commit={commit} />
        </>
      }
    >
      {body ? <pre className={classes.message}>{body}</pre> : null}
      <div className={classes.facts}>
        <CommitMeta commit={commit} />
        <span>
          <code>{commit.short_id}</code> <CopyButton value={commit.id} label="Copy commit SHA" />
        </span>
        {commit.signature_status ? <SignatureBadge status={commit.signature_status} /> : null}
        {commit.parent_ids.map((parent) => (
          <span key={parent}>
            parent{' '}
            <Link to="/p/$path/commit/$sha" params={{ path: segment, sha: parent }}>
              <code>{parent.slice(0, 8)}</code>
            </Link>
          </span>
        ))}
        <CommitRefs sha={commit.id} />
        {pipeline && project.jobs_enabled !== false ? (
          <Link
            to="/p/$path/pipelines/$id"
            params={{ path: segment, id: String(pipeline.id) }}
            aria-label={`Pipeline ${pipeline.id}: ${pipeline.status}`}
          >
            <StatusBadge status={pipeline.status} />
          </Link>
        ) : null}
        {commit.stats ? (
          <span>
            <span className={classes.added}>+{commit.stats.additions}</span>{' '}
            <span className={classes.removed}>−{commit.stats.deletions}</span>
          </span>
        ) : null}
      </div>
      <ExternalStatuses sha={commit.id} />
      {diff ? <DiffView files={diff.items} gitRef={commit.id} comments={threads.comments} warn={warn} /> : null}
      <Comments of={discussed} threads={threads} />
    </Page>
  );
}
