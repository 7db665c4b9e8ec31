/** Alerts (`> [!note]`) and block quotes between lines of `>>>`. */
import type { RendererThis, Token, TokenizerAndRendererExtension, TokenizerThis, Tokens } from 'marked';
import { escapeHtml } from '../html/sanitise.ts';
import { nextLine } from './lines.ts';

const titles: Readonly<Record<string, string>> = {
  note: 'Note',
  tip: 'Tip',
  important: 'Important',
  caution: 'Caution',
  warning: 'Warning',
};
const marker = /^\[!(note|tip|important|caution|warning)\][ \t]*(.{0,500})$/i;

interface Quote extends Tokens.Generic {
  readonly alert: string | null;
  readonly title: string;
  readonly tokens: Token[];
}

/** What the first line of a quote says of it, and the lines after it. */
function alertOf(text: string): { readonly kind: string; readonly title: string; readonly rest: string } | null {
  const end = text.indexOf('\n');
  const first = end < 0 ? text : text.slice(0, end);
  const [, kind = '', title = ''] = marker.exec(first.trim()) ?? [];
  if (kind === '') return null;
  const name = kind.toLowerCase();
  return { kind: name, title: title.trim() || (titles[name] ?? ''), rest: end < 0 ? '' : text.slice(end + 1) };
}

/** Quotes of one document: alerts are not looked for inside of each other. */
export function quoteExtensions(): readonly TokenizerAndRendererExtension[] {
  let inside = false;
  const quote = (that: TokenizerThis, raw: string, text: string): Quote => {
    const alert = alertOf(text);
    inside = true;
    const tokens = that.lexer.blockTokens(alert === null ? text : alert.rest, []);
    inside = false;
    return { type: 'quote', raw, alert: alert?.kind ?? null, title: alert?.title ?? '', tokens };
  };
  function renderer(this: RendererThis, token: Tokens.Generic): string {
    const { alert, title, tokens } = token as Quote;
    const body = this.parser.parse(tokens);
    if (alert === null) return `<blockquote>\n${body}</blockquote>\n`;
    const heading = `<p class="markdown-alert-title">${escapeHtml(title)}</p>\n`;
    return `<div class="markdown-alert markdown-alert-${alert}">\n${heading}${body}</div>\n`;
  }
  return [
    {
      name: 'quote',
      level: 'block',
      tokenizer(this: TokenizerThis, source: string): Quote | undefined {
        if (inside || !/^ {0,3}>[ \t]*\[!\w{3,9}\]/.test(source.slice(0, 40))) return undefined;
        // What belongs to the quote is decided as for every other one.
        inside = true;
        const found = this.lexer.options.tokenizer?.blockquote(source);
        inside = false;
        return found && alertOf(found.text) ? quote(this, found.raw, found.text) : undefined;
      },
      renderer,
    },
    {
      name: 'fencedQuote',
      level: 'block',
      start: (source: string) => nextLine(source, '>>>'),
      tokenizer(this: TokenizerThis, source: string): Quote | undefined {
        const [opening] = /^>>>[ \t]*(?:\[![^\n]{1,600})?\n/.exec(source.slice(0, 700)) ?? [];
        if (opening === undefined || inside) return undefined;
        const end = source.indexOf('\n>>>', opening.length - 1);
        const [closing] = end < 0 ? [] : (/^\n>>>[ \t]*(?=\n|$)/.exec(source.slice(end, end + 80)) ?? []);
        if (closing === undefined) return undefined;
        const first = opening.slice(3).trim();
        const text = source.slice(opening.length, end);
        return quote(this, source.slice(0, end + closing.length), first === '' ? text : `${first}\n${text}`);
      },
    },
  ];
}
