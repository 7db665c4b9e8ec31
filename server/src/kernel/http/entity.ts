/**
 * The vocabulary of answers: an entity is a named object schema that serialises, documents and types one JSON shape.
 * Nullable values are spelled as type lists, which serialise without trial validation.
 */
import Type, { type Static, type TObject, type TProperties, type TSchema, type TUnsafe } from 'typebox';

type Doc = { description?: string; deprecated?: boolean; examples?: unknown[] };

export const Text = (doc: Doc = {}) => Type.String(doc);
export const Id = (doc: Doc = {}) => Type.Integer(doc);
export const Count = (doc: Doc = {}) => Type.Integer(doc);
export const Decimal = (doc: Doc = {}) => Type.Number(doc);
export const Flag = (doc: Doc = {}) => Type.Boolean(doc);

/** A point in time: Date in, ISO 8601 with milliseconds and `Z` out. */
export const Timestamp = (doc: Doc = {}): TUnsafe<Date> =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', ...doc });

/** A plain date as text, `YYYY-MM-DD`. */
export const Day = (doc: Doc = {}): TUnsafe<string> => Type.Unsafe<string>({ type: 'string', format: 'date', ...doc });

/** One of a closed set of words. */
export const Word = <const T extends readonly string[]>(words: T, doc: Doc = {}): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...words], ...doc });

/** The value or null; `doc` is about this place, also where the value is a named object. */
export function Nullable<T extends TSchema>(schema: T, doc: Doc = {}): TUnsafe<Static<T> | null> {
  const node = schema as T & { type?: string; title?: string; enum?: readonly unknown[] };
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [node.type, 'null'],
    ...(node.enum ? { enum: [...node.enum, null] } : {}),
    ...(node.title === undefined ? doc : { 'x-aside': doc }),
  });
}

/** A key that is left out where it does not apply. */
export const Sometimes = <T extends TSchema>(schema: T) => Type.Optional(schema);

export const ListOf = <T extends TSchema>(items: T, doc: Doc = {}) => Type.Array(items, doc);

/** Free keys of one type. */
export const MapOf = <T extends TSchema>(values: T, doc: Doc = {}) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: values, ...doc });

/** Any JSON, for what users define themselves. */
export const AnyJson = (doc: Doc = {}): TUnsafe<unknown> => Type.Unsafe<unknown>({ ...doc });

/** A named object; the name becomes its component in the OpenAPI document. Undeclared keys are an error in tests. */
export const Entity = <T extends TProperties>(name: string, properties: T, doc: Doc = {}): TObject<T> =>
  Type.Object(properties, { title: name, additionalProperties: false, ...doc });

/** An unnamed object inside an entity. */
export const Fields = <T extends TProperties>(properties: T, doc: Doc = {}): TObject<T> =>
  Type.Object(properties, { additionalProperties: false, ...doc });
