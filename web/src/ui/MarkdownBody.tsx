/** Markdown as a document. What the renderer makes is sanitised last, and no picture from elsewhere is fetched. */
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useLayoutEffect, useRef } from 'react';
import { type DocumentBase, renderMarkdown } from '../lib/markdown/render.ts';
import classes from './markdown.module.css';

export function MarkdownBody({ text, base }: { text: string; base?: DocumentBase }) {
  const target = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const project = base?.project;
  const ref = base?.ref;
  const folder = base?.folder;
  useLayoutEffect(() => {
    const place = project !== undefined && ref !== undefined && folder !== undefined ? { project, ref, folder } : null;
    target.current?.replaceChildren(renderMarkdown(text, place));
  }, [text, project, ref, folder]);
  /** Links into this page are followed without loading it anew. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as HTMLElement).closest('a');
    const href = link?.getAttribute('href');
    if (!link || !href?.startsWith('/') || href.startsWith('/api/') || event.ctrlKey || event.metaKey || event.shiftKey)
      return;
    event.preventDefault();
    router.history.push(href);
  };
  return <div className={classes.body} ref={target} onClick={follow} />;
}
