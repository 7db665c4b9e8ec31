/** Text -> tree with source positions: anchors, aliases, merge keys and tags, within limits. */
import {
  type CollectionTag,
  Composer,
  type CST,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type ParsedNode,
  Parser,
  type Scalar,
} from 'yaml';
import { fail, failLimit, type Mark, type Problems } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';
import { resolvePlain } from './scalar.ts';
import { type Budget, checkSize, type Entry, isMapping, type MappingNode, mapping, type Node } from './tree.ts';

export type ParseContext = { readonly limits: Limits; readonly problems: Problems; readonly budget: Budget };

type FileContext = ParseContext & {
  mark(offset: number): Mark;
  readonly anchors: Map<string, Node>;
  aliases: number;
};

/** Fails when a file has more bytes than one may have. */
export function checkBytes(file: string, bytes: number, limits: Limits): void {
  if (bytes > limits.fileBytes) {
    failLimit({ file, line: 1, column: 1 }, 'bytes in one file', limits, 'fileBytes', bytes);
  }
}

/** The document's root, or null for a file without content. Fails on broken YAML and on limits. */
export function parseYaml(file: string, text: string, context: ParseContext): Node | null {
  checkBytes(file, Buffer.byteLength(text), context.limits);
  const { documents, count } = parseDocuments(file, text, context);
  const tree = documents[0]?.() ?? null;
  if (count > 1) fail(documents[1]!().mark, `expected one YAML document, found ${count}`);
  if (tree) checkSize(tree, context.limits);
  return tree;
}

/** Known to the library, or each would make a warning there with a stack trace, which costs more than a job. */
const REFERENCE: CollectionTag = { tag: '!reference', collection: 'seq' };

type Documents = {
  /** The first documents that have content, each read when it is asked for: nobody takes more than three. */
  readonly documents: readonly (() => Node)[];
  readonly count: number;
};

/** The documents of a text, `---` between them. Fails on broken YAML and on limits. */
export function parseDocuments(file: string, text: string, context: ParseContext): Documents {
  const { limits, problems } = context;
  const lines = new LineCounter();
  const mark = (offset: number): Mark => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  const tokens = readTokens(text, lines, mark);
  checkShape(tokens, limits, mark);
  // Own scalar rules, own duplicate check: the library's compares every pair of keys.
  const composer = new Composer({
    ...{ schema: 'failsafe', uniqueKeys: false, merge: false, keepSourceTokens: false },
    customTags: [REFERENCE],
  });
  const documents = [...composer.compose(tokens)];
  const [first, ...others] = documents.flatMap((document) => document.errors);
  for (const error of others.slice(0, MOST_ERRORS))
    problems.error(mark(error.pos[0]), `invalid YAML: ${firstLine(error.message)}`);
  if (first) fail(mark(first.pos[0]), `invalid YAML: ${firstLine(first.message)}`);
  const roots = documents.flatMap(({ contents }) => (contents && !isEmpty(contents) ? [contents] : []));
  const documentsOf = roots.slice(0, 3).map((root) => () => {
    return convert(root, { ...context, mark, anchors: new Map(), aliases: 0 });
  });
  return { documents: documentsOf, count: roots.length };
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0]!.replace(/:$/, '');
}

function isEmpty(node: ParsedNode): boolean {
  return (
    isScalar(node) && (node.value === null || node.value === '') && (node.type ?? 'PLAIN') === 'PLAIN' && !node.tag
  );
}

// An error costs far more than a value; a file with this many is no YAML at all.
const MOST_ERRORS = 20;

function readTokens(text: string, lines: LineCounter, mark: (offset: number) => Mark): CST.Token[] {
  const tokens: CST.Token[] = [];
  const errors: CST.ErrorToken[] = [];
  for (const token of new Parser(lines.addNewLine).parse(text)) {
    if (token.type === 'error' && errors.push(token) > MOST_ERRORS) {
      const { offset, message } = errors[0]!;
      fail(mark(offset), `invalid YAML: ${firstLine(message)}`);
    }
    tokens.push(token);
  }
  return tokens;
}

/** Deep nesting would overflow the stack of every recursive step that follows; this one is not recursive. */
function checkShape(tokens: readonly CST.Token[], limits: Limits, mark: (offset: number) => Mark): void {
  // Side by side: an object for each token would be most of what this costs.
  const stack: CST.Token[] = [...tokens];
  const depths = stack.map(() => 0);
  const push = (token: CST.Token, depth: number): void => {
    stack.push(token);
    depths.push(depth);
  };
  let values = 0;
  for (let token = stack.pop(); token; token = stack.pop()) {
    const depth = depths.pop() ?? 0;
    const at = 'offset' in token ? token.offset : 0;
    if (depth > limits.depth) failLimit(mark(at), 'levels of nesting', limits, 'depth', depth);
    checkExtras(token, mark);
    if (token.type === 'document') {
      if (token.value) push(token.value, depth);
    } else if ('items' in token) {
      values += token.items.length;
      if (values > limits.nodes) failLimit(mark(at), 'values in one file', limits, 'nodes', values);
      for (const item of token.items) {
        countExtras(item.start, mark);
        if (item.key) push(item.key, depth + 1);
        if (item.value) push(item.value, depth + 1);
      }
    }
  }
}

