/** Images from elsewhere: who is asked for what, what is shown, and what never is. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../../../test/receiver.ts';
import { createHttpServer } from '../http/server.ts';
import { createOutbound } from '../outbound/index.ts';
import { secretsFrom } from '../secrets/index.ts';
import { defaultSettings } from '../settings/index.ts';
import { freshness } from './fetching.ts';
import { displayableImageType, imageType } from './image-type.ts';
import { createImages } from './index.ts';

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const svg =
  '<?xml version="1.0"?>\n<!-- badge -->\n<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const externalUrl = 'https://millrace.example';

let receiver: Receiver;
let directory: string;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'mr-images-'));
  receiver.answer = { status: 200, headers: { 'Content-Type': 'image/png' }, body: png };
});
afterEach(() => {
  receiver.received.length = 0;
  rmSync(directory, { recursive: true, force: true });
});
afterAll(() => receiver.close());

function proxy({
  allowed = ['127.0.0.1'],
  now = 0,
  maxImageBytes = 4096,
  imageCacheBytes = 1_000_000,
  more = {} as Partial<typeof defaultSettings>,
} = {}) {
  const clock = { now };
  const settings = {
    ...defaultSettings,
    // Says nothing for images: those are never fetched from the local network without an entry of the list.
    allow_local_requests_from_web_hooks_and_services: true,
    outbound_local_requests_whitelist: allowed,
    ...more,
  };
  const images = createImages({
    externalUrl,
    secrets: secretsFrom(Buffer.alloc(32, 1)),
    outbound: createOutbound({ settings: { read: async () => settings } }),
    settings: { read: async () => settings },
    data: directory,
    limits: { maxImageBytes, imageCacheBytes },
    now: () => clock.now,
  });
  const server = createHttpServer({ log: pino({ level: 'silent' }), trustedProxies: [] }, () => []);
  images.mount(server);
  const addressOf = async (url: string) => (await images.addresses())(url);
  const get = async (url: string, headers: Record<string, string> = {}) => {
    const address = await addressOf(url);
    return await server.inject({ url: String(address), headers });
  };
  return { clock, server, addressOf, get };
}

describe('a proxy that administrators run', () => {
  const more = {
    asset_proxy_enabled: true,
    asset_proxy_url: 'https://camo.example/',
    asset_proxy_secret_key: 'shared',
    asset_proxy_allowlist: ['direct.example', '*.inside.example', 'a*b*.example'],
  };

  it('gets images under a signed address', async () => {
    const { addressOf } = proxy({ more });
    const url = 'http://elsewhere.example/a.png?b=1';
    const signature = createHmac('sha1', 'shared').update(url).digest('hex');
    expect(await addressOf(url)).toBe(`https://camo.example/${signature}/${Buffer.from(url).toString('hex')}`);
    expect(await addressOf(`${externalUrl}/a.png`)).toBe('/a.png');
    expect(await addressOf('javascript:alert(1)')).toBeNull();
  });

  it('gets none of the hosts that are excepted, none while it is off, and none without a secret', async () => {
    const { addressOf } = proxy({ more });
    for (const host of ['direct.example', 'DIRECT.example', 'x.inside.example', 'a1b2.example', 'ab.example'])
      expect([host, await addressOf(`https://${host}/a.png`)]).toEqual([host, expect.stringMatching(/^\/-\/images\//)]);
    for (const host of ['direct.example.org', 'xdirect.example', 'inside.example', 'a.example'])
      expect([host, await addressOf(`https://${host}/a.png`)]).toEqual([
        host,
        expect.stringMatching(/^https:\/\/camo/),
      ]);
    for (const off of [{ asset_proxy_enabled: false }, { asset_proxy_secret_key: null }, { asset_proxy_url: null }]) {
      const { addressOf: own } = proxy({ more: { ...more, ...off } });
      expect(await own('https://elsewhere.example/a.png')).toMatch(/^\/-\/images\//);
    }
  });
});

describe('images from elsewhere', () => {
  it('are fetched once, without anything of the reader, and are sent so that nothing in them runs', async () => {
    const { get } = proxy();
    const url = `${receiver.url}/badge.png?style=flat`;
    const headers = { cookie: 'session=secret', authorization: 'Bearer x', referer: 'https://millrace.example/a/b' };
    const [first, second] = await Promise.all([get(url, headers), get(url, headers)]);
    expect([first.statusCode, first.headers['content-type'], first.rawPayload]).toEqual([200, 'image/png', png]);
    expect(second.rawPayload).toEqual(png);
    expect(receiver.received).toHaveLength(1);
    expect(receiver.received[0]).toMatchObject({ method: 'GET', path: '/badge.png?style=flat' });
    expect(Object.keys(receiver.received[0]?.headers ?? {}).sort()).toEqual([
      ...['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
    ]);
    expect(first.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
      'cache-control': 'public, max-age=3600',
    });
    expect(first.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
    const again = await get(url, { 'if-none-match': String(first.headers.etag) });
    expect([again.statusCode, again.rawPayload.length, receiver.received.length]).toEqual([304, 0, 1]);
  });

  it('security 9: an SVG keeps its type, and what is no image is not sent, whatever its server calls it', async () => {
    const { get } = proxy();
    receiver.answer = { status: 200, headers: { 'Content-Type': 'text/html' }, body: svg };
    const drawing = await get(`${receiver.url}/a.svg`);
    expect([drawing.statusCode, drawing.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(drawing.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
    for (const body of ['<html><svg></svg></html>', '<script>alert(1)</script>', '', '{"svg": 1}']) {
      receiver.answer = { status: 200, headers: { 'Content-Type': 'image/png' }, body };
      const answer = await get(`${receiver.url}/page?${encodeURIComponent(body)}`);
      expect([answer.statusCode, answer.json()]).toEqual([502, { message: 'The address does not lead to an image' }]);
    }
  });

  it('security 8: only signed addresses are fetched, and none of the local network that is not listed', async () => {
    const { server, addressOf, get } = proxy({ allowed: [] });
    const address = String(await addressOf(`${receiver.url}/a.png`));
    const [, , , signature = '', encoded = ''] = address.split('/');
    const other = Buffer.from(`${receiver.url}/b.png`).toString('base64url');
    for (const url of [
      `/-/images/${signature}/${other}`,
      `/-/images/${signature.slice(0, -1)}_/${encoded}`,
      `/-/images/x/${encoded}`,
    ])
      expect([url, (await server.inject({ url })).statusCode]).toEqual([url, 404]);
    const refused = await get(`${receiver.url}/a.png`);
    expect(refused.json()).toEqual({
      message: 'The image could not be fetched: Requests to the local network are not allowed',
    });
    expect(receiver.received).toEqual([]);
  });

  it('security 8: a redirect to the local network is not followed', async () => {
    const other = await startReceiver();
    const { get } = proxy({ allowed: [`127.0.0.1:${receiver.port}`] });
    receiver.answer = { status: 302, headers: { Location: `${other.url}/a.png` } };
    expect((await get(`${receiver.url}/a.png`)).statusCode).toBe(502);
    expect(other.received).toEqual([]);
    await other.close();
  });

  it('larger ones than the limit are refused with its name and value', async () => {
    const { get } = proxy({ maxImageBytes: 1024 });
    receiver.answer = { status: 200, body: Buffer.concat([png, Buffer.alloc(1024)]) };
    expect((await get(`${receiver.url}/big.png`)).json()).toEqual({
      message: 'The image is larger than max_image_bytes (1024 bytes)',
    });
  });

  it('are asked for again when they are no longer fresh; a failure is remembered, and does not hide what was there', async () => {
    const { get, clock } = proxy();
    const url = `${receiver.url}/a.png`;
    receiver.answer = { status: 200, headers: { 'Cache-Control': 'max-age=600' }, body: png };
    expect((await get(url)).headers['cache-control']).toBe('public, max-age=600');
    receiver.answer = { status: 500 };
    clock.now = 601_000;
    expect((await get(url)).rawPayload).toEqual(png);
    expect((await get(url)).rawPayload).toEqual(png);
    expect(receiver.received).toHaveLength(2);
    receiver.answer = { status: 200, body: svg };
    clock.now += 61_000;
    expect((await get(url)).headers['content-type']).toBe('image/svg+xml');
    expect(receiver.received).toHaveLength(3);
    expect([undefined, 'no-cache', 'max-age=1', 'public, max-age=700', 's-maxage=99999999'].map(freshness)).toEqual([
      ...[3_600_000, 300_000, 300_000, 700_000, 86_400_000],
    ]);
  });

  it('take no more room than the limit, and outlive the process', async () => {
    const body = Buffer.concat([png, Buffer.alloc(1000)]);
    receiver.answer = { status: 200, body };
    const first = proxy({ imageCacheBytes: 5000 });
    for (const name of ['a', 'b', 'c', 'a', 'd', 'e']) await first.get(`${receiver.url}/${name}`);
    expect(receiver.received.map(({ path: at }) => at)).toEqual(['/a', '/b', '/c', '/d', '/e']);
    expect(readdirSync(path.join(directory, 'image-cache'))).toHaveLength(4);
    const second = proxy({ imageCacheBytes: 5000 });
    for (const name of ['a', 'c', 'd', 'e']) await second.get(`${receiver.url}/${name}`);
    expect(receiver.received).toHaveLength(5);
    const none = proxy({ imageCacheBytes: 0 });
    await none.get(`${receiver.url}/a`);
    await none.get(`${receiver.url}/a`);
    expect(receiver.received).toHaveLength(7);
  });

  it('have addresses of ours, without credentials; those of this instance are its paths', async () => {
    const { addressOf } = proxy();
    expect(await addressOf('https://user:secret@shields.example/x.svg#part')).toBe(
      await addressOf('https://shields.example/x.svg'),
    );
    expect(await addressOf(`${externalUrl}/group/project/badges/main/pipeline.svg`)).toBe(
      '/group/project/badges/main/pipeline.svg',
    );
    for (const url of [
      'javascript:alert(1)',
      'data:image/png,x',
      'file:///etc/passwd',
      'x',
      `https://x/${'a'.repeat(5000)}`,
    ])
      expect([url, await addressOf(url)]).toEqual([url, null]);
  });
});

it('images are known by their first bytes', () => {
  expect(imageType(png)).toBe('image/png');
  expect(imageType(Buffer.from('ffd8ffe0', 'hex'))).toBe('image/jpeg');
  expect(imageType(Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'))).toBe('image/webp');
  expect(imageType(Buffer.from('\0\0\x01\0\x01\0', 'latin1'))).toBe('image/vnd.microsoft.icon');
  const bmp = Buffer.alloc(30);
  bmp.write('BM');
  bmp.writeUInt32LE(30, 2);
  expect(imageType(bmp)).toBe('image/bmp');
  expect(imageType(Buffer.from('BM<script>alert(1)</script>.....'))).toBeNull();
  expect(imageType(Buffer.from(svg))).toBeNull();
  expect(displayableImageType(Buffer.from('\0\0\0\x20ftypavif', 'latin1'))).toBe('image/avif');
  expect(displayableImageType(Buffer.from('\ufeff<!DOCTYPE svg PUBLIC "x"><svg/>'))).toBe('image/svg+xml');
  expect(displayableImageType(Buffer.from('text <svg>'))).toBeNull();
});
