/** What a block stands for: `inputs.name`, `component.sha`, an item of a list, and functions of it. */
import type { Node } from '../yaml/tree.ts';
import { applyFunctions, type ExpandVariables } from './functions.ts';

const LONGEST = 1_024;
const MOST_FUNCTIONS = 3;
const MOST_INDICES = 5;

/** The value of a block's text, why it has none, or `skip` for what is replaced elsewhere. */
export function valueOfBlock(
  data: string,
  inputs: ReadonlyMap<string, Node>,
  component: ReadonlyMap<string, Node>,
  expand: ExpandVariables,
): Node | string | 'skip' {
  const [access = '', ...functions] = data.split('|').map((part) => part.trim());
  const [context, ...path] = access.split('.');
  // Of `needs:parallel:matrix`: known when jobs are.
  if (context === 'matrix') return 'skip';
  if (Buffer.byteLength(access) > LONGEST) return 'maximum interpolation expression size exceeded';
  if (path.length === 0) return 'invalid pattern used for interpolation. valid pattern is $[[ inputs.input ]]';
  const values = context === 'inputs' ? inputs : context === 'component' ? component : null;
  if (values === null) return `unknown interpolation provided: \`${context}\` in \`${access}\``;
  const value = find(path, access, values);
  if (typeof value === 'string') return value;
  if (functions.length > MOST_FUNCTIONS) return 'too many functions in interpolation block';
  return applyFunctions(value, functions, expand);
}

function find(path: readonly string[], access: string, inputs: ReadonlyMap<string, Node>): Node | string {
  // A dot may be part of an input's name; a path into a value goes through hashes.
  const whole = inputs.get(path.join('.'));
  if (whole) return whole;
  let node: Node | undefined;
  for (const [index, segment] of path.entries()) {
    const [, key = segment, indices = ''] = /^([^[\]]*)((?:\[\d+\])+)$/.exec(segment) ?? [];
    if (key.includes('[') || key.includes(']')) return badIndex(segment, access);
    if (key === '') return `invalid indexed access without a key in \`${access}\``;
    const next: Node | undefined = index === 0 ? inputs.get(key) : childOf(node, key);
    if (!next) return `unknown interpolation provided: \`${key}\` in \`${access}\``;
    const item = itemOf(next, indices, access);
    if (typeof item === 'string') return item;
    node = item;
  }
  return node ?? `unknown interpolation provided: \`\` in \`${access}\``;
}

function childOf(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === 'mapping' ? node.entries.get(key)?.value : undefined;
}

function itemOf(node: Node, written: string, access: string): Node | string {
  const indices = [...written.matchAll(/\d+/g)].map(([digits]) => Number(digits));
  if (indices.length > MOST_INDICES) {
    return `too many array indices in \`${access}\` (maximum depth: ${MOST_INDICES})`;
  }
  let current = node;
  for (const index of indices) {
    if (current.kind !== 'sequence') return `cannot index into non-array value at [${index}] in \`${access}\``;
    const item = current.items[index];
    if (!item) return `array index ${index} out of bounds (size: ${current.items.length}) in \`${access}\``;
    current = item;
  }
  return current;
}

function badIndex(segment: string, access: string): string {
  const opening = segment.split('[').length;
  if (opening !== segment.split(']').length) return `invalid array index in \`${access}\`: missing closing bracket`;
  const [, wrong] = [...segment.matchAll(/\[([^\]]*)\]/g)].find(([, content = '']) => !/^\d+$/.test(content)) ?? [];
  if (wrong !== undefined) return `invalid array index in \`${access}\`: \`${wrong}\` is not a valid index`;
  return `invalid array index syntax in \`${access}\``;
}
