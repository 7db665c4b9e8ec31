/** Markdown as a document. What the renderer makes is sanitised last, and no picture from elsewhere is fetched. */
import { useComputedColorScheme } from '@mantine/core';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useLayoutEffect, useRef } from 'react';
import { type DocumentBase, idPrefix, renderMarkdown } from '../lib/markdown/render.ts';
import { colourCode } from './markdown/colours.ts';
import { drawDiagrams } from './markdown/diagrams.ts';
import { drawFormulas } from './markdown/formulas.ts';
import { linkReferences } from './markdown/links.ts';
import classes from './markdown/markdown.module.css';
import { showDrawings } from './markdown/pictures.ts';

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Shows the place that `#name` of an address means in a document. */
function scrollTo(root: HTMLElement, hash: string): void {
  const name = CSS.escape(`${idPrefix}${decoded(hash.slice(1))}`);
  root.querySelector(`#${name}, [name="${name}"]`)?.scrollIntoView();
}

export function MarkdownBody({ text, base }: { text: string; base?: DocumentBase }) {
  const target = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const dark = useComputedColorScheme('light') === 'dark';
  // Callers make the base anew each time; only what it says counts.
  const place = JSON.stringify(base ?? null);
  useLayoutEffect(() => {
    const root = target.current;
    if (!root) return;
    const from = JSON.parse(place) as DocumentBase | null;
    root.replaceChildren(renderMarkdown(text, from));
    if (location.hash.length > 1) scrollTo(root, location.hash);
    // What takes longer comes when it comes: colours, drawings, formulas, diagrams, links of what exists.
    const over = new AbortController();
    colourCode(root, over.signal);
    showDrawings(root, over.signal);
    drawDiagrams(root, dark, over.signal);
    void drawFormulas(root, from, over.signal);
    if (from) void linkReferences(root, from, over.signal);
    return () => over.abort();
  }, [text, place, dark]);
  /** Links into this page are followed without loading it anew. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as HTMLElement).closest('a');
    const href = link?.getAttribute('href');
    if (!link || !href || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (href.startsWith('#') && href.length > 1 && target.current) {
      event.preventDefault();
      router.history.push(`${location.pathname}${location.search}${href}`);
      scrollTo(target.current, href);
    } else if (/^\/(?!\/)/.test(href) && !href.startsWith('/api/')) {
      event.preventDefault();
      router.history.push(href);
    }
  };
  return <div className={classes.body} ref={target} onClick={follow} />;
}
