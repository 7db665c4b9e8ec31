/** Our schemas as the document shows them: without our own keys, named objects as components. */

export type Node = Record<string, unknown>;

const internalKeys = new Set([
  'x-parse',
  'x-commas',
  'x-scalar',
  'x-nullable',
  'x-id-or-path',
  'x-aside',
  '~kind',
  '~optional',
  '~unsafe',
  '~readonly',
  '~hint',
]);

const isObjectType = (type: unknown) => type === 'object' || (Array.isArray(type) && type.includes('object'));

/** The description and the like stay next to a schema that is written in another way. */
const aside = ({ description, deprecated, default: fallback }: Node): Node => ({
  ...(description === undefined ? {} : { description }),
  ...(deprecated === undefined ? {} : { deprecated }),
  ...(fallback === undefined ? {} : { default: fallback }),
});

/** Copies a schema without our own keys; named objects move to the components and are referenced. */
export function publish(schema: unknown, components: Map<string, Node>): unknown {
  if (Array.isArray(schema)) return schema.map((item) => publish(item, components));
  if (typeof schema !== 'object' || schema === null) return schema;
  const node = schema as Node;
  const copy: Node = {};
  for (const [key, value] of Object.entries(node)) if (!internalKeys.has(key)) copy[key] = publish(value, components);
  if (node['x-nullable'] && typeof node.type === 'string') {
    copy.type = [node.type, 'null'];
    if (Array.isArray(node.enum)) copy.enum = [...node.enum, null];
  }
  if (node['x-id-or-path']) return { ...aside(node), oneOf: [{ type: 'integer' }, { type: 'string' }] };
  if (node['x-scalar'] && node.items) {
    const { description: _, ...list } = copy;
    return { ...aside(node), oneOf: [publish(node.items, components), list] };
  }
  // Free keys of one type: the pattern that matches every key says nothing.
  if (isObjectType(copy.type) && copy.patternProperties && !copy.properties) {
    const [values] = Object.values(copy.patternProperties as Node);
    copy.additionalProperties = values;
    delete copy.patternProperties;
  }
  const title = node.title;
  if (typeof title !== 'string' || !isObjectType(node.type)) return copy;
  const nullable = Array.isArray(node.type);
  const { title: _, ...rest } = copy;
  const named: Node = { title, ...(nullable ? { ...rest, type: 'object' } : rest) };
  const existing = components.get(title);
  if (existing && JSON.stringify(existing) !== JSON.stringify(named))
    throw new Error(`two different schemas are named ${title}`);
  components.set(title, named);
  const reference = { $ref: `#/components/schemas/${title}` };
  return nullable ? { ...aside((node['x-aside'] ?? {}) as Node), oneOf: [reference, { type: 'null' }] } : reference;
}
