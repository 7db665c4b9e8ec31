/**
 * The vocabulary of parameter schemas. A parameter is declared with these; validation, OpenAPI and the handler's types
 * come from the same object. Text (query, form, multipart) is coerced to them; JSON is taken as it is, but for numbers and
 * booleans that clients without types send as text (ADR 0005).
 */
import Type, { type Static, type TSchema, type TUnsafe } from 'typebox';
import type { ParameterRule } from './groups.ts';
import type { UploadedFile } from './nested.ts';

type Doc = { description?: string; default?: unknown; deprecated?: boolean };

export const Str = (options: Doc & { minLength?: number; maxLength?: number; pattern?: string } = {}) =>
  Type.String(options);
export const Int = (options: Doc & { minimum?: number; maximum?: number } = {}) => Type.Integer(options);
/** One of a fixed set of integers. */
export const IntOf = (values: readonly number[], options: Doc = {}): TUnsafe<number> =>
  Type.Unsafe<number>({ type: 'integer', enum: [...values], ...options });
/** An integer of 32 bits, as the database keeps it where no id is meant. */
export const Int32 = (options: Doc & { minimum?: number; maximum?: number } = {}) =>
  Int({ minimum: -2_147_483_648, maximum: 2_147_483_647, ...options });
export const Float = (options: Doc & { minimum?: number; maximum?: number } = {}) => Type.Number(options);
export const Bool = (options: Doc = {}) => Type.Boolean(options);

/** One of a fixed set of words. */
export const OneOf = <const T extends readonly string[]>(values: T, options: Doc = {}): TUnsafe<T[number]> =>
  Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });

/** ISO 8601 date-time (fraction and offset optional, a plain date is midnight UTC); the handler gets a Date. */
export const DateTimeParam = (options: Doc = {}): TUnsafe<Date> =>
  Type.Unsafe<Date>({ type: 'string', format: 'date-time', 'x-parse': 'date-time', ...options });

/** `YYYY-MM-DD`; the handler gets the text. */
export const DateParam = (options: Doc = {}): TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', format: 'date', 'x-parse': 'date', ...options });

/**
 * An array; `name[]=a&name[]=b`, JSON array, and one text where `commas` is set: parted by commas, or with `blanks` also
 * by semicolons, blanks and line ends. With `each` the elements of an array are parted as well: for what holds no commas.
 */
export const List = <T extends TSchema>(
  items: T,
  options: Doc & { commas?: boolean | 'blanks' | 'each'; maxItems?: number } = {},
) => {
  const { commas, ...rest } = options;
  return Type.Array(items, { ...rest, ...(commas ? { 'x-commas': commas } : {}) });
};

/** A hash of free keys. */
export const Hash = <T extends TSchema>(values: T, options: Doc = {}) => Type.Record(Type.String(), values, options);

/** An object whose keys the handler checks itself, as another program made it. */
export const JsonObject = (options: Doc = {}): TUnsafe<Record<string, unknown>> =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, ...options });

/** A scalar or a list of it; the handler always gets a list. */
export const OneOrMore = <T extends TSchema>(items: T, options: Doc = {}) =>
  Type.Array(items, { ...options, 'x-scalar': true, 'x-commas': true });

/** An id or a URL-encoded path of a project, group, user ...; the handler gets the text. */
export const IdOrPath = (description: string) => Type.String({ description, 'x-id-or-path': true });

/** An uploaded file; only in multipart bodies. `OrNull` of it is null where the client removes the file with an empty value. */
export const FileParam = (options: Doc = {}): TUnsafe<UploadedFile> =>
  Type.Unsafe<UploadedFile>({ type: 'string', format: 'binary', 'x-parse': 'file', ...options });

/** Rules over several parameters, as the second argument of the object that declares them. */
export const rules = (...list: readonly ParameterRule[]) => ({ 'x-rules': list });

export const Optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

/** A value that may also be JSON null or, in text, empty; a day or a file may be empty in JSON, too. */
export const OrNull = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> =>
  Type.Unsafe<Static<T> | null>({ ...schema, 'x-nullable': true });
