/** Reactions to an issue itself. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { reactionsOf } from '../../lib/reactions.ts';
import Reactions from '../comments/Reactions.tsx';
import { useProject } from '../projects/useProject.ts';

interface Props {
  readonly of: { readonly kind: 'issue'; readonly iid: number };
  readonly mayReact: boolean;
}

export default function IssueReactions({ of, mayReact }: Props) {
  const { path } = useProject();
  const cache = useQueryClient();
  const own = reactionsOf(path, of);
  const { data } = useQuery(own);
  if (!data) return null;
  const again = () => cache.invalidateQueries({ queryKey: own.queryKey });
  return <Reactions {...{ of, mayReact, again }} note={null} reactions={data} />;
}
