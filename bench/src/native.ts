/** The limits of the machine: the same bytes from a trivial server, and git behind a bare one. */
import { spawn } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGunzip } from 'node:zlib';

export interface Limit {
  readonly url: string;
  close(): Promise<void>;
}

async function listen(server: Server): Promise<Limit> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Answers everything with the bytes. Runs in a process of its own: the generator has one for itself, too. */
export function bytesServer(bytes: Buffer): Promise<Limit> {
  const program = `
    const bytes = Buffer.from(${JSON.stringify(bytes.toString('base64'))}, 'base64');
    const server = require('node:http').createServer((request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': bytes.length });
      response.end(bytes);
    });
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  const child = spawn(process.execPath, ['-'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.stdin.end(program);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.stdout.once('data', (chunk: Buffer) =>
      resolve({
        url: `http://127.0.0.1:${chunk.toString().trim()}`,
        close: () => {
          child.kill();
          return gone;
        },
      }),
    );
  });
}

/** What the product gives to git where it writes: as durable, and as strict about what arrives. */
export const durable = ['-c', 'core.fsync=objects,derived-metadata,reference', '-c', 'core.fsyncMethod=fsync'];
const strict = [...durable, '-c', 'transfer.fsckObjects=true', '-c', 'gc.auto=0', '-c', 'safe.directory=*'];

/** git over HTTP and nothing else: no authentication, no policy, every request piped to git. */
export function gitServer(repository: (name: string) => string): Promise<Limit> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const match = /^\/([\w.-]+)\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(url.pathname);
    const service = match?.[2] === 'info/refs' ? url.searchParams.get('service') : match?.[2];
    if (!match?.[1] || !service?.startsWith('git-')) {
      response.writeHead(404).end();
      return;
    }
    const advertise = match[2] === 'info/refs';
    const options = advertise ? ['--stateless-rpc', '--advertise-refs'] : ['--stateless-rpc'];
    const child = spawn('git', [...strict, service.slice(4), ...options, repository(match[1])], {
      env: { PATH: process.env.PATH ?? '', GIT_PROTOCOL: String(request.headers['git-protocol'] ?? '') },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.on('error', () => undefined);
    response.writeHead(200, {
      'Content-Type': `application/x-${service}-${advertise ? 'advertisement' : 'result'}`,
      'Cache-Control': 'no-cache',
    });
    if (advertise) {
      const line = `# service=${service}\n`;
      response.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
    }
    const body = request.headers['content-encoding'] === 'gzip' ? request.pipe(createGunzip()) : request;
    body.pipe(child.stdin);
    child.stdout.pipe(response);
  });
  return listen(server);
}
