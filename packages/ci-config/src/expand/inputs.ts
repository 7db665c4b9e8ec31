/** Pass: inputs. A file's blocks are replaced by the values that its inputs have in one use of the file. */
import { CompileFailure, fail, failLimit, type Mark } from '../diagnostics.ts';
import { valueOfBlock } from '../inputs/access.ts';
import type { ParsedFile } from '../inputs/file.ts';
import type { ExpandVariables } from '../inputs/functions.ts';
import type { Block } from '../inputs/template.ts';
import { textIn } from '../inputs/value.ts';
import { type Given, inputValues } from '../inputs/values.ts';
import type { ParseContext } from '../yaml/parse.ts';
import { checkSize, type Entry, mapping, type Node } from '../yaml/tree.ts';

/** Bytes of text that interpolation has made, over a whole compilation. */
export type InterpolationUse = { bytes: number };
export type InputContext = ParseContext & { readonly expand: ExpandVariables; readonly use: InterpolationUse };

/**
 * The content of a file with these values; null for a file without content. Fails on values that do not fit, unless it is
 * `lenient`: then these are empty.
 */
export function applyInputs(
  file: ParsedFile,
  given: Given,
  context: InputContext,
  entry: Mark,
  lenient = false,
): Node | null {
  const { problems, limits } = context;
  const { specs, root, template } = file;
  if (!specs) {
    if (given.values.size > 0) {
      fail(given.mark ?? entry, 'Given inputs not defined in the `spec` section of the included configuration file');
    }
    return root && substitute(root, file, () => null, context);
  }
  const before = problems.errors.length;
  const values = new Map<string, Node>();
  if (!inputValues(specs, given, context, values) && !lenient) return rethrow(context, before);
  const facts = new Map([...(given.component ?? [])].filter(([name]) => file.component.includes(name)));
  const known = new Map<string, Node | null>();
  const valueAt = (block: Block): Node | null => {
    const seen = known.get(block.source);
    if (seen !== undefined) return seen;
    const result = valueOfBlock(block.data, values, facts, context.expand);
    if (typeof result === 'string' && result !== 'skip') problems.error(block.mark, result);
    const value = typeof result === 'string' ? null : result;
    known.set(block.source, value);
    return value;
  };
  const result = root && template.guard(() => substitute(root, file, valueAt, context));
  if (problems.errors.length > before && !lenient) return rethrow(context, before);
  if (result) checkSize(result, limits);
  return result;
}

/** Ends the compilation with what was reported; the same words are shown once. */
function rethrow({ problems }: InputContext, before: number): never {
  throw new CompileFailure(problems.errors[before] ?? problems.errors.at(-1)!);
}

/** A block without a value stays as it is written. */
function substitute(
  root: Node,
  { template, open }: ParsedFile,
  valueAt: (block: Block) => Node | null,
  { limits, budget, use, problems }: InputContext,
): Node {
  const done = new Map<Node, Node>();

  const text = (part: string, mark: Mark): string =>
    template.replace(part, (block) => {
      const value = valueAt(block);
      const result = value ? textIn(value) : block.source;
      use.bytes += result.length;
      if (use.bytes > limits.expandedBytes) {
        failLimit(mark, 'bytes of interpolated text', limits, 'expandedBytes', use.bytes);
      }
      return result;
    });
  const scalar = (node: Extract<Node, { kind: 'scalar' }>): Node => {
    const block = template.whole(node.text);
    const value = block && valueAt(block);
    if (value) return { ...value, mark: node.mark };
    const written = text(node.text, node.mark);
    return { ...node, value: written, text: written };
  };
  const visit = (node: Node): Node => {
    if (!open.has(node)) return node;
    const before = done.get(node);
    if (before) return before;
    const result = replaced(node);
    done.set(node, result);
    return result;
  };
  const replaced = (node: Node): Node => {
    switch (node.kind) {
      case 'scalar':
        return scalar(node);
      case 'reference':
        return { ...node, path: node.path.map((part) => text(part, node.mark)) };
      case 'sequence':
        budget.spend(node.items.length, node.mark);
        return { ...node, items: node.items.map(visit) };
      case 'mapping': {
        budget.spend(node.entries.size, node.mark);
        const entries = new Map<string, Entry>();
        for (const [key, { keyMark, value }] of node.entries) {
          const name = text(key, keyMark);
          if (entries.has(name)) problems.warn(keyMark, `duplicate key ${name}: the last one counts`);
          entries.set(name, { keyMark, value: visit(value) });
        }
        return mapping(node.mark, entries);
      }
    }
  };
  return visit(root);
}
