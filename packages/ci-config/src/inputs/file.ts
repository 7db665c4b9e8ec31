/** A file as it was written: its header, its content, and the blocks that wait for values. */
import { fail } from '../diagnostics.ts';
import { checkBytes, type ParseContext, parseDocuments } from '../yaml/parse.ts';
import { checkSize, isMapping, type MappingNode, mapping, type Node } from '../yaml/tree.ts';
import { knownFile } from './known-files.ts';
import { componentFacts, headerInclude, type InputSpec, readIncludedSpecs, readSpec } from './spec.ts';
import { type Template, templateOf } from './template.ts';

export type ParsedFile = {
  /** Null for a file without a header: its blocks are text like any other. */
  readonly specs: readonly InputSpec[] | null;
  /** What the header includes: files that declare inputs, too. */
  readonly include: Node | null;
  /** What the header asks for of the component that the file is. */
  readonly component: readonly string[];
  /** Null for a file without content. */
  readonly root: Node | null;
  readonly template: Template;
  /** The values that hold blocks somewhere: only these are ever copied. */
  readonly open: ReadonlySet<Node>;
};

/** Fails on broken YAML, on limits, and on a header that is wrong. */
export const parseFile = (file: string, text: string, context: ParseContext): ParsedFile =>
  knownFile(file, text, context, (own) => readFile(file, text, own));

function readFile(file: string, text: string, context: ParseContext): ParsedFile {
  checkBytes(file, Buffer.byteLength(text), context.limits);
  const template = templateOf(file, text, context.limits);
  const problems = template.restoring(context.problems);
  return template.guard(() => {
    const { documents, count } = parseDocuments(file, template.text, { ...context, problems });
    const first = documents[0]?.() ?? null;
    const head = first && isMapping(first) && first.entries.has('spec') ? first : null;
    if (!head || count === 1) {
      if (count > 1) fail(documents[1]!().mark, `expected one YAML document, found ${count}`);
      return { specs: null, include: null, component: [], ...contentOf(first, template, context) };
    }
    const root = documents[1]!();
    if (count > 2) fail(documents[2]!().mark, `expected a header and one YAML document, found ${count}`);
    const restored = asWritten(head, template) as MappingNode;
    const before = context.problems.errors.length;
    const specs = readSpec(restored, context);
    if (!specs) fail(...lastOf(context, before, restored));
    const include = headerInclude(restored) ?? null;
    return { specs, include, component: componentFacts(restored), ...contentOf(root, template, context) };
  });
}

/** The inputs that a file declares for headers that include it. Fails like `parseFile`. */
export function parseSpecFile(file: string, text: string, context: ParseContext): readonly InputSpec[] {
  checkBytes(file, Buffer.byteLength(text), context.limits);
  const template = templateOf(file, text, context.limits);
  const problems = template.restoring(context.problems);
  return template.guard(() => {
    const { documents, count } = parseDocuments(file, template.text, { ...context, problems });
    const root = documents[0]?.() ?? null;
    if (count > 1) fail(documents[1]!().mark, `expected one YAML document, found ${count}`);
    if (!root || !isMapping(root))
      return fail(root?.mark ?? { file, line: 1, column: 1 }, `Included file \`${file}\` does not declare inputs!`);
    const restored = asWritten(root, template) as MappingNode;
    const before = context.problems.errors.length;
    return readIncludedSpecs(restored, context) ?? fail(...lastOf(context, before, restored));
  });
}

/** What was reported of the header already; a failure of the same words is shown once. */
function lastOf({ problems }: ParseContext, before: number, head: Node): Parameters<typeof fail> {
  const error = problems.errors[before] ?? problems.errors.at(-1);
  return error ? [error, error.message] : [head.mark, 'the header is wrong'];
}

function contentOf(
  root: Node | null,
  template: Template,
  { limits }: ParseContext,
): Omit<ParsedFile, 'specs' | 'include' | 'component'> {
  if (root) checkSize(root, limits);
  return { root, template, open: root ? openValues(root, template) : new Set() };
}

function openValues(root: Node, template: Template): Set<Node> {
  if (!template.has(template.text)) return new Set();
  const known = new Map<Node, boolean>();
  const visit = (node: Node): boolean => {
    const before = known.get(node);
    if (before !== undefined) return before;
    let open = false;
    if (node.kind === 'scalar') open = template.has(node.text);
    else if (node.kind === 'reference') open = node.path.some(template.has);
    else if (node.kind === 'sequence') for (const item of node.items) open = visit(item) || open;
    else for (const [key, { value }] of node.entries) open = visit(value) || template.has(key) || open;
    known.set(node, open);
    return open;
  };
  visit(root);
  return new Set([...known].flatMap(([node, open]) => (open ? [node] : [])));
}

/** A header's conditions name inputs in blocks: there they are read as they stand. */
function asWritten(node: Node, template: Template): Node {
  if (node.kind === 'scalar') {
    if (!template.has(node.text)) return node;
    const text = template.restore(node.text);
    return { ...node, value: text, text };
  }
  if (node.kind === 'sequence') return { ...node, items: node.items.map((item) => asWritten(item, template)) };
  if (node.kind === 'reference') return node;
  return mapping(
    node.mark,
    new Map(
      [...node.entries].map(([key, { keyMark, value }]) => [
        template.restore(key),
        { keyMark, value: asWritten(value, template) },
      ]),
    ),
  );
}
