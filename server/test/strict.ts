/** Assertion on mappers: what they make is exactly what their entity declares. */
import type { TSchema } from 'typebox';
import { expect } from 'vitest';
import { strictDifferences } from '../src/kernel/http/strict.ts';

/** Fails on keys that the schema would drop, on required ones without a value, and on values of another type. */
export function expectStrict(schema: TSchema, value: unknown): void {
  expect(strictDifferences(schema, value)).toEqual([]);
}
