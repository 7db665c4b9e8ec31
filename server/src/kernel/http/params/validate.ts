/** Raw parameters against their schema: coercion of text, JSON nearly as it is, the reasons in the words of this API. */
import type { TObject, TSchema } from 'typebox';
import { invalidParameters } from '../errors.ts';
import { parseDate, parseDateTime } from './dates.ts';
import { groupReasons, type ParameterRule } from './groups.ts';
import { isFile, type Raw, type RawObject } from './nested.ts';

/** Where a value came from decides how far it is coerced: `text` from query, form or path, `json` from a JSON body. */
export type Source = 'text' | 'json';

interface Node extends TSchema {
  type?: string;
  enum?: readonly (string | number)[];
  items?: Node;
  properties?: Record<string, Node>;
  patternProperties?: Record<string, Node>;
  required?: readonly string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  'x-rules'?: readonly ParameterRule[];
  pattern?: string;
  default?: unknown;
  'x-parse'?: 'date-time' | 'date' | 'file';
  'x-commas'?: boolean | 'blanks' | 'each';
  'x-scalar'?: boolean;
  'x-nullable'?: boolean;
  'x-id-or-path'?: boolean;
}

/** More are not told: a body can hold as many wrong values as it likes. */
const maxReasons = 50;
type Reasons = string[];
const absent = Symbol('absent');

const trueWords = new Set(['true', '1', 'yes', 'on', 't', 'y']);
const falseWords = new Set(['false', '0', 'no', 'off', 'f', 'n']);

function refuse(reasons: Reasons, name: string, why: string): typeof absent {
  // Names inside free hashes are the client's own.
  if (reasons.length < maxReasons) reasons.push(`${name.length > 200 ? `${name.slice(0, 200)}...` : name} ${why}`);
  return absent;
}
const invalid = (reasons: Reasons, name: string) => refuse(reasons, name, 'is invalid');
const notAllowed = (reasons: Reasons, name: string) => refuse(reasons, name, 'does not have a valid value');

/** Text that PostgreSQL and JSON can hold: no NUL, no half of a surrogate pair. */
const isPlainText = (text: string) => !text.includes('\0') && text.isWellFormed();

const integerText = /^[+-]?\d{1,16}$/;
const decimalText = /^[+-]?(?:\d{1,20}(?:\.\d{0,20})?|\.\d{1,20})(?:e[+-]?\d{1,3})?$/i;
/** What clients that know no types write for numbers in JSON (ADR 0005): digits, and nothing that needs trimming. */
const plainInteger = /^-?\d{1,16}$/;
const plainDecimal = /^-?\d{1,16}(?:\.\d{1,16})?$/;

function numberFrom(raw: Raw, source: Source, fromText: RegExp, fromJson: RegExp): number {
  if (typeof raw === 'number') return raw;
  if (typeof raw !== 'string' || raw.length > 100) return Number.NaN;
  const written = source === 'text' ? raw.trim() : raw;
  return (source === 'text' ? fromText : fromJson).test(written) ? Number(written) : Number.NaN;
}

function integer(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  const value = numberFrom(raw, source, integerText, plainInteger);
  if (!Number.isSafeInteger(value)) return invalid(reasons, name);
  if (schema.enum && !schema.enum.includes(value)) return notAllowed(reasons, name);
  return inRange(schema, value) ? value : notAllowed(reasons, name);
}

function float(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  const value = numberFrom(raw, source, decimalText, plainDecimal);
  if (!Number.isFinite(value)) return invalid(reasons, name);
  return inRange(schema, value) ? value : notAllowed(reasons, name);
}

const inRange = (schema: Node, value: number) =>
  (schema.minimum === undefined || value >= schema.minimum) &&
  (schema.maximum === undefined || value <= schema.maximum);

function boolean(raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  if (typeof raw === 'boolean') return raw;
  // ADR 0005: documentation of clients writes booleans in JSON as numbers.
  if (source === 'json' && (raw === 1 || raw === 0)) return raw === 1;
  if (typeof raw === 'string' && raw.length < 10) {
    if (source === 'json') return raw === 'true' ? true : raw === 'false' ? false : invalid(reasons, name);
    const word = raw.trim().toLowerCase();
    if (trueWords.has(word)) return true;
    if (falseWords.has(word)) return false;
  }
  return invalid(reasons, name);
}

/** Clients write `value: 1` where the value is a text: numbers and booleans of JSON are taken as they are written. */
function textOf(raw: Raw): Raw {
  if (typeof raw === 'boolean') return String(raw);
  const exact = typeof raw === 'number' && (Number.isInteger(raw) ? Number.isSafeInteger(raw) : Number.isFinite(raw));
  return exact ? String(raw) : raw;
}

