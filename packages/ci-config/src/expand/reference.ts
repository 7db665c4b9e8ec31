/** Pass: `!reference`. Each is replaced by the value at its path, which may hold references itself. */
import { fail } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';
import {
  type Entry,
  isMapping,
  isNull,
  type MappingNode,
  mapping,
  type Node,
  type ReferenceNode,
} from '../yaml/tree.ts';

/** The root without references. Values used in several places are resolved once and stay shared. */
export function resolveReferences(root: MappingNode, limits: Limits): MappingNode {
  const done = new Map<Node, Node>();
  const open: string[] = [];

  const resolve = (node: Node): Node => {
    if (node.kind === 'scalar') return node;
    const before = done.get(node);
    if (before) return before;
    const result = node.kind === 'reference' ? follow(node) : resolveChildren(node, resolve);
    done.set(node, result);
    return result;
  };

  const follow = (reference: ReferenceNode): Node => {
    const shown = `!reference ${JSON.stringify(reference.path)}`;
    if (open.includes(shown)) fail(reference.mark, `${shown} is part of a circular chain`);
    if (open.length >= limits.referenceDepth) {
      fail(reference.mark, `${shown} is nested too deep, and the limit referenceDepth is ${limits.referenceDepth}`);
    }
    open.push(shown);
    let node: Node = root;
    for (const key of reference.path) {
      if (node.kind === 'reference') node = resolve(node);
      const next: Node | undefined = isMapping(node) ? node.entries.get(key)?.value : undefined;
      if (!next || isNull(next)) return fail(reference.mark, `${shown} could not be found`);
      node = next;
    }
    const result = resolve(node);
    open.pop();
    return result;
  };

  return resolveChildren(root, resolve);
}

function resolveChildren<T extends Node>(node: T, resolve: (child: Node) => Node): T;
function resolveChildren(node: Node, resolve: (child: Node) => Node): Node {
  if (node.kind === 'sequence') {
    const items = node.items.map(resolve);
    return items.every((item, index) => item === node.items[index]) ? node : { ...node, items };
  }
  if (node.kind !== 'mapping') return node;
  let changed = false;
  const entries = new Map<string, Entry>();
  for (const [key, entry] of node.entries) {
    const value = resolve(entry.value);
    changed ||= value !== entry.value;
    entries.set(key, value === entry.value ? entry : { keyMark: entry.keyMark, value });
  }
  return changed ? mapping(node.mark, entries) : node;
}
