/**
 * Diagrams of documents (Mermaid), each drawn in a frame without an origin. The library is fetched by the first document
 * that has one, and only when the diagram comes into view.
 */
import library from '@mermaid-js/tiny/dist/mermaid.tiny.js?url&no-inline';
import script from './diagram-frame.js?url&no-inline';
import classes from './markdown.module.css';

const mostDiagrams = 50;
const mostLetters = 20_000;
const mostSeconds = 15;
const mostHeight = 2_000;

/** The whole frame: scripts of ours alone, no requests, no frames, no forms. */
function frameDocument(dark: boolean): string {
  const at = (address: string) => new URL(address, location.href).href;
  const policy = `default-src 'none'; script-src ${at(library)} ${at(script)}; style-src 'unsafe-inline'; img-src data:`;
  return `<!doctype html><html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="${dark ? 'dark' : 'light'}">
<style>body { margin: 0; text-align: center; font-family: sans-serif } svg { max-width: 100% }</style></head>
<body><script src="${at(library)}"></script><script src="${at(script)}"></script></body></html>`;
}

type Answer = { ready?: boolean; height?: unknown; error?: unknown };

/** Draws one diagram in place of its text, which stays below it for those who want to read or copy it. */
function draw(block: HTMLElement, dark: boolean, signal: AbortSignal): void {
  const text = block.textContent;
  const figure = document.createElement('figure');
  figure.className = classes.diagram ?? '';
  const frame = document.createElement('iframe');
  frame.title = 'Diagram';
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.setAttribute('referrerpolicy', 'no-referrer');
  frame.dataset.waiting = '';
  frame.srcdoc = frameDocument(dark);
  const written = document.createElement('details');
  const summary = document.createElement('summary');
  summary.textContent = 'Text of the diagram';
  block.replaceWith(figure);
  written.append(summary, block);
  written.open = true;
  figure.append(frame, written);

  const over = new AbortController();
  const failed = (why: string) => {
    over.abort();
    frame.remove();
    const note = document.createElement('figcaption');
    note.textContent = `The diagram cannot be drawn: ${why}`;
    figure.prepend(note);
  };
  // A diagram that is drawn for ever is given up.
  const late = setTimeout(() => failed(`it takes more than ${mostSeconds} seconds.`), mostSeconds * 1000);
  over.signal.addEventListener('abort', () => clearTimeout(late));
  signal.addEventListener('abort', () => over.abort());
  window.addEventListener(
    'message',
    ({ source, data }: MessageEvent<Answer>) => {
      if (source !== frame.contentWindow || typeof data !== 'object' || data === null) return;
      if (data.ready) frame.contentWindow?.postMessage({ text, dark, mostLetters }, '*');
      else if (typeof data.error === 'string') failed(data.error);
      else if (typeof data.height === 'number' && Number.isFinite(data.height)) {
        clearTimeout(late);
        if ('waiting' in frame.dataset) written.open = false;
        delete frame.dataset.waiting;
        frame.style.height = `${Math.min(Math.max(data.height, 24), mostHeight)}px`;
      }
    },
    { signal: over.signal },
  );
}

export function drawDiagrams(root: HTMLElement, dark: boolean, signal: AbortSignal): void {
  const blocks = [...root.querySelectorAll('pre > code.language-mermaid')]
    .flatMap((code) => (code.parentElement && code.textContent.length <= mostLetters ? [code.parentElement] : []))
    .slice(0, mostDiagrams);
  const seen = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue;
        seen.unobserve(target);
        draw(target as HTMLElement, dark, signal);
      }
    },
    { rootMargin: '300px' },
  );
  for (const block of blocks) seen.observe(block);
  signal.addEventListener('abort', () => seen.disconnect());
}
