/** What documents may say beyond GitHub's Markdown: anchors of headings, footnotes, formulas, emoji by name. */
import { Marked, type RendererThis, type Token, type TokenizerThis, type Tokens } from 'marked';
import { pictureOf } from '../emoji.ts';

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

/** The word in an address that a heading has. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

/** Where the next line begins so. What is given begins in the middle of a line. */
function nextLine(source: string, beginning: string): number | undefined {
  const at = source.indexOf(`\n${beginning}`);
  return at < 0 ? undefined : at + 1;
}

const formula = (text: string): string => `<code class="formula">${escaped(text)}</code>`;
const displayed = (text: string): string => `<pre><code class="language-math">${escaped(text)}</code></pre>\n`;

interface Note extends Tokens.Generic {
  readonly label: string;
  readonly tokens: Token[];
}

/** The lines of a note: its first one, and what follows until a blank line or the next note. */
function noteLines(source: string): string[] {
  const lines: string[] = [];
  for (const line of source.split('\n')) {
    if (lines.length > 0 && (line.trim() === '' || /^\[\^/.test(line))) break;
    lines.push(line);
  }
  return lines;
}

/** Numbers of notes in the order in which the text asks for them. */
class Notes {
  readonly defined = new Map<string, Token[]>();
  readonly asked: string[] = [];

  number(label: string): number {
    if (!this.asked.includes(label)) this.asked.push(label);
    return this.asked.indexOf(label) + 1;
  }
}

function footnotes(notes: Notes) {
  return [
    {
      name: 'note',
      level: 'block' as const,
      start: (source: string) => nextLine(source, '[^'),
      tokenizer(this: TokenizerThis, source: string): Note | undefined {
        const [, label = ''] = /^\[\^([^\]\s]{1,64})\]:/.exec(source) ?? [];
        if (label === '') return undefined;
        const raw = noteLines(source).join('\n');
        const tokens = this.lexer.blockTokens(raw.slice(label.length + 4).trim(), []);
        if (!notes.defined.has(label)) notes.defined.set(label, tokens);
        return { type: 'note', raw, label, tokens };
      },
      renderer: () => '',
    },
    {
      name: 'noteCall',
      level: 'inline' as const,
      start: (source: string) => source.indexOf('[^'),
      tokenizer(source: string): Tokens.Generic | undefined {
        const [raw, label] = /^\[\^([^\]\s]{1,64})\]/.exec(source) ?? [];
        return raw === undefined ? undefined : { type: 'noteCall', raw, label };
      },
      renderer(token: Tokens.Generic): string {
        const label = String(token.label);
        if (!notes.defined.has(label)) return escaped(token.raw);
        const number = notes.number(label);
        return `<sup><a href="#fn-${number}" id="fnref-${number}">${number}</a></sup>`;
      },
    },
  ];
}

const formulas = [
  {
    name: 'formulaBlock',
    level: 'block' as const,
    start: (source: string) => nextLine(source, '$$\n'),
    tokenizer(source: string): Tokens.Generic | undefined {
      if (!source.startsWith('$$\n')) return undefined;
      const end = source.indexOf('\n$$', 2);
      if (end < 0 || !/^\n\$\$[ \t]*(\n|$)/.test(source.slice(end))) return undefined;
      return { type: 'formulaBlock', raw: source.slice(0, end + 3), text: source.slice(3, end) };
    },
    renderer: (token: Tokens.Generic) => displayed(String(token.text)),
  },
  {
    name: 'formula',
    level: 'inline' as const,
    start: (source: string) => source.indexOf('$'),
    tokenizer(source: string): Tokens.Generic | undefined {
      const found =
        /^\$`([^`\n]{1,1000})`\$/.exec(source) ??
        /^\$\$([^$\n]{1,1000})\$\$/.exec(source) ??
        // Prices are no formulas: nothing but the formula touches its signs.
        /^\$(?!\s)([^$\n`]{0,999}[^$\n`\s\\])\$(?!\d)/.exec(source);
      return found ? { type: 'formula', raw: found[0], text: found[1] } : undefined;
    },
    renderer: (token: Tokens.Generic) => formula(String(token.text)),
  },
];

const emoji = {
  name: 'emoji',
  level: 'inline' as const,
  start: (source: string) => source.indexOf(':'),
  tokenizer(source: string): Tokens.Generic | undefined {
    const [raw, name = ''] = /^:([a-z0-9_+-]{1,40}):/.exec(source) ?? [];
    const picture = pictureOf(name);
    return raw === undefined || picture === undefined ? undefined : { type: 'emoji', raw, text: picture };
  },
  renderer: (token: Tokens.Generic) => String(token.text),
};

/** Markdown to HTML that nobody has sanitised yet. */
export function markdownToHtml(text: string): string {
  const notes = new Notes();
  const slugs = new Map<string, number>();
  const marked = new Marked({
    gfm: true,
    extensions: [...footnotes(notes), ...formulas, emoji],
    renderer: {
      heading(this: RendererThis, { tokens, depth }: Tokens.Heading): string {
        const slug = slugOf(this.parser.parseInline(tokens, this.parser.textRenderer).replaceAll(/<[^>]*>/g, ''));
        const before = slugs.get(slug) ?? 0;
        slugs.set(slug, before + 1);
        const id = before === 0 ? slug : `${slug}-${before}`;
        return `<h${depth}${id === '' ? '' : ` id="${escaped(id)}"`}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  let html = marked.parser(marked.lexer(text));
  const items: string[] = [];
  // Notes may ask for notes, each of which is told once.
  for (let at = 0; at < notes.asked.length; at += 1) {
    const body = marked.parser(notes.defined.get(notes.asked[at] ?? '') ?? []);
    const back = `<a href="#fnref-${at + 1}" title="Back to the text">↩</a>`;
    items.push(`<li id="fn-${at + 1}">${body.replace(/(<\/p>)?\n?$/, ` ${back}$1`)}</li>`);
  }
  if (items.length > 0) html += `<hr><ol class="notes">${items.join('\n')}</ol>`;
  return html;
}
