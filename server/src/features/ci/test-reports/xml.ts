/**
 * Reads XML as a series of events. What a document could define for itself is not supported: no document type with
 * declarations, no entities but the five of XML and characters by number, nothing from elsewhere.
 */

export class XmlError extends Error {}

export type XmlEvent =
  | { readonly kind: 'open'; readonly name: string; readonly attributes: ReadonlyMap<string, string> }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'close'; readonly name: string };

/** Elements inside each other. */
const maxDepth = 100;
const maxAttributes = 100;

const named: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };
const blank = /^[\s\uFEFF]*$/;
const namePattern = /[\p{L}_:][\p{L}\p{N}_:.\u00B7-]{0,255}/uy;
const spacePattern = /\s*/y;

function failAt(text: string, at: number, message: string): never {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  throw new XmlError(`${line}:${at - before.lastIndexOf('\n')}: FATAL: ${message}`);
}

function characterOf(text: string, at: number, code: number): string {
  const allowed = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
  return allowed ? String.fromCodePoint(code) : failAt(text, at, 'invalid character reference');
}

/** Text with its references replaced; `at` is where it begins. */
function decoded(text: string, at: number, raw: string): string {
  if (!raw.includes('&')) return raw;
  return raw.replaceAll(
    /&(?:#x([\da-fA-F]{1,6})|#(\d{1,7})|([\w.:-]{1,64}));|&/g,
    (found, hex, decimal, name, offset) => {
      if (hex !== undefined) return characterOf(text, at + offset, Number.parseInt(hex, 16));
      if (decimal !== undefined) return characterOf(text, at + offset, Number(decimal));
      if (name === undefined) return failAt(text, at + offset, 'unescaped &');
      return named[name] ?? failAt(text, at + offset, `entity ${found.slice(1, -1)} is not defined`);
    },
  );
}

/** The events of one document or several, one after the other. Throws `XmlError` where the text is not well-formed. */
export function* xmlEvents(text: string): Generator<XmlEvent, void, undefined> {
  const open: string[] = [];
  let at = 0;
  let documents = 0;

  const fail = (message: string, where = at): never => failAt(text, where, message);
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const upTo = (end: string, what: string): string => {
    const found = text.indexOf(end, at);
    if (found === -1) return fail(`${what} is not closed`);
    const inside = text.slice(at, found);
    at = found + end.length;
    return inside;
  };
  const nameHere = (what: string): string => match(namePattern) || fail(`${what} expected`);

  function attributes(): Map<string, string> {
    const found = new Map<string, string>();
    for (;;) {
      const spaced = match(spacePattern) !== '';
      if (at >= text.length) fail('the tag is not closed');
      if (text[at] === '>' || text.startsWith('/>', at)) return found;
      if (!spaced) fail('attributes are separated by spaces');
      const name = nameHere('the name of an attribute');
      if (found.has(name)) fail(`attribute ${name} redefined`);
      if (found.size === maxAttributes) fail(`an element may have ${maxAttributes} attributes`);
      match(spacePattern);
      if (text[at] !== '=') fail(`attribute ${name} has no value`);
      at++;
      match(spacePattern);
      const quote = text[at];
      if (quote !== '"' && quote !== "'") return fail(`the value of attribute ${name} is not quoted`);
      const begins = ++at;
      const raw = upTo(quote, `the value of attribute ${name}`);
      if (raw.includes('<')) fail(`the value of attribute ${name} contains <`, begins);
      found.set(name, decoded(text, begins, raw));
    }
  }

  function skipDocumentType(): void {
    const begins = at;
    const declaration = upTo('>', 'the document type');
    if (open.length > 0) fail('a document type inside an element', begins);
    if (declaration.includes('[')) fail('a document type with declarations is not allowed', begins);
  }

  function* tag(): Generator<XmlEvent, void, undefined> {
    const begins = at;
    at++;
    const name = nameHere('the name of an element');
    if (open.length === maxDepth) fail(`elements may be ${maxDepth} levels deep`, begins);
    if (open.length === 0) documents++;
    yield { kind: 'open', name, attributes: attributes() };
    if (text[at] === '/') {
      at += 2;
      yield { kind: 'close', name };
      return;
    }
    at++;
    open.push(name);
  }

  function* closingTag(): Generator<XmlEvent, void, undefined> {
    const begins = at;
    at += 2;
    const name = nameHere('the name of an element');
    match(spacePattern);
    if (text[at] !== '>') fail('the tag is not closed');
    at++;
    const expected = open.pop();
    if (expected === undefined) return fail(`${name} is closed and was not opened`, begins);
    if (expected !== name) fail(`Opening and ending tag mismatch: ${expected} and ${name}`, begins);
    yield { kind: 'close', name };
  }

  while (at < text.length) {
    if (text[at] !== '<') {
      const begins = at;
      const next = text.indexOf('<', at);
      at = next === -1 ? text.length : next;
      const raw = text.slice(begins, at);
      if (open.length > 0) yield { kind: 'text', text: decoded(text, begins, raw) };
      else if (!blank.test(raw)) fail('text outside of the document', begins);
    } else if (text.startsWith('<!--', at)) {
      at += 4;
      upTo('-->', 'a comment');
    } else if (text.startsWith('<![CDATA[', at)) {
      if (open.length === 0) fail('text outside of the document');
      at += 9;
      yield { kind: 'text', text: upTo(']]>', 'a CDATA section') };
    } else if (text.startsWith('<!DOCTYPE', at)) skipDocumentType();
    else if (text.startsWith('<?', at)) {
      if (open.length > 0 && /^<\?xml\s/.test(text.slice(at, at + 6))) fail('an XML declaration inside an element');
      upTo('?>', 'a processing instruction');
    } else if (text.startsWith('</', at)) yield* closingTag();
    else yield* tag();
  }
  const last = open.at(-1);
  if (last !== undefined) fail(`premature end of data in tag ${last}`);
  if (documents === 0) fail('Document is empty', 0);
}
