/** The wiki of a group. */
import { useParams, useSearch } from '@tanstack/react-router';
import { GroupFrame } from '../groups/GroupFrame.tsx';
import { useGroupWiki } from './useWiki.ts';
import { WikiPages } from './WikiPages.tsx';

export default function GroupWikiPage() {
  const { _splat = '' } = useParams({ from: '/g/$path/wikis/$' });
  const search = useSearch({ from: '/g/$path/wikis/$' });
  return (
    <GroupFrame>
      <WikiPages of={useGroupWiki()} splat={_splat} search={search} />
    </GroupFrame>
  );
}
