/** Values of expressions: JSON's. How they compare, what counts as true, what they are as text. */

export type Value = null | boolean | number | string | readonly Value[] | { readonly [key: string]: Value };

/** Why an expression has no value, for whoever wrote it. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

export const kindOf = (value: Value): string => (value === null ? 'null' : isList(value) ? 'array' : typeof value);

export function isTrue(value: Value): boolean {
  if (isList(value)) return value.length > 0;
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value);
}

export function textOf(value: Value): string {
  if (value === null) return '<null>';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Negative, zero or positive; values of different kinds have no order, only that they differ. */
export function compared(a: Value, b: Value): number {
  if (kindOf(a) !== kindOf(b)) throw new ExpressionError(`${kindOf(a)} and ${kindOf(b)} have no order`);
  if (a === null || b === null) return 0;
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string));
  if (typeof a !== 'object') return Number(a) - Number(b);
  if (isList(a)) return comparedLists(a, b as readonly Value[]);
  const [ours, theirs] = [a, b as { readonly [key: string]: Value }].map((each) =>
    Object.entries(each).sort(([one], [other]) => compared(one, other)),
  ) as [[string, Value][], [string, Value][]];
  return (
    ours.length - theirs.length ||
    comparedLists(
      ours.map(([key]) => key),
      theirs.map(([key]) => key),
    ) ||
    comparedLists(
      ours.map(([, value]) => value),
      theirs.map(([, value]) => value),
    )
  );
}

function comparedLists(a: readonly Value[], b: readonly Value[]): number {
  for (const [at, item] of a.entries()) {
    const other = b[at];
    const order = other === undefined ? 1 : compared(item, other);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

export function isEqual(a: Value, b: Value): boolean {
  if (kindOf(a) !== kindOf(b)) return false;
  if (typeof a !== 'object' || a === null || typeof b !== 'object' || b === null) return a === b;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  const [ours, theirs] = [a, b] as [Record<string, Value>, Record<string, Value>];
  return keys.every((key) => Object.hasOwn(theirs, key) && isEqual(ours[key] as Value, theirs[key] as Value));
}
