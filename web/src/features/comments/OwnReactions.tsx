/** Reactions to an issue or a merge request itself. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type Reactable, reactionsOf } from '../../lib/reactions.ts';
import { useProject } from '../projects/useProject.ts';
import Reactions from './Reactions.tsx';

interface Props {
  readonly of: Reactable;
  readonly mayReact: boolean;
  /** How many there are, where that is known: nobody asks for none. */
  readonly count?: number | undefined;
}

export default function OwnReactions({ of, mayReact, count }: Props) {
  const { path } = useProject();
  const cache = useQueryClient();
  const own = reactionsOf(path, of);
  const [reacted, setReacted] = useState(false);
  const { data } = useQuery({ ...own, enabled: count !== 0 || reacted });
  if (!data && count !== 0) return null;
  const again = async () => {
    setReacted(true);
    await cache.invalidateQueries({ queryKey: own.queryKey });
  };
  return <Reactions {...{ of, mayReact, again }} note={null} reactions={data ?? []} />;
}
