/** Colours of blocks of code in documents, by the same worker as files. */
import { highlighted } from '../code/highlight.ts';
import { languageNamed } from '../code/languages.ts';
import { tokenStyle } from '../code/tokens.ts';
import classes from './markdown.module.css';

const mostBlocks = 50;
const mostLetters = 50_000;

export function colourCode(root: HTMLElement, signal: AbortSignal): void {
  if (signal.aborted) return;
  const blocks = [...root.querySelectorAll<HTMLElement>('pre > code[class^="language-"]')].slice(0, mostBlocks);
  for (const block of blocks) {
    const language = languageNamed(block.className.slice('language-'.length));
    const text = block.textContent;
    if (language === null || text.length > mostLetters) continue;
    void highlighted(text, language).then((lines) => {
      if (signal.aborted || lines.length === 0) return;
      const coloured = lines.flatMap((line, index) => [
        ...(index === 0 ? [] : [document.createTextNode('\n')]),
        ...line.map(([part, light, dark]) => {
          const span = document.createElement('span');
          span.className = classes.token ?? '';
          for (const [name, value] of Object.entries(tokenStyle(light, dark)))
            span.style.setProperty(name, String(value));
          span.textContent = part;
          return span;
        }),
      ]);
      block.replaceChildren(...coloured);
    });
  }
}
