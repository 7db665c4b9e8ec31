/**
 * The last step of rendering: HTML is read as tags and texts, and only listed elements and attributes are written again, each
 * text and value escaped. However a browser nests what comes out, nothing in it runs, loads from elsewhere or covers a page.
 */
import { findExternalIssues } from '../external-issues.ts';
import { findReferences, type Reference } from '../references.ts';
import {
  allowedClasses,
  allowedElements,
  harmlessAddress,
  isAllowedAttribute,
  isImageData,
  voidElements,
} from './allowed.ts';
import { type Attribute, entityCharacter, entityPattern, type HtmlToken, htmlTokens } from './tokens.ts';

/** A part of the output that only the server can write: it depends on the reader, or on a key. */
export type Piece =
  | string
  | { readonly image: string; readonly alt: string; readonly attributes: string; readonly inLink: boolean }
  | {
      readonly reference: Pick<Reference, 'text' | 'kind' | 'place' | 'value' | 'format'>;
      /** After the path of what is named: `#note_1`. */
      readonly anchor?: string;
      /** What stands there for those who do not see it; its text without this. */
      readonly instead?: string;
    };

/** Where things in the document lead; null for what leads nowhere from here. */
export interface Addresses {
  link(href: string): string;
  image(source: string): { readonly address: string } | { readonly elsewhere: string } | null;
  /** Whether an address leaves this instance. */
  leaves(address: string): boolean;
  /** What an address of this instance names, and how texts write it; null for every other address. */
  named(address: string): { readonly reference: Omit<Reference, 'start' | 'end'>; readonly anchor: string } | null;
}

export interface SanitiseOptions {
  readonly addresses: Addresses;
  /** Whether words that name something become links. */
  readonly references: boolean;
}

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
export const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '');

/** What is before ids and names of documents: none can stand for a property of the page. */
const idPrefix = 'user-content-';
/** Elements inside each other; deeper ones are left out. */
const maximumDepth = 100;
/** Where words are not looked at. */
const literal = new Set(['a', 'code', 'pre', 'kbd', 'samp']);
const headingPattern = /^h[1-6]$/;

class Output {
  readonly pieces: Piece[] = [];
  private text = '';

  write(html: string): void {
    this.text += html;
  }
  put(piece: Piece): void {
    this.end();
    this.pieces.push(piece);
  }
  end(): readonly Piece[] {
    if (this.text !== '') this.pieces.push(this.text);
    this.text = '';
    return this.pieces;
  }
}

const written = (name: string, value: string): string => ` ${name}="${escapeHtml(value)}"`;
const attributeValue = (attributes: readonly Attribute[], name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name)?.value;

/** An attribute as it is written again; empty for one that is left out. */
function attributeText(element: string, { name, value }: Attribute, addresses: Addresses): string {
  if (!isAllowedAttribute(element, name)) return '';
  if (name === 'class') {
    const classes = allowedClasses(value);
    return classes === '' ? '' : written(name, classes);
  }
  if (name === 'id' || name === 'name') {
    if (value === '') return '';
    return written(name, value.startsWith(idPrefix) ? value : `${idPrefix}${value}`);
  }
  if (name === 'href') {
    const address = harmlessAddress(value);
    if (address === null) return '';
    const target = addresses.link(address);
    return written(name, target) + (addresses.leaves(target) ? written('rel', 'nofollow noopener noreferrer') : '');
  }
  if (name === 'cite') return harmlessAddress(value) === null ? '' : written(name, value);
  return written(name, value);
}

const attributesText = (element: string, attributes: readonly Attribute[], addresses: Addresses): string => {
  const seen = new Set<string>();
  return attributes
    .filter(({ name }) => !seen.has(name) && seen.add(name))
    .map((attribute) => attributeText(element, attribute, addresses))
    .join('');
};

/** Everything that may be a name, in the order of the text; what this instance knows comes before what others do. */
function namesIn(text: string): Reference[] {
  const own = findReferences(text);
  const others = findExternalIssues(text).filter(
    ({ start, end }) => !own.some((each) => each.start < end && start < each.end),
  );
  return [...own, ...others].sort((one, other) => one.start - other.start);
}

