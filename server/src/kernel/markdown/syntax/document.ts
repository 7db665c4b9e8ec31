/**
 * Markdown to HTML that nobody has sanitised yet. Beyond GitHub's Markdown: anchors of headings, tables of contents, alerts,
 * footnotes, formulas, task lists, emoji by name, front matter.
 */
import { Marked, type Parser, type RendererThis, type TokenizerAndRendererExtension, type Tokens } from 'marked';
import { escapeHtml } from '../html/sanitise.ts';
import { type DiagramServers, diagramAddress } from './diagrams.ts';
import { emojiNamed } from './emoji.ts';
import { createFootnotes } from './footnotes.ts';
import { displayedFormula, formulas } from './formulas.ts';
import { nextLine } from './lines.ts';
import { quoteExtensions } from './quotes.ts';

/** The word in an address that a heading has. */
export const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');

const emoji: TokenizerAndRendererExtension = {
  name: 'emoji',
  level: 'inline',
  start: (source: string) => {
    const at = source.indexOf(':');
    return at < 0 ? undefined : at;
  },
  tokenizer(source: string): Tokens.Generic | undefined {
    const [raw, name = ''] = /^:([a-z0-9_+-]{1,40}):/.exec(source) ?? [];
    const character = emojiNamed(name);
    return raw === undefined || character === undefined ? undefined : { type: 'emoji', raw, text: character };
  },
  renderer: (token: Tokens.Generic) => String(token.text),
};

interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

/** Stands for the table of contents until all headings are known. */
const contentsMark = '<!--contents-->';
const contents: TokenizerAndRendererExtension = {
  name: 'contents',
  level: 'block',
  start: (source: string) => nextLine(source, '['),
  tokenizer(source: string): Tokens.Generic | undefined {
    const [raw] = /^\[(?:\[_TOC_\]|TOC)\][ \t]*(?:\n|$)/.exec(source.slice(0, 80)) ?? [];
    return raw === undefined ? undefined : { type: 'contents', raw };
  },
  renderer: () => contentsMark,
};

/** Headings as nested lists of links. */
function contentsHtml(headings: readonly Heading[]): string {
  const open: number[] = [];
  let html = '';
  for (const { depth, id, text } of headings) {
    while ((open.at(-1) ?? 0) > depth) {
      html += '</li></ul>';
      open.pop();
    }
    if (open.at(-1) === depth) html += '</li>';
    else {
      html += open.length === 0 ? '<ul class="section-nav">' : '<ul>';
      open.push(depth);
    }
    html += `<li><a href="#${escapeHtml(id)}">${escapeHtml(text)}</a>`;
  }
  return `${html}${'</li></ul>'.repeat(open.length)}\n`;
}

/** What is neither done nor to be done: `- [~] text`. */
function inapplicableItem(this: RendererThis, { tokens }: Tokens.ListItem): string | null {
  const [first, ...rest] = tokens;
  if (!first || (first.type !== 'text' && first.type !== 'paragraph') || !first.raw.startsWith('[~] ')) return null;
  const inline = this.parser.parseInline(first.tokens ?? []).replace(/^\[~\] /, '');
  const box = '<input type="checkbox" class="task-list-item-checkbox" data-inapplicable disabled>';
  const text = `${box} <s class="inapplicable">${inline}</s>`;
  const body = first.type === 'paragraph' ? `<p>${text}</p>` : text;
  return `<li class="inapplicable task-list-item">${body}${this.parser.parse(rest)}</li>\n`;
}

const isTask = ({ task, text }: Tokens.ListItem): boolean => task || text.startsWith('[~] ');

/** Markdown as people write it elsewhere, without what is ours. */
const plain = (text: string): string => new Marked({ gfm: true }).parse(text, { async: false });

