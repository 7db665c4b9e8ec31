/** The configuration as a tree of values that know their place. Aliases share their value: the tree is a graph. */
import { failLimit, type Mark } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';

export type ScalarNode = {
  readonly kind: 'scalar';
  readonly mark: Mark;
  readonly value: string | number | boolean | null;
  /** The value as text, the way the ecosystem prints it (`1.0`, `true`); empty for null. */
  readonly text: string;
};
type SequenceNode = { readonly kind: 'sequence'; readonly mark: Mark; readonly items: readonly Node[] };
export type Entry = { readonly keyMark: Mark; readonly value: Node };
export type MappingNode = {
  readonly kind: 'mapping';
  readonly mark: Mark;
  readonly entries: ReadonlyMap<string, Entry>;
};
/** `!reference [job, key, ...]`, until the pass that resolves it. */
export type ReferenceNode = { readonly kind: 'reference'; readonly mark: Mark; readonly path: readonly string[] };
export type Node = ScalarNode | SequenceNode | MappingNode | ReferenceNode;

export function mapping(mark: Mark, entries: ReadonlyMap<string, Entry> = new Map()): MappingNode {
  return { kind: 'mapping', mark, entries };
}

export function isNull(node: Node): boolean {
  return node.kind === 'scalar' && node.value === null;
}

export function isMapping(node: Node | undefined): node is MappingNode {
  return node?.kind === 'mapping';
}

/** The value under a key; undefined when it is absent or null, which the ecosystem treats alike. */
export function field(node: Node | undefined, key: string): Node | undefined {
  const value = isMapping(node) ? node.entries.get(key)?.value : undefined;
  return value && !isNull(value) ? value : undefined;
}

/** Counts keys copied while merging, so that large bases extended many times end in an error and not in minutes. */
export type Budget = { spend(keys: number, mark: Mark): void };

export function mergeBudget(limits: Limits): Budget {
  let spent = 0;
  return {
    spend: (keys, mark) => {
      spent += keys;
      if (spent > limits.mergedKeys) {
        failLimit(mark, 'keys copied by extends, merge keys and include', limits, 'mergedKeys', spent);
      }
    },
  };
}

/** `over` on top of `base`: mappings merge key by key, everything else is replaced. */
export function deepMerge(base: MappingNode, over: MappingNode, budget: Budget): MappingNode {
  if (base.entries.size === 0) return over;
  budget.spend(base.entries.size + over.entries.size, over.mark);
  const entries = new Map(base.entries);
  for (const [key, entry] of over.entries) {
    const below = entries.get(key)?.value;
    const value = isMapping(below) && isMapping(entry.value) ? deepMerge(below, entry.value, budget) : entry.value;
    entries.set(key, value === entry.value ? entry : { keyMark: entry.keyMark, value });
  }
  return mapping(over.mark, entries);
}

type Weight = { readonly nodes: number; readonly bytes: number; readonly depth: number };

function weigh(node: Node, known: Map<Node, Weight>): Weight {
  // Most values are these: a weight costs less than to look for one.
  if (node.kind === 'scalar') return { nodes: 1, bytes: node.text.length, depth: 1 };
  const before = known.get(node);
  if (before) return before;
  let nodes = 1;
  let bytes = 0;
  let depth = 0;
  const add = (child: Node): void => {
    const weight = weigh(child, known);
    nodes += weight.nodes;
    bytes += weight.bytes;
    depth = Math.max(depth, weight.depth);
  };
  if (node.kind === 'sequence') for (const item of node.items) add(item);
  else if (node.kind === 'mapping') {
    for (const [key, entry] of node.entries) {
      bytes += key.length;
      add(entry.value);
    }
  }
  const weight = { nodes, bytes, depth: depth + 1 };
  known.set(node, weight);
  return weight;
}

/** Fails when the tree, with every shared value counted as often as it is used, exceeds a limit; costs one visit each. */
export function checkSize(node: Node, limits: Limits): void {
  const { nodes, bytes, depth } = weigh(node, new Map());
  if (depth > limits.depth + 1) failLimit(node.mark, 'levels of nesting', limits, 'depth', depth - 1);
  if (nodes > limits.nodes) failLimit(node.mark, 'values in the expanded configuration', limits, 'nodes', nodes);
  if (bytes > limits.expandedBytes) {
    failLimit(node.mark, 'bytes in the expanded configuration', limits, 'expandedBytes', bytes);
  }
}
