/** Pages as HTML for clients of the API: nothing in it is more than text, links and pictures. Pure. */
import { Marked } from 'marked';
import type { PageFormat } from './pages.ts';

/** Longer texts are shown as they are: rendering has a budget. */
const longest = 256 * 1024;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
const plain = (text: string): string => `<pre>${escaped(text)}</pre>`;

const elsewhere = /^([a-z][a-z0-9+.-]*:|\/\/|[/\\]{2})/i;
const harmless = /^(https?:\/\/|mailto:)/i;

/** Where a link leads: pages of the wiki by their slug, the web, and nothing that runs. */
function address(href: string, base: string): string | null {
  // Browsers drop these before they read the scheme.
  const given = href.replaceAll(/\p{Cc}|\s/gu, '');
  if (harmless.test(given)) return given;
  if (elsewhere.test(given)) return null;
  if (given.startsWith('#')) return given;
  return `${base}/${given.replace(/^\/+/, '')}`;
}

/** `base` is the address of the wiki, without a slash at its end. */
export function renderPage(text: string, format: PageFormat, base: string): string {
  if (format !== 'markdown' || text.length > longest) return plain(text);
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text: raw }) => escaped(raw),
      link({ href, tokens }) {
        const target = address(href, base);
        const inside = this.parser.parseInline(tokens);
        return target === null
          ? inside
          : `<a href="${escaped(target)}" rel="nofollow noreferrer noopener">${inside}</a>`;
      },
      image({ href, text: alt }) {
        const target = address(href, base);
        return target === null ? escaped(alt) : `<img src="${escaped(target)}" alt="${escaped(alt)}">`;
      },
    },
  });
  return marked.parse(text, { async: false });
}
