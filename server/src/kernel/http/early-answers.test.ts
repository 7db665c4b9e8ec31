/** Answers that are sent before the body was read, to clients that read them only after they sent everything. Slow, sampled: large bodies are sent to their end. */
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { basic, made } from '../../../test/lfs.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../test/repositories.ts';
import { drainAfterEarlyAnswers } from './early-answers.ts';

/** More than the buffers of both sides together hold. */
const length = 24 * 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, 'x');

interface Sent {
  readonly method?: string;
  readonly target: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the body begins with. */
  readonly begin?: string | Buffer;
}

/** What the client has at the end: the status line, or why there is none, and what follows the head. */
function sendThenRead(port: number, { method = 'POST', target, headers = {}, begin = '' }: Sent): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const framing = headers['Transfer-Encoding'] ? {} : { 'Content-Length': String(length) };
    const lines = Object.entries({ Host: 'x', ...framing, ...headers });
    let got = '';
    let left = length - Buffer.byteLength(begin);
    const write = () => {
      while (left > 0) {
        const part = chunk.subarray(0, Math.min(left, chunk.length));
        left -= part.length;
        if (!socket.write(part)) return;
      }
      socket.off('drain', write);
      socket.on('data', (data) => {
        got += String(data);
        socket.end();
      });
      socket.resume();
    };
    socket.pause();
    socket.on('drain', write);
    socket.on('error', (error: NodeJS.ErrnoException) => {
      got ||= `failed: ${error.code}`;
    });
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve(got));
    socket.write(
      `${method} ${target} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    socket.write(begin);
    write();
  });
}

describe('every refusal reaches a client that sends its whole body first', () => {
  let app: TestApp;
  let project: RepositoryProject;
  let port: number;
  beforeAll(async () => {
    app = await startTestApp({ environment: { MILLRACE_LFS_STALL_SECONDS: '30' } });
    project = await buildRepositoryProject(app);
    port = Number(new URL(app.url).port);
  });
  afterAll(() => app.close());

  const json = { 'Content-Type': 'application/json' };
  const multipart = { 'Content-Type': 'multipart/form-data; boundary=edge' };
  const git = { 'Content-Type': 'application/x-git-receive-pack-request' };
  const authorized = () => ({ 'PRIVATE-TOKEN': project.owner.secret });
  const asGit = () => basic(project.owner.secret);

  const cases: readonly (readonly [string, number, () => Sent])[] = [
    ['without a credential', 401, () => ({ target: '/api/v4/projects', headers: json })],
    ['with a bad one', 401, () => ({ target: '/api/v4/projects', headers: { 'PRIVATE-TOKEN': 'x', ...multipart } })],
    ['to no route', 404, () => ({ target: '/api/v4/nothing', headers: json })],
    ['to no page', 404, () => ({ target: '/-/nothing/here', headers: json })],
    ['with another method', 405, () => ({ method: 'DELETE', target: '/api/v4/version', headers: json })],
    ['to no project', 404, () => ({ target: '/api/v4/projects/0/issues', headers: { ...authorized(), ...multipart } })],
    ['with too long parameters', 413, () => ({ target: '/api/v4/projects', headers: { ...authorized(), ...json } })],
    ['with a malformed body', 400, () => ({ target: '/api/v4/projects', headers: { ...authorized(), ...multipart } })],
    [
      'with a chunked body',
      401,
      () => ({
        target: '/api/v4/projects',
        headers: { ...json, 'Transfer-Encoding': 'chunked' },
        begin: `${length.toString(16)}\r\n`,
      }),
    ],
    ['to sign in', 413, () => ({ target: '/-/session', headers: json })],
    ['for a token of OAuth', 413, () => ({ target: '/oauth/token', headers: json })],
    ['of a runner', 413, () => ({ target: '/api/v4/jobs/request', headers: json, begin: '{"token":"x"}' })],
    ['of artifacts', 403, () => ({ target: '/api/v4/jobs/1/artifacts?token=x', headers: multipart })],
    ['of git without a credential', 401, () => ({ target: `/${project.fullPath}.git/git-receive-pack`, headers: git })],
    [
      'of git in another type',
      415,
      () => ({ target: `/${project.fullPath}.git/git-receive-pack`, headers: { ...asGit(), ...json } }),
    ],
    ['of git without its type', 403, () => ({ method: 'PUT', target: `/${project.fullPath}.git/HEAD` })],
    [
      'of a large file without a credential',
      401,
      () => ({ method: 'PUT', target: `/${project.fullPath}.git/gitlab-lfs/objects/${made().oid}/${length}` }),
    ],
    [
      'of a large file that is another',
      422,
      () => ({
        method: 'PUT',
        target: `/${project.fullPath}.git/gitlab-lfs/objects/${made().oid}/${length}`,
        headers: asGit(),
      }),
    ],
  ];

  it.each(cases)('%s: %i', async (_name, status, sent) => {
    expect(await sendThenRead(port, sent())).toMatch(new RegExp(`^HTTP/1.1 ${status} [^]*\r\n\r\n.`));
  });

  it('multipart calls of fetch get their answers, however they race', async () => {
    const call = async () => {
      const form = new FormData();
      form.append('file', new Blob([chunk, chunk, chunk, chunk, chunk, chunk, chunk, chunk]), 'x');
      const answer = await fetch(`${app.url}/api/v4/projects/import`, { method: 'POST', body: form });
      await answer.text();
      return answer.status;
    };
    const answers = [];
    for (let round = 0; round < 30; round += 1) answers.push(await call());
    expect(new Set(answers)).toEqual(new Set([401]));
  });
});

describe('discarding a body ends', () => {
  let server: Server;
  const limits = { milliseconds: 2000, idleMilliseconds: 400, bytes: 8 * 1024 * 1024 };
  let port: number;
  let answers: ReturnType<typeof drainAfterEarlyAnswers>;
  let closing = true;
  beforeAll(async () => {
    server = createServer((_request, response) => {
      if (closing) response.setHeader('Connection', 'close');
      response.writeHead(401).end('no');
    });
    answers = drainAfterEarlyAnswers(server, limits);
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    ({ port } = server.address() as AddressInfo);
  });
  afterAll(() => {
    server.close();
  });

  /**
   * Sends the beginning of an endless request, then a chunk every few milliseconds until the connection is gone: after
   * how long that was, and how much was sent when the server closed its side.
   */
  const lasting = (chunkBytes: number, every: number) =>
    new Promise<{ after: number; sentAtEnd: number }>((resolve) => {
      const start = performance.now();
      let sent = 0;
      let sentAtEnd = Number.POSITIVE_INFINITY;
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${1024 ** 4}\r\n\r\n`);
      socket.resume();
      socket.on('end', () => {
        sentAtEnd = sent;
      });
      socket.on('error', () => undefined);
      const timer = setInterval(() => {
        sent += chunkBytes;
        socket.write(Buffer.alloc(chunkBytes));
      }, every);
      socket.on('close', () => {
        clearInterval(timer);
        resolve({ after: performance.now() - start, sentAtEnd });
      });
    });

  it('when it is too long; our side of the connection is closed before', async () => {
    const { after, sentAtEnd } = await lasting(256 * 1024, 10);
    expect(sentAtEnd).toBeLessThan(limits.bytes);
    expect(after).toBeLessThan(limits.milliseconds);
  });

  it('when it takes too long', async () => {
    const { after } = await lasting(10, 50);
    expect(after).toBeGreaterThanOrEqual(limits.milliseconds);
  });

  it('when it is too long on a connection that would have stayed open', async () => {
    closing = false;
    const { sentAtEnd } = await lasting(256 * 1024, 10);
    closing = true;
    expect(sentAtEnd).toBeGreaterThanOrEqual(limits.bytes);
  });

  /** Sends the beginning of a request and nothing more; milliseconds until the server gives the connection up. */
  const silent = (answered: () => void) =>
    new Promise<number>((resolve) => {
      const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      const start = performance.now();
      socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n');
      socket.on('error', () => undefined);
      socket.once('data', () => {
        answered();
        const poll = setInterval(() => {
          server.getConnections((_error, count) => {
            if (count > 0) return;
            clearInterval(poll);
            socket.destroy();
            resolve(performance.now() - start);
          });
        }, 20);
      });
    });

  it('when nothing comes, and when the server stops', async () => {
    expect(await silent(() => undefined)).toBeGreaterThanOrEqual(limits.idleMilliseconds);
    expect(await silent(() => answers.close())).toBeLessThan(limits.idleMilliseconds);
  });
});
