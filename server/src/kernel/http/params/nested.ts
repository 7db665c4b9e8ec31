/**
 * Names of form and query parameters to trees, by the rules that Ruby web servers made the habit of this API's clients:
 * `a=1`, `a[]=1&a[]=2`, `a[k]=1`, `a[][x]=1&a[][y]=2&a[][x]=3` (a new element starts where a key repeats).
 */
import { badRequest } from '../errors.ts';

/** An uploaded part, already on disk below the server's temporary directory under a generated name. */
export interface UploadedFile {
  readonly path: string;
  /** What the client calls it: text about the file, never part of a path. */
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
  readonly sha256: Buffer;
}

export type Raw = string | number | boolean | UploadedFile | null | Raw[] | RawObject;
export interface RawObject {
  [key: string]: Raw;
}

/** Bounds on the shape of one request's parameters; each is named in the error that it causes. */
export interface ParameterLimits {
  /** Values in a query or body, those inside hashes and arrays included. */
  readonly maxParameters: number;
  /** Levels of hashes and arrays inside each other. */
  readonly maxParameterDepth: number;
}

/** Where no configuration is at hand; the same values as its defaults. */
export const defaultParameterLimits: ParameterLimits = { maxParameters: 50_000, maxParameterDepth: 32 };

export const tooMany = ({ maxParameters }: ParameterLimits) =>
  badRequest(`more than ${maxParameters} parameters (max_parameters)`);
export const tooDeep = ({ maxParameterDepth }: ParameterLimits) =>
  badRequest(`parameters nest deeper than ${maxParameterDepth} (max_parameter_depth)`);

const isObject = (value: Raw | undefined): value is RawObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isFile(value);

/** The objects that are uploads. A hash of parameters with the same keys is not one, whatever it says of itself. */
const uploads = new WeakSet<object>();

export function uploadedFile(file: UploadedFile): UploadedFile {
  uploads.add(file);
  return file;
}

/** Tells an uploaded part from a nested hash. */
export const isFile = (value: unknown): value is UploadedFile =>
  typeof value === 'object' && value !== null && uploads.has(value);

export const emptyObject = (): RawObject => Object.create(null) as RawObject;

/** `a[b][][c]` -> ['a', 'b', '', 'c']; a name that is not well formed is taken literally. */
function segments(name: string, limits: ParameterLimits): string[] {
  const first = name.indexOf('[');
  if (first <= 0) return [name];
  const parts = [name.slice(0, first)];
  let at = first;
  while (at < name.length) {
    if (name[at] !== '[') return [name];
    const end = name.indexOf(']', at);
    if (end === -1) return [name];
    parts.push(name.slice(at + 1, end));
    at = end + 1;
  }
  if (parts.length > limits.maxParameterDepth) throw tooDeep(limits);
  return parts;
}

function hasKeyPath(object: RawObject, keys: readonly string[]): boolean {
  let at: Raw = object;
  for (const key of keys) {
    if (key === '') return false;
    if (!isObject(at) || !(key in at)) return false;
    at = at[key] as Raw;
  }
  return true;
}

function put(target: RawObject, path: readonly string[], value: Raw): void {
  const [key, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  if (rest[0] === '') {
    const existing = target[key];
    const list: Raw[] = Array.isArray(existing) ? existing : [];
    if (existing !== undefined && !Array.isArray(existing)) throw mixed(key);
    target[key] = list;
    const inner = rest.slice(1);
    if (inner.length === 0) {
      list.push(value);
      return;
    }
    const last = list.at(-1);
    if (isObject(last) && !hasKeyPath(last, inner)) put(last, inner, value);
    else {
      const element = emptyObject();
      list.push(element);
      put(element, inner, value);
    }
    return;
  }
  let child = target[key];
  if (child === undefined) {
    child = emptyObject();
    target[key] = child;
  }
  if (!isObject(child)) throw mixed(key);
  put(child, rest, value);
}

const mixed = (key: string) => badRequest(`parameter ${key.slice(0, 200)} is given both as a value and as a structure`);

/** Collects name/value pairs into one tree. */
export function collector(limits: ParameterLimits): { add(name: string, value: Raw): void; readonly tree: RawObject } {
  const tree = emptyObject();
  let pairs = 0;
  return {
    tree,
    add(name, value) {
      pairs += 1;
      if (pairs > limits.maxParameters) throw tooMany(limits);
      if (name !== '') put(tree, segments(name, limits), value);
    },
  };
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw badRequest('a parameter is not valid percent-encoded UTF-8');
  }
};

/** `application/x-www-form-urlencoded` text (also a query string without `?`) to a tree. */
export function parseUrlEncoded(text: string, limits: ParameterLimits = defaultParameterLimits): RawObject {
  const into = collector(limits);
  let start = 0;
  while (start <= text.length) {
    let end = text.indexOf('&', start);
    if (end === -1) end = text.length;
    if (end > start) {
      const pair = text.slice(start, end);
      const equals = pair.indexOf('=');
      const name = decode(equals === -1 ? pair : pair.slice(0, equals));
      into.add(name, equals === -1 ? null : decode(pair.slice(equals + 1)));
    }
    start = end + 1;
  }
  return into.tree;
}
