/** A server of git repositories elsewhere, by `git http-backend`. */
import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Answers a request from the repositories in the directory, for whoever asks; gives the size of the answer in bytes. */
export function gitBackend(directory: string, request: IncomingMessage, response: ServerResponse): Promise<number> {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...{ PATH: process.env.PATH ?? '', GIT_PROJECT_ROOT: directory, GIT_HTTP_EXPORT_ALL: '1' },
      ...{ PATH_INFO: url.pathname, QUERY_STRING: url.search.slice(1), REMOTE_USER: 'robot' },
      ...{ REQUEST_METHOD: request.method, CONTENT_TYPE: request.headers['content-type'] ?? '' },
      GIT_CONFIG_GLOBAL: '/dev/null',
    },
  });
  request.pipe(child.stdin);
  const out: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  return new Promise((resolve) => {
    child.once('close', () => {
      const all = Buffer.concat(out);
      const end = all.indexOf('\r\n\r\n');
      for (const line of all.subarray(0, end).toString().split('\r\n')) {
        const [key = '', value = ''] = line.split(': ');
        if (key === 'Status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(key, value);
      }
      response.end(all.subarray(end + 4));
      resolve(all.length);
    });
  });
}
