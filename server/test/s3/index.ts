/**
 * A storage that speaks the part of S3 that the product uses, in memory, with faults on demand. No kept package has all
 * of it (ADR 30); `MILLRACE_TEST_S3` runs the same tests against a real one.
 */
import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Keys, refusal } from './signature.ts';

interface Upload {
  readonly name: string;
  readonly parts: Map<number, Buffer>;
  started: Date;
}

/** What goes wrong with one request: its connection breaks before or after the work, or in the middle of the answer. */
export type Fault = 'refused' | 'unheard' | 'unanswered' | 'broken' | 'silent';

export interface TestStorage {
  readonly endpoint: string;
  readonly keys: Keys;
  readonly bucket: string;
  /** By full name. */
  readonly objects: Map<string, Buffer>;
  readonly uploads: Map<string, Upload>;
  /** Every request so far, as `PUT /bucket/name?partNumber=1`. */
  readonly requests: string[];
  /** Asked for each request. */
  fault: (request: string) => Fault | null;
  /** The configuration of a server that uses it. */
  environment(prefix: string, options?: string): Record<string, string>;
  close(): Promise<void>;
}

const element = (name: string, ...content: (string | number)[]) => `<${name}>${content.join('')}</${name}>`;

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

const overridable = ['content-type', 'content-disposition', 'cache-control'];
const statuses: Readonly<Record<string, number>> = {
  NoSuchKey: 404,
  NoSuchUpload: 404,
  NoSuchBucket: 404,
  InvalidRange: 416,
};
const refused = (code: string): Answer => ({
  status: statuses[code] ?? 403,
  body: element('Error', element('Code', code), element('Message', `the storage says ${code}`)),
});

export async function startStorage(): Promise<TestStorage> {
  const keys = { id: 'AKIATESTACCESSKEY', secret: `secret-${randomBytes(12).toString('hex')}` };
  const bucket = 'millrace';
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Upload>();
  const etag = (bytes: Buffer) => `"${createHash('md5').update(bytes).digest('hex')}"`;

  function read(name: string, url: URL, request: IncomingMessage): Answer {
    const whole = objects.get(name);
    if (!whole) return refused('NoSuchKey');
    const headers: Record<string, string> = { ETag: etag(whole), 'content-type': 'application/octet-stream' };
    for (const header of overridable) {
      const value = url.searchParams.get(`response-${header}`);
      if (value !== null) headers[header] = value;
    }
    const match = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '');
    if (!match) return { headers, body: whole };
    const start = Number(match[1]);
    const end = match[2] === '' ? whole.length - 1 : Math.min(Number(match[2]), whole.length - 1);
    if (start >= whole.length) return refused('InvalidRange');
    headers['Content-Range'] = `bytes ${start}-${end}/${whole.length}`;
    return { status: 206, headers, body: whole.subarray(start, end + 1) };
  }

  function ofBucket(method: string, query: URLSearchParams): Answer {
    const prefix = query.get('prefix') ?? '';
    if (query.has('uploads'))
      return {
        body: element(
          'ListMultipartUploadsResult',
          element('IsTruncated', 'false'),
          ...[...uploads]
            .filter(([, { name }]) => name.startsWith(prefix))
            .map(([id, { name, started }]) =>
              element(
                'Upload',
                element('Key', name),
                element('UploadId', id),
                element('Initiated', started.toISOString()),
              ),
            ),
        ),
      };
    if (method === 'HEAD') return {};
    const after = query.get('continuation-token') ?? '';
    const names = [...objects.keys()].filter((name) => name.startsWith(prefix) && name > after).sort();
    const page = names.slice(0, 2);
    return {
      body: element(
        'ListBucketResult',
        element('IsTruncated', String(names.length > 2)),
        ...(names.length > 2 ? [element('NextContinuationToken', page.at(-1) ?? '')] : []),
        ...page.map((name) =>
          element('Contents', element('Key', name), element('Size', objects.get(name)?.length ?? 0)),
        ),
      ),
    };
  }

  function ofUpload(id: string, url: URL, method: string, body: Buffer): Answer {
    const upload = uploads.get(id);
    if (!upload) return refused('NoSuchUpload');
    if (method === 'PUT') {
      upload.parts.set(Number(url.searchParams.get('partNumber')), body);
      return { headers: { ETag: etag(body) } };
    }
    uploads.delete(id);
    if (method === 'DELETE') return { status: 204 };
    const wanted = [...String(body).matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)].map(([, number]) => Number(number));
    const parts = wanted.map((number) => upload.parts.get(number) ?? Buffer.alloc(0));
    objects.set(upload.name, Buffer.concat(parts));
    return { body: element('CompleteMultipartUploadResult', element('Key', upload.name)) };
  }

  function act(request: IncomingMessage, url: URL, body: Buffer): Answer {
    const method = request.method ?? '';
    const [, place, ...rest] = url.pathname.split('/').map(decodeURIComponent);
    const name = rest.join('/');
    if (place !== bucket) return refused('NoSuchBucket');
    if (name === '') return ofBucket(method, url.searchParams);
    const id = url.searchParams.get('uploadId');
    if (id !== null) return ofUpload(id, url, method, body);
    if (url.searchParams.has('uploads')) {
      const started = randomBytes(8).toString('hex');
      uploads.set(started, { name, parts: new Map(), started: new Date() });
      return { body: element('InitiateMultipartUploadResult', element('UploadId', started)) };
    }
    if (method === 'PUT') {
      objects.set(name, body);
      return { headers: { ETag: etag(body) } };
    }
    if (method === 'DELETE') {
      objects.delete(name);
      return { status: 204 };
    }
    return read(name, url, request);
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`;
    storage.requests.push(line);
    const fault = storage.fault(line);
    if (fault === 'unheard') return void request.socket.destroy();
    const body = await buffer(request);
    if (fault === 'silent') return;
    const url = new URL(request.url ?? '', `http://${request.headers.host}`);
    const code = fault === 'refused' ? 'AccessDenied' : refusal(request, url, body, keys);
    const answer = code === null ? act(request, url, body) : refused(code);
    if (fault === 'unanswered') return void request.socket.destroy();
    const bytes = Buffer.from(answer.body ?? '');
    response.writeHead(answer.status ?? 200, { ...answer.headers, 'Content-Length': bytes.length });
    if (request.method === 'HEAD') return void response.end();
    if (fault !== 'broken') return void response.end(bytes);
    response.write(bytes.subarray(0, Math.ceil(bytes.length / 2)), () => request.socket.destroy());
  }

  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const storage: TestStorage = {
    endpoint,
    keys,
    bucket,
    objects,
    uploads,
    requests: [],
    fault: () => null,
    environment: (prefix, options = '') => ({
      MILLRACE_OBJECTS: `s3://${bucket}/${prefix}?endpoint=${endpoint}${options}`,
      AWS_ACCESS_KEY_ID: keys.id,
      AWS_SECRET_ACCESS_KEY: keys.secret,
    }),
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return storage;
}
