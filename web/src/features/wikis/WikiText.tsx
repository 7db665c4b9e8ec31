/** The text of a page of a wiki. */
import type { WikiPage } from '../../lib/wikis.ts';
import { MarkdownBody } from '../../ui/MarkdownBody.tsx';
import { bodyOf } from './pages.ts';
import type { WikiInView } from './useWiki.ts';
import classes from './wikis.module.css';

/** The text of a page: Markdown as a document, other formats as they are written. */
export function WikiText({ of, page }: { of: WikiInView; page: Pick<WikiPage, 'content' | 'format' | 'slug'> }) {
  if (page.format !== 'markdown') return <pre className={classes.plain}>{page.content}</pre>;
  return <MarkdownBody text={bodyOf(page.content)} base={{ wiki: of.kind, place: of.path, page: page.slug }} />;
}
