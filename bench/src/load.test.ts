/** The load generator itself: what it measures must be what happened. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { numbers } from '../../scripts/lib/numbers.ts';
import { alternate, load, quantile } from './load.ts';
import { line } from './report.ts';

let url: string;
let asked: string[] = [];
let most = 0;
let open = 0;
const server = createServer((request, response) => {
  asked.push(request.url ?? '');
  open++;
  most = Math.max(most, open);
  setTimeout(() => {
    open--;
    response.writeHead(request.url === '/broken' ? 500 : 200).end('x');
  }, 5);
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

it('asks in turn over as many connections as it was told, and counts every answer', async () => {
  asked = [];
  const result = await load(url, '', [{ path: '/a' }, { path: '/b' }], { connections: 4, seconds: 0.4 });
  expect(most).toBe(4);
  // They leave in turn; of those on different connections the later one may arrive first.
  expect(asked.slice(0, 4).sort()).toEqual(['/a', '/a', '/b', '/b']);
  expect(result.p50).toBeGreaterThan(4);
  expect(result.p95).toBeGreaterThanOrEqual(result.p50);
  expect(result.count).toBeLessThan(asked.length);
  expect(result.rate).toBeLessThan(4 / 0.0045);
});

it('fails on the first answer that is no success', async () => {
  const broken = load(url, '', [{ path: '/broken' }], { connections: 1, seconds: 0.1 });
  await expect(broken).rejects.toThrow('GET /broken: 500');
});

it('measures contestants in turn', async () => {
  const order: string[] = [];
  const step = (name: string) => async (round: number) => {
    order.push(`${name}${round}`);
    return round;
  };
  expect(await alternate(2, { ours: step('o'), native: step('n') })).toEqual({ ours: [0, 1], native: [0, 1] });
  expect(order).toEqual(['o0', 'n0', 'o1', 'n1']);
});

it('shows quantiles and ratios', () => {
  expect([quantile([3, 1, 2], 0.5), quantile([1, 2, 3, 4], 0.95)]).toEqual([2, 4]);
  const row = { name: 'row', ours: { rate: 500, p50: 2 }, native: { rate: 1000, p50: 1 } };
  expect(line(row)).toBe('row | ours 500/s, 2.00 ms | native 1,000/s, 1.00 ms | ours/native 0.500 x');
});

it('makes the same data every time', () => {
  const [a, b] = [numbers(7), numbers(7)];
  expect(Array.from({ length: 5 }, () => a(100))).toEqual(Array.from({ length: 5 }, () => b(100)));
});
