/** The wiki of a project. */
import { useParams, useSearch } from '@tanstack/react-router';
import { useProjectWiki } from './useWiki.ts';
import { WikiPages } from './WikiPages.tsx';

export default function ProjectWikiPage() {
  const { _splat = '' } = useParams({ from: '/p/$path/wikis/$' });
  const search = useSearch({ from: '/p/$path/wikis/$' });
  return <WikiPages of={useProjectWiki()} splat={_splat} search={search} />;
}
