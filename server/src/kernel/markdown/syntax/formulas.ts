/** Formulas: `$a$`, $`a`$, `$$a$$`, and blocks between lines of `$$` or fenced as `math`. Pages draw them. */
import type { TokenizerAndRendererExtension, Tokens } from 'marked';
import { escapeHtml } from '../html/sanitise.ts';
import { nextLine } from './lines.ts';

export const displayedFormula = (text: string): string =>
  `<pre class="code math js-render-math" data-math-style="display"><code>${escapeHtml(text)}</code></pre>\n`;
const inlineFormula = (text: string): string =>
  `<code class="code math js-render-math" data-math-style="inline">${escapeHtml(text)}</code>`;

export const formulas: readonly TokenizerAndRendererExtension[] = [
  {
    name: 'formulaBlock',
    level: 'block',
    start: (source: string) => nextLine(source, '$$\n'),
    tokenizer(source: string): Tokens.Generic | undefined {
      if (!source.startsWith('$$\n')) return undefined;
      const end = source.indexOf('\n$$', 2);
      if (end < 0 || !/^\n\$\$[ \t]*(\n|$)/.test(source.slice(end, end + 80))) return undefined;
      return { type: 'formulaBlock', raw: source.slice(0, end + 3), text: source.slice(3, end) };
    },
    renderer: (token: Tokens.Generic) => displayedFormula(String(token.text)),
  },
  {
    name: 'formula',
    level: 'inline',
    start: (source: string) => {
      const at = source.indexOf('$');
      return at < 0 ? undefined : at;
    },
    tokenizer(source: string): Tokens.Generic | undefined {
      const found =
        /^\$`([^`\n]{1,1000})`\$/.exec(source) ??
        /^\$\$([^$\n]{1,1000})\$\$/.exec(source) ??
        // Prices are no formulas: nothing but the formula touches its signs.
        /^\$(?!\s)([^$\n`]{0,999}[^$\n`\s\\])\$(?!\d)/.exec(source);
      return found ? { type: 'formula', raw: found[0], text: found[1] } : undefined;
    },
    renderer: (token: Tokens.Generic) => inlineFormula(String(token.text)),
  },
];
