/** Pass: `extends`. Each job is laid over the jobs that it extends. */
import { fail, type Mark } from '../diagnostics.ts';
import type { Limits } from '../limits.ts';
import {
  type Budget,
  deepMerge,
  type Entry,
  field,
  isMapping,
  type MappingNode,
  mapping,
  type Node,
} from '../yaml/tree.ts';

type Extended = { readonly node: MappingNode; readonly depth: number };

// Their keys are names that people choose, not keywords.
const NOT_JOBS = new Set(['variables', 'include', 'stages']);

/** The root with every `extends` applied; the keyword itself stays for people who read the merged configuration. */
export function applyExtends(root: MappingNode, limits: Limits, budget: Budget): MappingNode {
  const done = new Map<string, Extended>();
  const open = new Set<string>();

  const resolve = (name: string, entry: Entry, node: MappingNode): Extended => {
    const before = done.get(name);
    if (before) return before;
    const extension = NOT_JOBS.has(name) ? undefined : field(node, 'extends');
    if (!extension) return remember(name, { node, depth: 0 });
    if (open.has(name)) fail(extension.mark, `${name}: circular dependency detected in \`extends\``);
    open.add(name);
    let merged = mapping(entry.keyMark);
    let depth = 0;
    for (const base of baseNames(extension, name)) {
      const baseEntry = root.entries.get(base.name);
      if (!baseEntry) fail(base.mark, `${name}: unknown keys in \`extends\` (${base.name})`);
      if (!isMapping(baseEntry.value)) fail(base.mark, `${name}: invalid base hashes in \`extends\` (${base.name})`);
      if (open.size > limits.extendsDepth) tooDeep(base.mark, name, limits);
      const extended = resolve(base.name, baseEntry, baseEntry.value);
      depth = Math.max(depth, extended.depth + 1);
      merged = deepMerge(merged, extended.node, budget);
    }
    if (depth > limits.extendsDepth) tooDeep(extension.mark, name, limits);
    open.delete(name);
    return remember(name, { node: mapping(node.mark, deepMerge(merged, node, budget).entries), depth });
  };
  const remember = (name: string, extended: Extended): Extended => {
    done.set(name, extended);
    return extended;
  };

  const entries = new Map<string, Entry>();
  for (const [name, entry] of root.entries) {
    const value = isMapping(entry.value) ? resolve(name, entry, entry.value).node : entry.value;
    entries.set(name, { keyMark: entry.keyMark, value });
  }
  return mapping(root.mark, entries);
}

function tooDeep(mark: Mark, name: string, limits: Limits): never {
  fail(mark, `${name}: nesting too deep in \`extends\`, and the limit extendsDepth is ${limits.extendsDepth}`);
}

function baseNames(extension: Node, job: string): { name: string; mark: Mark }[] {
  const nodes = extension.kind === 'sequence' ? extension.items : [extension];
  return nodes.map((node) => {
    if (node.kind !== 'scalar' || typeof node.value !== 'string') {
      return fail(node.mark, `jobs:${job}:extends config should be an array of strings or a string`);
    }
    return { name: node.value, mark: node.mark };
  });
}
