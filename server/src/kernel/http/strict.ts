/**
 * Whether a value is exactly what its response schema says: for tests, where a key that would silently vanish, a
 * required one without a value, or a number that left the database as text is a fault of the mapper.
 */

import type { TSchema } from 'typebox';
import { HttpError } from './errors.ts';
import type { Context, DeclaredError, Route } from './route.ts';

interface Node {
  type?: string | readonly string[];
  properties?: Record<string, Node>;
  required?: readonly string[];
  additionalProperties?: boolean | Node;
  patternProperties?: Record<string, Node>;
  items?: Node;
  anyOf?: readonly Node[];
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof Date) return 'string';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function kindFits(schema: Node, kind: string): boolean {
  if (schema.type === undefined) return true;
  const types = typeof schema.type === 'string' ? [schema.type] : schema.type;
  return types.includes(kind) || (kind === 'integer' && types.includes('number'));
}

function objectDifferences(schema: Node, value: object, at: string): string[] {
  const found: string[] = [];
  const free =
    typeof schema.additionalProperties === 'object'
      ? schema.additionalProperties
      : Object.values(schema.patternProperties ?? {})[0];
  const open = schema.properties === undefined && free === undefined;
  for (const [key, item] of Object.entries(value)) {
    const property = schema.properties?.[key] ?? free;
    if (item === undefined) continue;
    if (property) found.push(...differences(property, item, `${at}.${key}`));
    else if (!open) found.push(`${at}.${key} is not declared and would be dropped`);
  }
  for (const key of schema.required ?? []) {
    if ((value as Record<string, unknown>)[key] === undefined) found.push(`${at}.${key} is required and has no value`);
  }
  return found;
}

function differences(schema: Node, value: unknown, at: string): string[] {
  if (schema.anyOf) {
    const tried = schema.anyOf.map((option) => differences(option, value, at));
    return tried.find((found) => found.length === 0) ?? tried[0] ?? [];
  }
  const kind = kindOf(value);
  if (!kindFits(schema, kind)) return [`${at} is ${kind} instead of ${String(schema.type)}`];
  if (kind === 'array' && schema.items) {
    const items = schema.items;
    return (value as unknown[]).flatMap((item, index) => differences(items, item, `${at}[${index}]`));
  }
  return kind === 'object' && schema.type !== undefined ? objectDifferences(schema, value as object, at) : [];
}

/** Every difference between a value and its response schema, each with the path to it; empty when it is exact. */
export function strictDifferences(schema: TSchema, value: unknown): string[] {
  return differences(schema as Node, value, 'body');
}

/** Refusals that every route may give without saying so. */
const usualErrors = new Set([400, 401, 403, 404, 413, 415, 429, 500, 503]);

/** Runs a handler and holds what it does against what its route declares. */
export async function handledStrictly(route: Route, context: Context): Promise<unknown> {
  let asked = false;
  const unmodifiedSince = (changedAt: Date | null) => {
    asked = true;
    context.unmodifiedSince(changedAt);
  };
  try {
    const result = await route.handler({ ...context, unmodifiedSince });
    if (route.conditional === true && !asked)
      throw new Error(`${route.method} ${route.path} is declared conditional and did not ask unmodifiedSince`);
    return result;
  } catch (error) {
    if (!(error instanceof HttpError) || usualErrors.has(error.status)) throw error;
    const declared =
      route.errors?.includes(error.status as DeclaredError) ||
      (error.status === 412 && route.conditional === true) ||
      (error.status === 405 && route.pagination !== undefined);
    if (declared) throw error;
    throw new Error(`${route.method} ${route.path} refused with ${error.status}, which it does not declare`);
  }
}