/** Text of the document: entities that are not known stay what they are, everything else is decoded and escaped again. */
function writeText(output: Output, raw: string, references: boolean): void {
  const flush = (text: string) => {
    if (text === '') return;
    let at = 0;
    for (const reference of references ? namesIn(text) : []) {
      output.write(escapeHtml(text.slice(at, reference.start)));
      output.put({ reference });
      at = reference.end;
    }
    output.write(escapeHtml(text.slice(at)));
  };
  let pending = '';
  let at = 0;
  for (const match of raw.matchAll(entityPattern)) {
    const character = entityCharacter(match[0]);
    pending += raw.slice(at, match.index);
    at = match.index + match[0].length;
    if (character !== null) pending += character;
    else {
      flush(pending);
      pending = '';
      output.write(match[0]);
    }
  }
  flush(pending + raw.slice(at));
}

interface Open {
  readonly name: string;
  /** Id of a heading, which gets a link to itself. */
  readonly id: string | null;
}

export function sanitise(html: string, options: SanitiseOptions): readonly Piece[] {
  const { addresses } = options;
  const output = new Output();
  const open: Open[] = [];
  let literals = 0;

  const close = () => {
    const last = open.pop();
    if (!last) return;
    if (literal.has(last.name)) literals -= 1;
    // Those who hear the page would hear each heading twice.
    if (last.id !== null)
      output.write(`<a class="anchor"${written('href', `#${last.id}`)} aria-hidden="true" tabindex="-1"></a>`);
    output.write(`</${last.name}>`);
  };

  const image = (attributes: readonly Attribute[]) => {
    const given = attributeValue(attributes, 'src') ?? '';
    const source = isImageData(given) ? given : harmlessAddress(given);
    const alt = attributeValue(attributes, 'alt') ?? '';
    const rest = attributes.filter(({ name }) => name !== 'src' && name !== 'alt');
    const target = source === null || source === '' ? null : addresses.image(source);
    if (target === null) output.write(escapeHtml(alt || (source ?? '')));
    else if ('address' in target)
      output.write(
        `<img${written('src', target.address)}${written('alt', alt)}${attributesText('img', rest, addresses)} loading="lazy">`,
      );
    else {
      const inLink = open.some(({ name }) => name === 'a');
      output.put({ image: target.elsewhere, alt, attributes: attributesText('img', rest, addresses), inLink });
    }
  };

  /** A link that shows nothing but its address is written as the reference that it is. */
  const bareAddress = ([start, text, end]: readonly (HtmlToken | undefined)[]): boolean => {
    if (start?.type !== 'start' || start.name !== 'a' || text?.type !== 'text') return false;
    if (end?.type !== 'end' || end.name !== 'a' || !options.references || literals > 0) return false;
    const address = attributeValue(start.attributes, 'href') ?? '';
    const named = text.raw === escapeHtml(address) ? addresses.named(address) : null;
    if (named === null) return false;
    const instead = `<a${attributesText('a', start.attributes, addresses)}>${text.raw}</a>`;
    output.put({ ...named, instead });
    return true;
  };

  const tokens = [...htmlTokens(html)];
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) break;
    if (bareAddress(tokens.slice(at, at + 3))) at += 2;
    else if (token.type === 'text') writeText(output, token.raw, options.references && literals === 0);
    else if (token.type === 'end') {
      // One that was never opened closes nothing, what was opened inside ends with it.
      if (open.some(({ name }) => name === token.name)) {
        while (open.at(-1)?.name !== token.name) close();
        close();
      }
    } else if (allowedElements.has(token.name)) {
      const { name, attributes } = token;
      if (name === 'img') image(attributes);
      else if (name === 'input') {
        // Only the boxes of task lists, which nobody can change here.
        if (attributeValue(attributes, 'type')?.toLowerCase() === 'checkbox')
          output.write(`<input type="checkbox" disabled${attributesText(name, attributes, addresses)}>`);
      } else if (voidElements.has(name)) output.write(`<${name}${attributesText(name, attributes, addresses)}>`);
      else if (open.length < maximumDepth) {
        output.write(`<${name}${attributesText(name, attributes, addresses)}>`);
        const id = headingPattern.test(name) ? attributeValue(attributes, 'id') : undefined;
        open.push({ name, id: id === undefined || id === '' ? null : id });
        if (literal.has(name)) literals += 1;
      }
    }
  }
  while (open.length > 0) close();
  return output.end();
}
