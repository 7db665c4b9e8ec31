/** A request's body to raw parameters: JSON, urlencoded form, multipart with files on disk; bounded, after authentication. */
import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { HttpError, tooLarge } from '../errors.ts';
import type { Holding } from '../held-bytes.ts';
import { readMultipart } from './multipart.ts';
import {
  emptyObject,
  type ParameterLimits,
  parseUrlEncoded,
  type Raw,
  type RawObject,
  tooDeep,
  tooMany,
} from './nested.ts';

/** Sizes in bytes, and counts. Every one is named in the error that it causes. */
export interface BodyLimits extends ParameterLimits {
  /** JSON and urlencoded bodies, and all fields of a multipart body together. */
  readonly maxParameterBytes: number;
  /** One file of a multipart body. */
  readonly maxFileBytes: number;
  /** Files of a multipart body. */
  readonly maxFiles: number;
  /** The setting that `maxFileBytes` comes from, when it is not `max_file_bytes`. */
  readonly fileLimitName?: string;
  /** Counts what is kept in memory. */
  readonly holding?: Holding;
}

export interface ParsedBody {
  readonly tree: RawObject;
  /** Whether the values came from JSON and are taken strictly. */
  readonly json: boolean;
  /** Removes the uploaded files; safe to call when they have been moved away. */
  cleanup(): Promise<void>;
}

const nothing = async () => undefined;
const noBody = (): ParsedBody => ({ tree: emptyObject(), json: false, cleanup: nothing });

/**
 * Collects a stream into memory up to `limit`; answers 413 past it without reading on. The stream is left open: a
 * request that is destroyed takes the connection with it, and the client would never see the answer.
 */
export async function readAll(stream: Readable, name: string, limit: number, holding?: Holding): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(name, limit);
    holding?.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/** The same into memory that the caller has, as much as there is room for; the part of it that was filled. */
export async function readInto(stream: Readable, name: string, room: Buffer): Promise<Buffer> {
  let size = 0;
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    if (size + chunk.length > room.length) throw tooLarge(name, room.length);
    size += chunk.copy(room, size);
  }
  return room.subarray(0, size);
}

function declaredSize(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? Number.NaN);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

async function readText(request: IncomingMessage, limits: BodyLimits): Promise<string> {
  if (declaredSize(request) > limits.maxParameterBytes) throw tooLarge('max_parameter_bytes', limits.maxParameterBytes);
  const bytes = await readAll(request, 'max_parameter_bytes', limits.maxParameterBytes, limits.holding);
  try {
    return utf8.decode(bytes);
  } catch {
    throw new HttpError(400, { error: 'the body is not valid UTF-8' });
  }
}

const malformed = () => new HttpError(400, { error: 'message body does not match declared format' });

/** Bounds what JSON.parse built, and drops keys named `__proto__`, without recursion: the depth is the client's. */
function checkShape(root: RawObject, limits: ParameterLimits): void {
  let values = 0;
  let level: object[] = [root];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limits.maxParameterDepth) throw tooDeep(limits);
    const next: object[] = [];
    for (const node of level) {
      if (!Array.isArray(node) && Object.hasOwn(node, '__proto__')) Reflect.deleteProperty(node, '__proto__');
      const items: unknown[] = Array.isArray(node) ? node : Object.values(node);
      values += items.length;
      if (values > limits.maxParameters) throw tooMany(limits);
      for (const item of items) if (typeof item === 'object' && item !== null) next.push(item);
    }
    level = next;
  }
}

function parseJson(text: string, limits: BodyLimits): ParsedBody {
  if (text.trim() === '') return noBody();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed();
  }
  if (value === null) return noBody();
  if (typeof value !== 'object' || Array.isArray(value)) throw malformed();
  checkShape(value as RawObject, limits);
  return { tree: Object.assign(emptyObject(), value) as RawObject, json: true, cleanup: nothing };
}

const parseForm = (text: string, limits: BodyLimits): ParsedBody => ({
  tree: parseUrlEncoded(text, limits),
  json: false,
  cleanup: nothing,
});

/** No body of parameters is unpacked: it would have to be bounded twice. */
function requirePlain(request: IncomingMessage): void {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new HttpError(415, { error: `the content encoding ${JSON.stringify(encoding)} is not supported` });
}

const isJsonType = (type: string) =>
  type === 'application/json' || type === 'text/json' || type === 'text/x-json' || type.endsWith('+json');

/**
 * Reads and parses a body by its declared type; without one, an object is JSON and everything else a form. Types
 * without parameters (octet-stream, plain text) give none.
 */
export async function readBody(request: IncomingMessage, limits: BodyLimits, temporary: string): Promise<ParsedBody> {
  const declared = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const empty = request.headers['transfer-encoding'] === undefined && !(declaredSize(request) > 0);
  if (empty) return noBody();
  requirePlain(request);
  if (isJsonType(declared)) return parseJson(await readText(request, limits), limits);
  if (declared === 'application/x-www-form-urlencoded') return parseForm(await readText(request, limits), limits);
  if (declared === 'multipart/form-data') {
    const { tree, cleanup } = await readMultipart(request, limits, temporary);
    return { tree, json: false, cleanup };
  }
  if (declared === '') {
    const text = await readText(request, limits);
    return text.trimStart().startsWith('{') ? parseJson(text, limits) : parseForm(text, limits);
  }
  request.resume();
  return noBody();
}

/** One object from path, body and query; the path wins over the body, the body over the query. */
export function mergeParameters(
  query: RawObject,
  body: ParsedBody,
  path: Readonly<Record<string, string>>,
): { tree: RawObject; json: ReadonlySet<string> } {
  const tree: RawObject = Object.assign(emptyObject(), query, body.tree);
  const json = new Set(body.json ? Object.keys(body.tree) : []);
  for (const [key, value] of Object.entries(path)) {
    const name = key === '*' ? 'path' : key;
    tree[name] = value as Raw;
    json.delete(name);
  }
  return { tree, json };
}
