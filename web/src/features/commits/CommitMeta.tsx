/** Who made a commit and when. */
import { TimeAgo } from '../../ui/TimeAgo.tsx';

interface CommitMetaProps {
  commit: { author_name: string; committer_name: string; committed_date: string };
}

export function CommitMeta({ commit }: CommitMetaProps) {
  const { author_name: author, committer_name: committer } = commit;
  return (
    <span>
      {author === committer ? `${author} committed` : `${author} authored, ${committer} committed`}{' '}
      <TimeAgo at={commit.committed_date} />
    </span>
  );
}
