/** Which answers are compressed, and for whom. */
import { gunzipSync } from 'node:zlib';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { takesCoding } from './compression.ts';
import { createHttpServer } from './server.ts';

const long = JSON.stringify({ text: 'one word after another '.repeat(200) });

function serve(body = long) {
  const server = createHttpServer({ log: pino({ level: 'silent' }), trustedProxies: [] }, () => []);
  const answer = async (_request: unknown, reply: { header(name: string, value: string): unknown }) => {
    reply.header('Content-Type', 'application/json');
    return body;
  };
  server.get('/api/v4/long', answer);
  server.post('/api/v4/long', answer);
  return server;
}
const ask = (headers: Record<string, string>, method: 'GET' | 'POST' = 'GET', body = long) =>
  serve(body).inject({ method, url: '/api/v4/long', headers });

describe('compressed answers', () => {
  it('reads are compressed for clients that take gzip, and say what they depend on', async () => {
    const answer = await ask({ 'accept-encoding': 'gzip, deflate' });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(answer.headers.vary).toBe('Origin, Accept-Encoding');
    expect(answer.rawPayload.length).toBeLessThan(long.length / 5);
    expect(Number(answer.headers['content-length'])).toBe(answer.rawPayload.length);
    expect(gunzipSync(answer.rawPayload).toString()).toBe(long);
  });

  it.each([
    ['who does not ask for it', {}, 'GET', long],
    ['who refuses it', { 'accept-encoding': 'gzip;q=0, identity' }, 'GET', long],
    ['writes, which answer with secrets', { 'accept-encoding': 'gzip' }, 'POST', long],
    ['what is short', { 'accept-encoding': 'gzip' }, 'GET', '{"a":1}'],
    [
      'a page of another site with the cookies of its visitor',
      { 'accept-encoding': 'gzip', cookie: 'session=1', 'sec-fetch-site': 'cross-site' },
      'GET',
      long,
    ],
    ['cookies without word of where from', { 'accept-encoding': 'gzip', cookie: 'session=1' }, 'GET', long],
  ] as const)('sent as it is: %s', async (_what, headers, method, body) => {
    const answer = await ask(headers, method, body);
    expect([answer.headers['content-encoding'], answer.body]).toEqual([undefined, body]);
  });

  it('pages of this site get theirs compressed', async () => {
    const headers = { 'accept-encoding': 'br, gzip', cookie: 'session=1', 'sec-fetch-site': 'same-origin' };
    expect((await ask(headers)).headers['content-encoding']).toBe('gzip');
  });

  it.each([
    [undefined, false],
    ['', false],
    ['gzip', true],
    ['br;q=1.0, GZIP;q=0.5', true],
    ['*', true],
    ['*, gzip;q=0', false],
    ['*;q=0', false],
    ['deflate', false],
  ])('Accept-Encoding %s takes gzip: %s', (header, taken) => expect(takesCoding(header, 'gzip')).toBe(taken));
});
