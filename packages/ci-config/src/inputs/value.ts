/** Values of inputs: nodes of the tree, whether they come from a file or from outside. */
import { failLimit, type Mark } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';
import { type Entry, mapping, type Node, type ScalarNode } from '../yaml/tree.ts';

export type InputType = 'string' | 'number' | 'boolean' | 'array';
export const INPUT_TYPES: readonly InputType[] = ['string', 'number', 'boolean', 'array'];

export function scalar(mark: Mark, value: ScalarNode['value']): ScalarNode {
  return { kind: 'scalar', mark, value, text: value === null ? '' : String(value) };
}

/** A value of JSON as a node. */
export function nodeOf(value: unknown, mark: Mark, limits: Limits, depth = 0): Node {
  if (depth > limits.depth) failLimit(mark, 'levels of nesting', limits, 'depth', depth);
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return scalar(mark, value);
  if (Array.isArray(value)) {
    return { kind: 'sequence', mark, items: value.map((item) => nodeOf(item, mark, limits, depth + 1)) };
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).map(([key, item]): [string, Entry] => [
      key,
      { keyMark: mark, value: nodeOf(item, mark, limits, depth + 1) },
    ]);
    return mapping(mark, new Map(entries));
  }
  return scalar(mark, null);
}

/** As JSON writes it; what a list looks like in the middle of a text. */
export function jsonOf(node: Node): string {
  switch (node.kind) {
    case 'scalar':
      return typeof node.value === 'number' ? node.text : JSON.stringify(node.value);
    case 'sequence':
      return `[${node.items.map(jsonOf).join(',')}]`;
    case 'mapping':
      return `{${[...node.entries].map(([key, { value }]) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(',')}}`;
    case 'reference':
      return JSON.stringify(node.path);
  }
}

/** In the middle of a text. */
export function textIn(node: Node): string {
  return node.kind === 'scalar' ? node.text : jsonOf(node);
}

/**
 * A value in the type of its input; null when it is of another. What is given as text is read as JSON where the type
 * is not text, because push options and forms have nothing else.
 */
export function coerced(node: Node, type: InputType, limits: Limits): Node | null {
  if (type === 'string') return node.kind === 'scalar' ? scalar(node.mark, node.text) : null;
  const value = node.kind === 'scalar' && typeof node.value === 'string' ? parsed(node, limits) : node;
  if (type === 'array') return value.kind === 'sequence' ? value : null;
  return value.kind === 'scalar' && typeof value.value === type ? value : null;
}

function parsed(node: ScalarNode, limits: Limits): Node {
  try {
    return nodeOf(JSON.parse(node.text), node.mark, limits);
  } catch (error) {
    if (error instanceof SyntaxError) return node;
    throw error;
  }
}

export function hasReference(node: Node): boolean {
  if (node.kind === 'reference') return true;
  if (node.kind === 'sequence') return node.items.some(hasReference);
  return node.kind === 'mapping' && [...node.entries.values()].some(({ value }) => hasReference(value));
}
