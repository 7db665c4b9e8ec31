/** A wiki: the page that is read, written or looked back at, as the address says. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { EmptyWiki } from './EmptyWiki.tsx';
import { viewOf } from './pages.ts';
import type { WikiInView } from './useWiki.ts';
import { WikiForm } from './WikiForm.tsx';
import { WikiHistory } from './WikiHistory.tsx';
import type { WikiSearch } from './WikiLink.tsx';
import { WikiReading } from './WikiReading.tsx';

export function WikiPages({ of, splat, search }: { of: WikiInView; splat: string; search: WikiSearch }) {
  const { data: pages } = useSuspenseQuery(of.wiki.pages());
  const view = viewOf(splat, search.view, pages);
  const shared = { of, pages };
  switch (view.kind) {
    case 'empty':
      return <EmptyWiki {...shared} />;
    case 'new':
      return <WikiForm key="new" {...shared} page={null} title={search.title ?? (pages.length === 0 ? 'home' : '')} />;
    case 'edit':
      return <WikiReading key={`${view.slug} edit`} {...shared} slug={view.slug} edit />;
    case 'history':
      return <WikiHistory key={view.slug} {...shared} slug={view.slug} number={search.page ?? 1} />;
    default:
      return <WikiReading key={view.slug} {...shared} slug={view.slug} version={search.version_id} />;
  }
}
