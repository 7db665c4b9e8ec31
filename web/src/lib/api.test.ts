/** Lists that are read whole follow the links of their answers. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unwrapAll } from './api.ts';

const pages: Readonly<Record<string, number[]>> = { '1': [1, 2], '2': [3, 4], '3': [5] };
const failing = '/failing';
let server: Server;
let url: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    const at = new URL(request.url ?? '', 'http://localhost');
    const page = Number(at.searchParams.get('page') ?? 1);
    if (at.pathname === failing && page === 2) {
      response.writeHead(500, { 'Content-Type': 'application/json' }).end('{"message":"500 Internal Server Error"}');
      return;
    }
    // The instance names itself by another host than the one that it was asked by.
    const link = page < 3 ? { Link: `<http://elsewhere.test/list?page=${page + 1}>; rel="next"` } : {};
    response.writeHead(200, { 'Content-Type': 'application/json', ...link }).end(JSON.stringify(pages[String(page)]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

async function first(path: string) {
  const response = await fetch(`${url}${path}`);
  return { data: (await response.json()) as number[], response };
}

test('a list is read to its end, at the host where it began', async () => {
  expect(await unwrapAll(first('/list'))).toEqual([1, 2, 3, 4, 5]);
  expect(await unwrapAll(first('/list?page=3'))).toEqual([5]);
});

test('a page that fails fails the whole, instead of leaving out the rest', async () => {
  await expect(unwrapAll(first(failing))).rejects.toMatchObject({ status: 500 });
});
