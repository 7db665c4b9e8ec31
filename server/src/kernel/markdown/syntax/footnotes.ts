/** Footnotes: `[^name]` in the text, `[^name]: ...` anywhere; a list at the end, numbered in the order of the text. */
import type { Parser, Token, TokenizerAndRendererExtension, TokenizerThis, Tokens } from 'marked';
import { escapeHtml } from '../html/sanitise.ts';
import { nextLine } from './lines.ts';

interface Definition extends Tokens.Generic {
  readonly label: string;
  readonly tokens: Token[];
}

/** The lines of a definition: its first one, what follows it directly, and paragraphs that are indented. */
function definitionLines(source: string): string[] {
  const lines: string[] = [];
  const all = source.split('\n', 200);
  for (const [at, line] of all.entries()) {
    if (at > 0 && /^\[\^/.test(line)) break;
    if (line.trim() === '' && !/^(?: {2,}|\t)\S/.test(all[at + 1] ?? '')) break;
    lines.push(line);
  }
  return lines;
}

/** The footnotes of one document. */
export interface Footnotes {
  readonly extensions: readonly TokenizerAndRendererExtension[];
  /** The list that ends the document; empty where the text refers to none. */
  html(parse: Parser['parse']): string;
}

export function createFootnotes(): Footnotes {
  const definitions = new Map<string, Token[]>();
  /** How often each is referred to, in the order in which the text first does. */
  const calls = new Map<string, number>();
  const idOf = (label: string) => escapeHtml(label.toLowerCase());
  const callId = (label: string, call: number) => `fnref-${idOf(label)}${call === 1 ? '' : `-${call}`}`;

  const definition: TokenizerAndRendererExtension = {
    name: 'footnote',
    level: 'block',
    start: (source: string) => nextLine(source, '[^'),
    tokenizer(this: TokenizerThis, source: string): Definition | undefined {
      const [, label = ''] = /^\[\^([^\]\s]{1,64})\]:/.exec(source) ?? [];
      if (label === '') return undefined;
      const raw = definitionLines(source).join('\n');
      const text = raw.slice(label.length + 4).replaceAll(/\n(?: {1,4}|\t)/g, '\n');
      const tokens = this.lexer.blockTokens(text.trim(), []);
      if (!definitions.has(label)) definitions.set(label, tokens);
      return { type: 'footnote', raw, label, tokens };
    },
    renderer: () => '',
  };
  const call: TokenizerAndRendererExtension = {
    name: 'footnoteCall',
    level: 'inline',
    start: (source: string) => {
      const at = source.indexOf('[^');
      return at < 0 ? undefined : at;
    },
    tokenizer(source: string): Tokens.Generic | undefined {
      const [raw, label] = /^\[\^([^\]\s]{1,64})\]/.exec(source) ?? [];
      return raw === undefined ? undefined : { type: 'footnoteCall', raw, label };
    },
    renderer(token: Tokens.Generic): string {
      const label = String(token.label);
      if (!definitions.has(label)) return escapeHtml(token.raw);
      const count = (calls.get(label) ?? 0) + 1;
      calls.set(label, count);
      const number = [...calls.keys()].indexOf(label) + 1;
      return `<sup class="footnote-ref"><a href="#fn-${idOf(label)}" id="${callId(label, count)}" data-footnote-ref>${number}</a></sup>`;
    },
  };

  return {
    extensions: [definition, call],
    html(parse) {
      const bodies: string[] = [];
      // Footnotes may refer to footnotes, each of which is listed once.
      for (let at = 0; at < calls.size; at += 1) bodies.push(parse(definitions.get([...calls.keys()][at] ?? '') ?? []));
      if (bodies.length === 0) return '';
      const items = [...calls].map(([label, count], at) => {
        const backs = Array.from({ length: count }, (_, index) => {
          const name = `Back to reference ${at + 1}${index === 0 ? '' : `-${index + 1}`}`;
          const mark = index === 0 ? '↩' : `↩<sup>${index + 1}</sup>`;
          return `<a href="#${callId(label, index + 1)}" class="footnote-backref" data-footnote-backref aria-label="${name}">${mark}</a>`;
        });
        const body = (bodies[at] ?? '').replace(/(<\/p>)?\n?$/, ` ${backs.join(' ')}$1`);
        return `<li id="fn-${idOf(label)}">${body}</li>`;
      });
      return `<section class="footnotes" data-footnotes><ol>\n${items.join('\n')}\n</ol></section>\n`;
    },
  };
}
