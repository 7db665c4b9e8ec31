/** A request's body to raw parameters: JSON, urlencoded form, multipart with files on disk; bounded, after authentication. */
import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import busboy from 'busboy';
import { badRequest, HttpError, tooLarge } from '../errors.ts';
import { collector, emptyObject, parseUrlEncoded, type Raw, type RawObject, type UploadedFile } from './nested.ts';

/** Sizes in bytes. Every one is named in the error that it causes. */
export interface BodyLimits {
  /** JSON and urlencoded bodies, and all fields of a multipart body together. */
  readonly maxParameterBytes: number;
  /** One file of a multipart body. */
  readonly maxFileBytes: number;
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

/** Collects a stream into memory up to `limit`; answers 413 past it without reading on. */
export async function readAll(stream: AsyncIterable<Buffer>, name: string, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > limit) throw tooLarge(name, limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

function declaredSize(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? Number.NaN);
}

async function readText(request: IncomingMessage, limits: BodyLimits): Promise<string> {
  if (declaredSize(request) > limits.maxParameterBytes) throw tooLarge('max_parameter_bytes', limits.maxParameterBytes);
  return (await readAll(request, 'max_parameter_bytes', limits.maxParameterBytes)).toString('utf8');
}

const malformed = () => new HttpError(400, { error: 'message body does not match declared format' });

async function readJson(request: IncomingMessage, limits: BodyLimits): Promise<ParsedBody> {
  const text = await readText(request, limits);
  if (text.trim() === '') return noBody();
  let value: unknown;
  try {
    value = JSON.parse(text, (key, item) => (key === '__proto__' ? undefined : item));
  } catch {
    throw malformed();
  }
  if (value === null) return noBody();
  if (typeof value !== 'object' || Array.isArray(value)) throw malformed();
  return { tree: Object.assign(emptyObject(), value) as RawObject, json: true, cleanup: nothing };
}

async function readMultipart(request: IncomingMessage, limits: BodyLimits, temporary: string): Promise<ParsedBody> {
  const into = collector();
  const files: string[] = [];
  const writes: Promise<void>[] = [];
  let fieldBytes = 0;
  const cleanup = async () => {
    await Promise.all(files.map((file) => unlink(file).catch(nothing)));
  };
  const failed = (error: Error) => {
    parser.destroy(error);
  };
  let parser: busboy.Busboy;
  try {
    parser = busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: {
        fieldSize: limits.maxParameterBytes,
        fileSize: limits.maxFileBytes,
        fields: 2000,
        files: 50,
        fieldNameSize: 1000,
      },
    });
  } catch {
    throw malformed();
  }
  parser.on('field', (name, value, info) => {
    fieldBytes += value.length;
    if (info.valueTruncated || fieldBytes > limits.maxParameterBytes)
      failed(tooLarge('max_parameter_bytes', limits.maxParameterBytes));
    else into.add(name, value);
  });
  parser.on('file', (name, stream, info) => {
    const { filename } = info;
    if (filename === undefined || filename === '') {
      // A part named `avatar` without a file is how clients remove a picture.
      stream.resume();
      into.add(name, '');
      return;
    }
    const target = path.join(temporary, `upload-${randomUUID()}`);
    files.push(target);
    const hash = createHash('sha256');
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      size += chunk.length;
    });
    writes.push(
      pipeline(stream, createWriteStream(target, { flags: 'wx', mode: 0o600 })).then(() => {
        if (stream.truncated) throw tooLarge('max_file_bytes', limits.maxFileBytes);
        const file: UploadedFile = {
          kind: 'file',
          path: target,
          filename,
          contentType: info.mimeType,
          size,
          sha256: hash.digest(),
        };
        into.add(name, file);
      }),
    );
    writes.at(-1)?.catch(failed);
  });
  try {
    await pipeline(request, parser);
    await Promise.all(writes);
  } catch (error) {
    await Promise.allSettled(writes);
    await cleanup();
    if (error instanceof HttpError) throw error;
    if (request.destroyed && !request.complete) throw badRequest('the body ended early');
    throw malformed();
  }
  return { tree: into.tree, json: false, cleanup };
}

/** Reads and parses a body by its declared type. Types without parameters (octet-stream, text) give none. */
export async function readBody(request: IncomingMessage, limits: BodyLimits, temporary: string): Promise<ParsedBody> {
  const declared = (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const empty = request.headers['transfer-encoding'] === undefined && !(declaredSize(request) > 0);
  if (empty) return noBody();
  if (declared === 'application/json' || declared.endsWith('+json')) return readJson(request, limits);
  if (declared === 'application/x-www-form-urlencoded') {
    return { tree: parseUrlEncoded(await readText(request, limits)), json: false, cleanup: nothing };
  }
  if (declared === 'multipart/form-data') return readMultipart(request, limits, temporary);
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
    tree[key === '*' ? 'path' : key] = value as Raw;
    json.delete(key);
  }
  return { tree, json };
}