/** What stands before and behind a value; each anchor, tag or value too many there would be an error of its own. */
function checkExtras(token: CST.Token, mark: (offset: number) => Mark): void {
  if ('start' in token && Array.isArray(token.start)) countExtras(token.start, mark);
  if ('end' in token && token.end) countExtras(token.end, mark);
}

function countExtras(extras: readonly CST.SourceToken[], mark: (offset: number) => Mark): void {
  if (extras.length <= MOST_ERRORS) return;
  const odd = extras.filter(({ type }) => type !== 'space' && type !== 'newline' && type !== 'comment');
  if (odd.length > MOST_ERRORS) fail(mark(odd[0]!.offset), 'invalid YAML: too much around one value');
}

function convert(node: ParsedNode, context: FileContext): Node {
  const mark = context.mark(node.range[0]);
  if (isAlias(node)) {
    context.aliases++;
    if (context.aliases > context.limits.aliases) {
      failLimit(mark, 'aliases in one file', context.limits, 'aliases', context.aliases);
    }
    // An anchor is known once its value is complete, so a value cannot contain itself.
    return context.anchors.get(node.source) ?? fail(mark, `unknown alias *${node.source}`);
  }
  const result = convertValue(node, mark, context);
  if (node.anchor) context.anchors.set(node.anchor, result);
  return result;
}

function convertValue(
  node: Exclude<ParsedNode, { source: string; resolve: unknown }>,
  mark: Mark,
  context: FileContext,
): Node {
  if (isMap(node)) return convertMapping(node, mark, context);
  if (isSeq(node)) {
    if (node.tag !== '!reference') {
      return { kind: 'sequence', mark, items: node.items.map((item) => convert(item as ParsedNode, context)) };
    }
    const items = node.items.map((item) => convert(item as ParsedNode, context));
    const path = items.flatMap((item) => (item.kind === 'scalar' && item.value !== null ? [item.text] : []));
    if (items.length === 0 || path.length !== items.length) fail(mark, '!reference must be a list of strings');
    return { kind: 'reference', mark, path };
  }
  if (!isScalar(node)) return fail(mark, 'unexpected value');
  if (node.tag === '!reference') fail(mark, '!reference must be a list of strings');
  const source = typeof node.value === 'string' ? node.value : '';
  const plain = (node.type ?? 'PLAIN') === 'PLAIN' && !isStringTag(node.tag);
  if (plain) return { kind: 'scalar', mark, ...resolvePlain(source) };
  return { kind: 'scalar', mark, value: source, text: source };
}

function isStringTag(tag: string | undefined): boolean {
  return tag === '!' || tag === 'tag:yaml.org,2002:str';
}

type MapNode = Extract<ParsedNode, { items: { key: unknown }[] }>;

function convertMapping(node: MapNode, mark: Mark, context: FileContext): MappingNode {
  const entries = new Map<string, Entry>();
  const own = new Set<string>();
  for (const pair of node.items as readonly { key: ParsedNode; value: ParsedNode | null }[]) {
    const keyMark = pair.key ? context.mark(pair.key.range[0]) : mark;
    const value: Node = pair.value
      ? convert(pair.value, context)
      : { kind: 'scalar', mark: keyMark, value: null, text: '' };
    if (isMergeKey(pair.key)) {
      // The ecosystem merges where the key stands: keys before it are replaced, keys after it win.
      for (const [key, entry] of mergeSources(value, keyMark, context)) entries.set(key, entry);
      continue;
    }
    const key = keyText(pair.key, keyMark, context);
    if (own.has(key)) context.problems.warn(keyMark, `duplicate key ${key}: the last one counts`);
    own.add(key);
    entries.set(key, { keyMark, value });
  }
  return mapping(mark, entries);
}

function isMergeKey(key: ParsedNode | null): boolean {
  return isScalar(key) && key.value === '<<' && key.type === 'PLAIN';
}

/** What a key is called. The ecosystem reads `:script:` as a symbol, which names the same thing as `script:`. */
function keyName(key: Scalar): string {
  const text = String(key.value ?? '');
  return key.type === 'PLAIN' && /^:[a-z_]/i.test(text) ? text.slice(1) : text;
}

function keyText(key: ParsedNode | null, mark: Mark, context: FileContext): string {
  if (isScalar(key)) {
    const text = keyName(key);
    if (key.anchor) context.anchors.set(key.anchor, { kind: 'scalar', mark, value: text, text });
    return text;
  }
  const value = key ? convert(key, context) : null;
  return value?.kind === 'scalar' ? value.text : fail(mark, 'a key must be a string');
}

function mergeSources(value: Node, mark: Mark, context: FileContext): Map<string, Entry> {
  const sources = value.kind === 'sequence' ? [...value.items].reverse() : [value];
  const merged = new Map<string, Entry>();
  for (const source of sources) {
    if (!isMapping(source)) return fail(mark, 'the merge key << needs a hash or a list of hashes');
    context.budget.spend(source.entries.size, mark);
    for (const [key, entry] of source.entries) merged.set(key, entry);
  }
  return merged;
}
