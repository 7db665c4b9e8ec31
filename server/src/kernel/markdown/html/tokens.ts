/**
 * HTML as a sequence of tags and texts, read in one pass. Leniently: what is made of it is written anew, so that no browser
 * ever sees what was read differently here.
 */

export interface Attribute {
  readonly name: string;
  /** Without entities. */
  readonly value: string;
}
export type HtmlToken =
  | { readonly type: 'text'; readonly raw: string }
  | { readonly type: 'start'; readonly name: string; readonly attributes: readonly Attribute[] }
  | { readonly type: 'end'; readonly name: string };

/** Elements whose contents are no markup: left out with their contents. */
const rawText = new Set([
  ...[
    'script',
    'style',
    'textarea',
    'title',
    'xmp',
    'iframe',
    'noembed',
    'noframes',
    'noscript',
    'plaintext',
    'template',
  ],
]);

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  colon: ':',
  tab: '\t',
  newline: '\n',
};

/** An entity as the character that it stands for; null for one that is not known here. */
export function entityCharacter(entity: string): string | null {
  const [, hex, decimal, name] = /^&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]+));$/i.exec(entity) ?? [];
  if (name !== undefined) return Object.hasOwn(named, name.toLowerCase()) ? (named[name.toLowerCase()] ?? null) : null;
  const code = hex === undefined ? Number.parseInt(decimal ?? '', 10) : Number.parseInt(hex, 16);
  const valid = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return valid ? String.fromCodePoint(code) : null;
}

/** What looks like an entity. */
export const entityPattern = /&(?:#x[0-9a-f]{1,6}|#\d{1,7}|[a-z][a-z0-9]{1,31});/gi;

/** Without entities; one that is not known stays as it is written. */
const decoded = (text: string): string =>
  text.includes('&') ? text.replace(entityPattern, (entity) => entityCharacter(entity) ?? entity) : text;

const tagName = /[a-z][a-z0-9:-]{0,63}/iy;
const attribute = /[\s/]*([^\s/>=]{1,128})(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']*)))?/y;
const tagEnd = /[^>]*>/y;
/** Attributes of one tag that are read. */
const maximumAttributes = 50;

interface Tag {
  readonly name: string;
  readonly attributes: Attribute[];
  readonly end: number;
}

function readTag(html: string, at: number): Tag | null {
  tagName.lastIndex = at;
  const name = tagName.exec(html)?.[0].toLowerCase();
  if (name === undefined) return null;
  const attributes: Attribute[] = [];
  let end = tagName.lastIndex;
  while (attributes.length < maximumAttributes) {
    attribute.lastIndex = end;
    const match = attribute.exec(html);
    if (!match) break;
    end = attribute.lastIndex;
    const [, key = '', double, single, bare] = match;
    attributes.push({ name: key.toLowerCase(), value: decoded(double ?? single ?? bare ?? '') });
  }
  tagEnd.lastIndex = end;
  return tagEnd.test(html) ? { name, attributes, end: tagEnd.lastIndex } : null;
}

/** Where a comment, declaration or instruction ends. */
function endOfMarkup(html: string, at: number): number {
  const closing = html.startsWith('<!--', at) ? '-->' : '>';
  const end = html.indexOf(closing, at + 2);
  return end < 0 ? html.length : end + closing.length;
}

export function* htmlTokens(html: string): Generator<HtmlToken> {
  // The same length as the text, whatever its letters are.
  const lower = html.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  // Nothing after it is a tag; looking for its end from each `<` would take for ever.
  const lastEnd = html.lastIndexOf('>');
  let textFrom = 0;
  let at = html.indexOf('<');
  while (at >= 0 && at < lastEnd) {
    const next = html[at + 1] ?? '';
    let end = -1;
    let token: HtmlToken | null = null;
    if (next === '!' || next === '?') end = endOfMarkup(html, at);
    else {
      const closing = next === '/';
      const tag = readTag(html, at + (closing ? 2 : 1));
      if (tag) {
        end = tag.end;
        if (closing) token = { type: 'end', name: tag.name };
        else if (rawText.has(tag.name)) {
          const close = lower.indexOf(`</${tag.name}`, end);
          end = close < 0 ? html.length : close;
        } else token = { type: 'start', name: tag.name, attributes: tag.attributes };
      }
    }
    if (end < 0) {
      at = html.indexOf('<', at + 1);
      continue;
    }
    if (at > textFrom) yield { type: 'text', raw: html.slice(textFrom, at) };
    if (token) yield token;
    textFrom = end;
    at = html.indexOf('<', end);
  }
  if (textFrom < html.length) yield { type: 'text', raw: html.slice(textFrom) };
}
