/** Response schemas to serialisers, compiled on first use: a thousand declared routes cost nothing at start. */
import { createHash } from 'node:crypto';
import fastJson from 'fast-json-stringify';
import type { TSchema } from 'typebox';

type Serialise = (value: unknown) => string;

const compiled = new WeakMap<object, Serialise>();
/**
 * The same by what is written in the schema: routes that answer the same thing declare it each for themselves, and compiling
 * one with alternatives takes tens of milliseconds.
 */
const alike = new Map<string, Serialise>();

/** The serialiser of a schema. Keys that the schema does not declare never leave; a missing required key throws. */
export function serialiser(schema: TSchema): Serialise {
  let serialise = compiled.get(schema);
  if (!serialise) {
    const written = createHash('sha256').update(JSON.stringify(schema)).digest('base64');
    serialise = alike.get(written) ?? (fastJson(schema as Parameters<typeof fastJson>[0]) as Serialise);
    alike.set(written, serialise);
    compiled.set(schema, serialise);
  }
  return serialise;
}
