/** The wiki of a group. */
import { useParams, useSearch } from '@tanstack/react-router';
import { useGroupWiki } from './useWiki.ts';
import { WikiPages } from './WikiPages.tsx';

export default function GroupWikiPage() {
  const { _splat = '' } = useParams({ from: '/g/$path/wikis/$' });
  const search = useSearch({ from: '/g/$path/wikis/$' });
  return <WikiPages of={useGroupWiki()} splat={_splat} search={search} />;
}
