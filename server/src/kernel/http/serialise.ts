/** Response schemas to serialisers, compiled on first use: a thousand declared routes cost nothing at start. */
import fastJson from 'fast-json-stringify';
import type { TSchema } from 'typebox';

type Serialise = (value: unknown) => string;

const compiled = new WeakMap<object, Serialise>();

/** The serialiser of a schema. Keys that the schema does not declare never leave; a missing required key throws. */
export function serialiser(schema: TSchema): Serialise {
  let serialise = compiled.get(schema);
  if (!serialise) {
    serialise = fastJson(schema as Parameters<typeof fastJson>[0]) as Serialise;
    compiled.set(schema, serialise);
  }
  return serialise;
}
