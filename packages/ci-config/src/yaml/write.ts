/** Tree -> YAML text, for showing the expanded configuration. */
import { Scalar, stringify } from 'yaml';
import type { MappingNode, Node } from './tree.ts';

// Maps and not objects: `__proto__` is a key like any other.
function toValue(node: Node): unknown {
  if (node.kind === 'scalar') return typeof node.value === 'number' ? numberNode(node.value, node.text) : node.value;
  if (node.kind === 'sequence') return node.items.map(toValue);
  if (node.kind === 'reference') return node.path;
  return new Map([...node.entries].map(([key, entry]) => [keyNode(key), toValue(entry.value)]));
}

// A plain key with a colon in front would come back as a symbol, without it.
function keyNode(key: string): unknown {
  if (!key.startsWith(':')) return key;
  const scalar = new Scalar(key);
  scalar.type = 'QUOTE_DOUBLE';
  return scalar;
}

// A whole number that was written as 2.0 would come back as 2.
function numberNode(value: number, text: string): unknown {
  if (!text.endsWith('.0')) return value;
  const scalar = new Scalar(value);
  scalar.minFractionDigits = 1;
  return scalar;
}

/** The configuration as YAML, aliases written out, quoted so that readers of YAML 1.1 and 1.2 see the same values. */
export function writeYaml(root: MappingNode): string {
  return stringify(toValue(root), {
    aliasDuplicateObjects: false,
    lineWidth: 0,
    version: '1.1',
    // Its ordered map claims every Map.
    customTags: (tags) => tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:omap'),
  });
}
