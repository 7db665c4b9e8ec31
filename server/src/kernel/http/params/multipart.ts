/** A multipart body: fields to parameters, files to disk under generated names, nothing left behind when it fails. */
import { createHash, randomUUID } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import { writeDraft } from '../../objects/drafts.ts';
import { badRequest, HttpError, tooLarge } from '../errors.ts';
import type { BodyLimits } from './body.ts';
import { collector, type Raw, type RawObject, tooMany, uploadedFile } from './nested.ts';

/** Name and value of one part. */
type Part = readonly [string, Raw];

const nothing = () => undefined;
/** Neither the database nor a header can carry everything that a client may call a file. */
const plainName = (filename: string): string => filename.toWellFormed().replace(/\p{Cc}/gu, '_');
const malformed = () => new HttpError(400, { error: 'message body does not match declared format' });

function parserFor(request: IncomingMessage, limits: BodyLimits): busboy.Busboy {
  try {
    return busboy({
      headers: request.headers,
      defParamCharset: 'utf8',
      limits: {
        fieldSize: limits.maxParameterBytes,
        // The parser stops at its limit, also where nothing follows: a file of exactly so many bytes fits.
        fileSize: limits.maxFileBytes + 1,
        fields: limits.maxParameters,
        files: limits.maxFiles,
      },
    });
  } catch {
    throw malformed();
  }
}

/** Reads the whole body. `cleanup` removes the files; it is safe when they have been moved away. */
export async function readMultipart(
  request: IncomingMessage,
  limits: BodyLimits,
  temporary: string,
): Promise<{ tree: RawObject; cleanup(): Promise<void> }> {
  const files: string[] = [];
  /** In the order of the parts, because a name that repeats starts a new element. */
  const found: Promise<Part>[] = [];
  const parser = parserFor(request, limits);
  let fieldBytes = 0;
  const cleanup = async () => {
    await Promise.all(files.map((file) => unlink(file).catch(nothing)));
  };
  /** Ends the parser. The request stays open: destroyed, it would take the connection and the answer with it. */
  const fail = (error: Error) => {
    request.unpipe(parser);
    parser.destroy(error);
  };
  const holdText = (bytes: number) => {
    try {
      limits.holding?.take(bytes);
    } catch (error) {
      fail(error as Error);
    }
  };
  const countText = (bytes: number) => {
    fieldBytes += bytes;
    if (fieldBytes > limits.maxParameterBytes) fail(tooLarge('max_parameter_bytes', limits.maxParameterBytes));
    else holdText(bytes);
  };

  /** A part of type octet-stream without a file name: a removed picture when it is empty, else a field. */
  async function readUnnamed(name: string, stream: Readable): Promise<Part> {
    const chunks: Buffer[] = [];
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      countText(chunk.length);
      chunks.push(chunk);
    }
    return [name, Buffer.concat(chunks).toString('utf8')];
  }

  async function keep(name: string, stream: Readable, filename: string, contentType: string): Promise<Part> {
    const target = path.join(temporary, `upload-${randomUUID()}`);
    files.push(target);
    const hash = createHash('sha256');
    let size = 0;
    stream.on('data', (chunk: Buffer) => {
      hash.update(chunk);
      size += chunk.length;
    });
    await writeDraft(target, stream);
    return [
      name,
      uploadedFile({ path: target, filename: plainName(filename), contentType, size, sha256: hash.digest() }),
    ];
  }

  parser.on('field', (name: string | undefined, value, info) => {
    // One byte more than it may be, where the parser cut it.
    countText(Buffer.byteLength(value) + (info.valueTruncated ? 1 : 0));
    found.push(Promise.resolve<Part>([name ?? '', value]));
  });
  parser.on('file', (name: string | undefined, stream, info) => {
    stream.on('limit', () => fail(tooLarge(limits.fileLimitName ?? 'max_file_bytes', limits.maxFileBytes)));
    const { filename } = info as { filename?: string };
    // `..` and the like are no names; the parser leaves nothing of them.
    const part =
      filename === undefined
        ? readUnnamed(name ?? '', stream)
        : keep(name ?? '', stream, filename || 'upload', info.mimeType);
    found.push(part);
    part.catch(fail);
  });
  parser.on('fieldsLimit', () => fail(tooMany(limits)));
  parser.on('filesLimit', () => fail(badRequest(`more than ${limits.maxFiles} files (max_files)`)));

  const early = () => fail(badRequest('the body ended early'));
  request.once('aborted', early);
  try {
    if (request.destroyed) early();
    request.pipe(parser);
    await finished(parser);
    const into = collector(limits);
    for (const [name, value] of await Promise.all(found)) into.add(name, value);
    return { tree: into.tree, cleanup };
  } catch (error) {
    request.unpipe(parser);
    await Promise.allSettled(found);
    await cleanup();
    // A full disk is our fault, everything else the body's.
    const ours = error instanceof HttpError || (error instanceof Error && 'syscall' in error);
    throw ours ? error : malformed();
  } finally {
    request.off('aborted', early);
  }
}