function text(schema: Node, given: Raw, name: string, reasons: Reasons): unknown {
  if (schema['x-parse'] === 'file') return isFile(given) ? given : invalid(reasons, name);
  const raw = schema['x-parse'] ? given : textOf(given);
  if (typeof raw !== 'string' || !isPlainText(raw)) return invalid(reasons, name);
  if (schema['x-parse'] === 'date-time') return parseDateTime(raw) ?? invalid(reasons, name);
  if (schema['x-parse'] === 'date') return parseDate(raw) ?? invalid(reasons, name);
  if (schema.enum && !schema.enum.includes(raw)) return notAllowed(reasons, name);
  const { minLength, maxLength, pattern } = schema;
  if (minLength !== undefined && raw.length < minLength)
    return refuse(reasons, name, raw === '' ? 'is empty' : `is too short (minimum is ${minLength} characters)`);
  if (maxLength !== undefined && raw.length > maxLength)
    return refuse(reasons, name, `is too long (maximum is ${maxLength} characters)`);
  return pattern === undefined || compiled(pattern).test(raw) ? raw : invalid(reasons, name);
}

const patterns = new Map<string, RegExp>();
/** Patterns are written in declarations: there are as many as the sources hold. */
function compiled(pattern: string): RegExp {
  let expression = patterns.get(pattern);
  if (!expression) {
    expression = new RegExp(pattern, 'u');
    patterns.set(pattern, expression);
  }
  return expression;
}

/** A value that is declared without a type: any JSON, as long as it can be stored. Its depth is bounded already. */
function isPlainValue(raw: Raw): boolean {
  if (typeof raw === 'string') return isPlainText(raw);
  if (typeof raw !== 'object' || raw === null) return true;
  if (isFile(raw)) return false;
  if (Array.isArray(raw)) return raw.every(isPlainValue);
  return Object.entries(raw).every(([key, item]) => isPlainText(key) && isPlainValue(item));
}

const parted = (text: string, by: RegExp | ',') =>
  text
    .split(by)
    .map((part) => part.trim())
    .filter((part) => part !== '');

function list(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  let items: Raw[];
  const commas = schema['x-commas'];
  if (Array.isArray(raw))
    items =
      commas === 'each'
        ? raw.flatMap<Raw>((item): Raw[] => (typeof item === 'string' ? parted(item, ',') : [item]))
        : raw;
  else if (commas && typeof raw === 'string') items = parted(raw, commas === 'blanks' ? /[\s,;]/ : ',');
  else if (schema['x-scalar'] && (typeof raw !== 'object' || raw === null)) items = [raw];
  else if (source === 'text' && raw === '') items = [];
  else return invalid(reasons, name);
  const maximum = schema.maxItems ?? 10_000;
  if (items.length > maximum) return refuse(reasons, name, `has more than ${maximum} elements`);
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
    if (!isPlainText(key)) return invalid(reasons, name);
    const value = values ? coerce(values, item, source, `${name}[${key}]`, reasons) : item;
    if (value !== absent) result[key] = value;
  }
  return result;
}

const scalars: ReadonlySet<unknown> = new Set(['integer', 'number', 'boolean']);
const isDay = (schema: Node) => schema['x-parse'] === 'date' || schema['x-parse'] === 'date-time';

function coerce(schema: Node, raw: Raw, source: Source, name: string, reasons: Reasons): unknown {
  // Clients remove a file, and take a day, a number or a switch away, with an empty value in whatever kind of body.
  const removable = schema['x-nullable'] === true && (isDay(schema) || scalars.has(schema.type));
  const emptied = raw === '' && (schema['x-parse'] === 'file' || removable);
  const emptyText =
    emptied || (source === 'text' && raw === '' && (schema.type !== 'string' || schema['x-parse'] !== undefined));
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
      return isPlainValue(raw) ? raw : invalid(reasons, name);
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
  const given = new Set<string>();
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    const name = prefix ? `${prefix}[${key}]` : key;
    const before = reasons.length;
    const from = jsonKeys?.has(key) ? 'json' : source;
    const said = Object.hasOwn(raw, key) ? raw[key] : undefined;
    const value = said === undefined ? absent : coerce(property, said, from, name, reasons);
    if (value !== absent || reasons.length > before) given.add(key);
    if (value !== absent) result[key] = value;
    else if (reasons.length === before) {
      if (property.default !== undefined) result[key] = structuredClone(property.default);
      else if (required.has(key)) refuse(reasons, name, 'is missing');
    }
  }
  if (schema['x-rules']) reasons.push(...groupReasons(schema['x-rules'], given));
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
