/** A document that the server rendered, with what only the page adds: colours of code, formulas, diagrams. */
import { useComputedColorScheme } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { type MouseEvent, useLayoutEffect, useRef } from 'react';
import { documentFragment, idPrefix } from '../lib/markdown/document.ts';
import type { DocumentOwner } from '../lib/markdown/formula-limits.ts';
import { type PreviewBase, preview } from '../lib/markdown/preview.ts';
import { isFileAddress } from '../lib/urls.ts';
import { FormError } from './FormError.tsx';
import classes from './markdown/markdown.module.css';
import { type Tasks, useTasks } from './markdown/useTasks.ts';

/** Those that name their language. */
const codeBlocks = 'pre > code[class^="language-"]';
const diagrams = 'pre > code.language-mermaid';
const formulas = '[data-math-style]';

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

interface MarkdownBodyProps {
  /** As the API has it. */
  readonly html: string;
  /** What the document is of; its group decides on limits of formulas. */
  readonly of?: DocumentOwner;
  /** Its check boxes, for those who may change the text. */
  readonly tasks?: Tasks | undefined;
}

export function MarkdownBody({ html, of, tasks }: MarkdownBodyProps) {
  const target = useRef<HTMLDivElement>(null);
  const router = useRouter();
  const dark = useComputedColorScheme('light') === 'dark';
  const kind = of?.kind;
  const path = of?.path;
  useLayoutEffect(() => {
    const root = target.current;
    if (!root) return;
    root.replaceChildren(documentFragment(html));
    if (location.hash.length > 1) scrollTo(root, location.hash);
    // What takes longer comes when it comes.
    const over = new AbortController();
    /** Without what cannot be loaded the document stays as it is written. */
    const draw = (what: string, load: () => Promise<() => unknown>) => {
      if (root.querySelector(what))
        void load().then(
          (begin) => (over.signal.aborted ? null : begin()),
          () => undefined,
        );
    };
    draw(codeBlocks, async () => {
      const { colourCode } = await import('./markdown/colours.ts');
      return () => colourCode(root, over.signal);
    });
    draw(diagrams, async () => {
      const { drawDiagrams } = await import('./markdown/diagrams.ts');
      return () => drawDiagrams(root, dark, over.signal);
    });
    draw(formulas, async () => {
      const { drawFormulas } = await import('./markdown/formulas.ts');
      return () => drawFormulas(root, kind === undefined || path === undefined ? null : { kind, path }, over.signal);
    });
    return () => over.abort();
  }, [html, kind, path, dark]);
  /** Links into this page are followed without loading it anew. */
  const follow = (event: MouseEvent) => {
    const link = (event.target as HTMLElement).closest('a');
    const href = link?.getAttribute('href');
    if (!link || !href || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (href.startsWith('#') && href.length > 1 && target.current) {
      event.preventDefault();
      router.history.push(`${location.pathname}${location.search}${href}`);
      scrollTo(target.current, href);
    } else if (/^\/(?!\/)/.test(href) && !isFileAddress(href)) {
      event.preventDefault();
      router.history.push(href);
    }
  };
  const error = useTasks(target, `${dark} ${html}`, tasks);
  return (
    <>
      <div className={classes.body} ref={target} onClick={follow} />
      <FormError error={error} />
    </>
  );
}

interface PreviewProps extends Pick<MarkdownBodyProps, 'of' | 'tasks'> {
  readonly text: string;
  readonly base: PreviewBase;
}

/** A text that is being written. What was shown before stays until the server has answered. */
export function MarkdownPreview({ text, base, of, tasks }: PreviewProps) {
  const { data: html, error } = useQuery({ ...preview(text, base), placeholderData: (before) => before });
  if (error) return <p role="alert">The preview could not be loaded. {error.message}</p>;
  return html === undefined ? null : <MarkdownBody html={html} tasks={tasks} {...(of ? { of } : {})} />;
}
