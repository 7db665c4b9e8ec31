/** Values out of nodes that a schema has accepted. */
import { parseDuration } from '../duration.ts';
import { field, isMapping, isNull, type Node } from '../yaml/tree.ts';
import { flatItems } from './schema.ts';

export function textOf(node: Node | undefined): string | null {
  return node?.kind === 'scalar' && node.value !== null ? node.text : null;
}

export function textsOf(node: Node | undefined): string[] {
  if (!node) return [];
  const items = flatItems(node) ?? [node];
  return items.flatMap((item) => textOf(item) ?? []);
}

export function booleanOf(node: Node | undefined): boolean | null {
  return node?.kind === 'scalar' && typeof node.value === 'boolean' ? node.value : null;
}

export function numberOf(node: Node | undefined): number | null {
  return node?.kind === 'scalar' && typeof node.value === 'number' ? node.value : null;
}

export function secondsOf(node: Node | undefined): number | null {
  const text = textOf(node);
  return text === null ? null : parseDuration(text);
}

export function numbersOf(node: Node | undefined): number[] {
  const items = node ? (flatItems(node) ?? [node]) : [];
  return items.flatMap((item) => numberOf(item) ?? []);
}

/** The entries of a hash whose values are not null. */
export function entriesOf(node: Node | undefined): [key: string, value: Node][] {
  if (!isMapping(node)) return [];
  return [...node.entries].flatMap(([key, { value }]) => (isNull(value) ? [] : [[key, value] as [string, Node]]));
}

export { field };
