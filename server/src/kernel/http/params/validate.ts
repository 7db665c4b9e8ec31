/** Raw parameters against their schema: coercion of text, strict JSON, and the reasons in the words of this API. */
import type { TObject, TSchema } from 'typebox';
import { invalidParameters } from '../errors.ts';
import { isFile, type Raw, type RawObject } from './nested.ts';

/** Where a value came from decides how far it is coerced: `text` from query, form or path, `json` from a JSON body. */
export type Source = 'text' | 'json';

interface Node extends TSchema {
  type?: string;
  enum?: readonly string[];
  items?: Node;
  properties?: Record<string, Node>;
  patternProperties?: Record<string, Node>;
  required?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  pattern?: string;
  default?: unknown;
  'x-parse'?: 'date-time' | 'date' | 'file';
  'x-commas'?: boolean | 'blanks';
  'x-scalar'?: boolean;
  'x-nullable'?: boolean;
  'x-id-or-path'?: boolean;
}

type Reasons = string[];
const absent = Symbol('absent');

const trueWords = new Set(['true', '1', 'yes', 'on', 't']);
const falseWords = new Set(['false', '0', 'no', 'off', 'f']);
const dateTime =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|z|[+-]\d{2}:?\d{2})?)?$/;

/** A Date from ISO 8601 with or without fraction, offset (default UTC) and time; null when it is none. */
export function parseDateTime(text: string): Date | null {
  // A `+` of an offset that was not escaped in a query arrives as a blank.
  const match = dateTime.exec(text.trim().replace(/ (\d{2}:?\d{2})$/, '+$1'));
  if (!match) return null;
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '0', offset = 'Z'] = match;
  const zone =
    offset.toUpperCase() === 'Z' ? 'Z' : offset.includes(':') ? offset : `${offset.slice(0, 3)}:${offset.slice(3)}`;
  const value = new Date(
    `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(3, '0').slice(0, 3)}${zone}`,
  );
  if (Number.isNaN(value.getTime())) return null;
  const check = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return check.getUTCDate() === Number(day) ? value : null;
}

function parseDate(text: string): string | null {
  const value = parseDateTime(text);
  return value && /^\d{4}-\d{2}-\d{2}/.test(text) ? text.slice(0, 10) : null;
}

function invalid(reasons: Reasons, name: string): typeof absent {
  reasons.push(`${name} is invalid`);
  return absent;
}
function notAllowed(reasons: Reasons, name: string): typeof absent {
  reasons.push(`${name} does not have a valid value`);
  return absent;
}

function integer(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  let value: number;
  if (typeof raw === 'number') value = raw;
  else if (source === 'text' && typeof raw === 'string' && /^[+-]?\d{1,16}$/.test(raw.trim())) value = Number(raw);
  else return invalid(reasons, name);
  if (!Number.isSafeInteger(value)) return invalid(reasons, name);
  return inRange(schema, value) ? value : notAllowed(reasons, name);
}

function float(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  const value =
    typeof raw === 'number'
      ? raw
      : source === 'text' && typeof raw === 'string' && raw.trim() !== ''
        ? Number(raw)
        : Number.NaN;
  if (!Number.isFinite(value)) return invalid(reasons, name);
  return inRange(schema, value) ? value : notAllowed(reasons, name);
}

const inRange = (schema: Node, value: number) =>
  (schema.minimum === undefined || value >= schema.minimum) &&
  (schema.maximum === undefined || value <= schema.maximum);

function boolean(raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  if (typeof raw === 'boolean') return raw;
  if (source === 'text' && typeof raw === 'string') {
    const word = raw.trim().toLowerCase();
    if (trueWords.has(word)) return true;
    if (falseWords.has(word)) return false;
  }
  return invalid(reasons, name);
}

