/** Who made a commit and when. */
import { TimeAgo } from '../../ui/TimeAgo.tsx';

interface CommitMetaProps {
  commit: { author_name: string; committer_name: string; committed_date: string };
}

export function CommitMeta({ commit }: CommitMetaProps) {
  const other = commit.committer_name !== commit.author_name ? `, committed by ${commit.committer_name}` : '';
  return (
    <span>
      {commit.author_name}
      {other} <TimeAgo at={commit.committed_date} />
    </span>
  );
}