/** Metadata before the text, shown as the code that it is. */
function withoutFrontMatter(text: string): { readonly front: string; readonly body: string } {
  const [whole, yaml] = /^---[ \t]*\n(.{0,8192}?)\n---[ \t]*(?:\n|$)/s.exec(text) ?? [];
  if (whole === undefined || yaml === undefined) return { front: '', body: text };
  return {
    front: `<pre><code class="language-yaml">${escapeHtml(yaml)}\n</code></pre>\n`,
    body: text.slice(whole.length),
  };
}

/** A block of code that stands for a picture; `false` leaves it to the renderer. */
function drawn({ text, lang = '' }: Tokens.Code, servers: DiagramServers): string | false {
  if (lang === 'math') return displayedFormula(text);
  const address = diagramAddress(lang.split(/\s/, 1)[0] ?? '', text, servers);
  return address !== null && `<p><img src="${escapeHtml(address)}" alt="Diagram"></p>\n`;
}

function full(text: string, servers: DiagramServers): string {
  const footnotes = createFootnotes();
  const headings: Heading[] = [];
  const slugs = new Map<string, number>();
  const uniqueId = (heading: string): string => {
    const slug = slugOf(heading);
    const before = slugs.get(slug) ?? 0;
    slugs.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };
  const marked = new Marked({
    gfm: true,
    // One tilde begins the name of a label: `one~1 and two~2` strikes nothing out.
    tokenizer: { del: (source) => (source.startsWith('~~') ? false : undefined) },
    extensions: [...footnotes.extensions, ...formulas, ...quoteExtensions(), contents, emoji],
    renderer: {
      heading({ tokens, depth }: Tokens.Heading): string {
        const words = this.parser.parseInline(tokens, this.parser.textRenderer).replaceAll(/<[^>]*>/g, '');
        const id = uniqueId(words);
        if (id !== '') headings.push({ depth, id, text: words });
        const attribute = id === '' ? '' : ` id="${escapeHtml(id)}"`;
        return `<h${depth}${attribute}>${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: (token: Tokens.Code) => drawn(token, servers),
      list(token: Tokens.List): string | false {
        if (!token.items.some(isTask)) return false;
        const element = token.ordered ? 'ol' : 'ul';
        const start = token.ordered && token.start !== 1 ? ` start="${token.start}"` : '';
        const items = token.items.map((item) => this.listitem(item)).join('');
        return `<${element} class="task-list"${start}>\n${items}</${element}>\n`;
      },
      listitem(item: Tokens.ListItem): string | false {
        if (item.task) return `<li class="task-list-item">${this.parser.parse(item.tokens)}</li>\n`;
        return isTask(item) ? (inapplicableItem.call(this, item) ?? false) : false;
      },
      checkbox: ({ checked }: Tokens.Checkbox) =>
        `<input type="checkbox" class="task-list-item-checkbox" disabled${checked ? ' checked' : ''}> `,
    },
  });
  const { front, body } = withoutFrontMatter(text);
  const parse: Parser['parse'] = (tokens) => marked.parser(tokens);
  const html = front + parse(marked.lexer(body)) + footnotes.html(parse);
  // One table is enough: each further one would repeat all headings.
  return html.includes(contentsMark) ? html.replace(contentsMark, () => contentsHtml(headings)) : html;
}

/** A title: no markup but emoji. */
const line = (text: string): string =>
  escapeHtml(text).replaceAll(/:([a-z0-9_+-]{1,40}):/g, (whole, name: string) => emojiNamed(name) ?? whole);

/** `full` is what documents of this instance may say, `plain` is GitHub's Markdown, `line` is a title. */
export type Flavour = 'full' | 'plain' | 'line';

const noServers: DiagramServers = { plantuml: null, kroki: null };

export const markdownToHtml = (text: string, flavour: Flavour, servers = noServers): string => {
  const lines = text.replaceAll(/\r\n?/g, '\n');
  if (flavour === 'line') return line(lines);
  return flavour === 'full' ? full(lines, servers) : plain(lines);
};