function text(schema: Node, raw: Raw, name: string, reasons: Reasons): unknown {
  if (schema['x-parse'] === 'file') return isFile(raw) ? raw : invalid(reasons, name);
  // Ids are numbers in JSON, and texts beside paths.
  if (schema['x-id-or-path'] && Number.isSafeInteger(raw)) return String(raw);
  if (typeof raw !== 'string') return invalid(reasons, name);
  if (raw.includes('\0')) return invalid(reasons, name);
  if (schema['x-parse'] === 'date-time') return parseDateTime(raw) ?? invalid(reasons, name);
  if (schema['x-parse'] === 'date') return parseDate(raw) ?? invalid(reasons, name);
  if (schema.enum && !schema.enum.includes(raw)) return notAllowed(reasons, name);
  if (schema.minLength !== undefined && raw.length < schema.minLength) {
    reasons.push(raw === '' ? `${name} is empty` : `${name} is too short (minimum is ${schema.minLength} characters)`);
    return absent;
  }
  if (schema.maxLength !== undefined && raw.length > schema.maxLength) {
    reasons.push(`${name} is too long (maximum is ${schema.maxLength} characters)`);
    return absent;
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(raw)) return invalid(reasons, name);
  return raw;
}

function list(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  let items: Raw[];
  if (Array.isArray(raw)) items = raw;
  else if (schema['x-commas'] && typeof raw === 'string')
    items = raw
      .split(schema['x-commas'] === 'blanks' ? /[\s,;]/ : ',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
  else if (schema['x-scalar'] && (typeof raw !== 'object' || raw === null)) items = [raw];
  else if (source === 'text' && raw === '') items = [];
  else return invalid(reasons, name);
  const maximum = schema.maxItems ?? 10_000;
  if (items.length > maximum) {
    reasons.push(`${name} has more than ${maximum} elements`);
    return absent;
  }
  // A comma list is text even inside JSON: its elements are coerced like text.
  const itemSource = Array.isArray(raw) ? source : 'text';
  const values: unknown[] = [];
  const scalarItems = schema.items?.type !== 'object';
  items.forEach((item, index) => {
    if (scalarItems && item === '' && schema.items?.type !== 'string') return;
    const value = coerce(schema.items as Node, item, itemSource, scalarItems ? name : `${name}[${index}]`, reasons);
    if (value !== absent) values.push(value);
  });
  return values;
}

function hash(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw) || isFile(raw)) {
    if (source === 'text' && raw === '') return absent;
    return invalid(reasons, name);
  }
  if (schema.properties) return object(schema, raw, source, reasons, name);
  const values = Object.values(schema.patternProperties ?? {})[0];
  const result: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [key, item] of Object.entries(raw)) {
    const value = values ? coerce(values, item, source, `${name}[${key}]`, reasons) : item;
    if (value !== absent) result[key] = value;
  }
  return result;
}

function coerce(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  const emptyText = source === 'text' && raw === '' && (schema.type !== 'string' || schema['x-parse'] !== undefined);
  if (raw === null || (emptyText && schema.type !== 'array' && schema.type !== 'object'))
    return schema['x-nullable'] ? null : absent;
  switch (schema.type) {
    case 'integer':
      return integer(schema, raw, source, name, reasons);
    case 'number':
      return float(schema, raw, source, name, reasons);
    case 'boolean':
      return boolean(raw, source, name, reasons);
    case 'array':
      return list(schema, raw, source, name, reasons);
    case 'object':
      return hash(schema, raw, source, name, reasons);
    case 'string':
      return text(schema, raw, name, reasons);
    default:
      // Declared without a type: any JSON value, checked by the handler.
      return raw;
  }
}

function object(
  schema: Node,
  raw: RawObject,
  source: Source,
  reasons: Reasons,
  prefix = '',
  jsonKeys?: ReadonlySet<string>,
): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  const required = new Set(schema.required ?? []);
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const name = prefix ? `${prefix}[${key}]` : key;
    const before = reasons.length;
    const value =
      key in raw ? coerce(property, raw[key] as Raw, jsonKeys?.has(key) ? 'json' : source, name, reasons) : absent;
    if (value !== absent) result[key] = value;
    else if (reasons.length === before) {
      if (property.default !== undefined) result[key] = structuredClone(property.default);
      else if (required.has(key)) reasons.push(`${name} is missing`);
    }
  }
  return result;
}

/**
 * Validates merged parameters. `json` names the top-level keys that came from a JSON body; all others are text.
 * Returns a null-prototype object with declared keys only; throws the 400 of the API with every reason.
 */
export function validateParameters(
  schema: TObject,
  raw: RawObject,
  json: ReadonlySet<string>,
): Record<string, unknown> {
  const reasons: Reasons = [];
  const result = object(schema as Node, raw, 'text', reasons, '', json);
  if (reasons.length > 0) throw invalidParameters(reasons);
  return result;
}
