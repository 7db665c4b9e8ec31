/** Requests to addresses that users give: what is refused, what is sent, and how it fails. */
import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { certificate, certificateKey } from '../../../test/client-certificate.ts';
import { currentKeystore } from '../../../test/keystores.ts';
import { type Receiver, startReceiver } from '../../../test/receiver.ts';
import { defaultSettings } from '../settings/index.ts';
import { isLocalAddress } from './addresses.ts';
import { createOutbound, type OutboundKind, type OutboundRequest } from './index.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterEach(() => {
  receiver.received.length = 0;
  receiver.answer = { status: 200, body: 'ok' };
});
afterAll(() => receiver.close());

interface Around {
  readonly settings?: Partial<typeof defaultSettings>;
  readonly names?: Readonly<Record<string, readonly string[]>>;
}
const outbound = ({ settings = {}, names = {} }: Around = {}) =>
  createOutbound({
    settings: { read: async () => ({ ...defaultSettings, ...settings }) },
    resolve: async (host) => {
      const found = names[host];
      if (!found) throw Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });
      return found;
    },
  });
const send = (url: string, around: Around = {}, more: Partial<OutboundRequest> = {}) =>
  outbound(around).send({ url, kind: 'web_hook', ...more });
const open = { settings: { allow_local_requests_from_web_hooks_and_services: true } };

describe('security 8: requests to the local network', () => {
  it('are refused in every spelling of an address, and nothing is sent', async () => {
    const { port } = receiver;
    const tries = [
      `http://127.0.0.1:${port}/`,
      `http://2130706433:${port}/`,
      `http://017700000001:${port}/`,
      `http://0x7f.1:${port}/`,
      `http://127.1:${port}/`,
      `http://0:${port}/`,
      `http://[::1]:${port}/`,
      `http://[::]:${port}/`,
      `http://[::ffff:127.0.0.1]:${port}/`,
      `http://[::ffff:7f00:1]:${port}/`,
      `http://[::127.0.0.1]:${port}/`,
      `http://[64:ff9b::7f00:1]:${port}/`,
      `http://[2002:7f00:1::]:${port}/`,
      'http://169.254.169.254/latest/meta-data/',
      'http://192.168.1.1/',
      'http://10.0.0.1/',
      'http://[fe80::1]/',
      'http://[fd00::1]/',
    ];
    const answers = await Promise.all(tries.map(async (url) => [url, await send(url)] as const));
    for (const [url, answer] of answers) expect([url, answer]).toMatchObject([url, { ok: false, reason: 'refused' }]);
    for (const url of ['file:///etc/passwd', 'ext::sh -c id', 'gopher://example.com/', 'ftp://example.com/', 'x', ''])
      expect([url, await send(url, open)]).toMatchObject([url, { ok: false, reason: 'invalid' }]);
    expect(receiver.received).toEqual([]);
    expect(isLocalAddress('8.8.8.8') || isLocalAddress('2606:4700::1111') || !isLocalAddress('nonsense')).toBe(false);
  });

  it('are refused by the addresses of a name, if only one of them is local', async () => {
    const names = {
      'inside.example': ['127.0.0.1'],
      'mixed.example': ['8.8.8.8', '::1'],
      'mapped.example': ['::ffff:10.0.0.1'],
    };
    for (const host of Object.keys(names))
      expect([host, await send(`http://${host}:${receiver.port}/`, { names })]).toMatchObject([
        host,
        { ok: false, reason: 'refused' },
      ]);
    expect(await send('http://nowhere.example/', { names })).toMatchObject({ ok: false, reason: 'unresolved' });
    expect(receiver.received).toEqual([]);
  });

  it('do not come about by a name that means something else the second time', async () => {
    let asked = 0;
    const rebinding = createOutbound({
      settings: { read: async () => ({ ...defaultSettings, ...open.settings }) },
      resolve: async () => {
        asked += 1;
        return asked === 1 ? ['127.0.0.1'] : ['127.0.0.9'];
      },
    });
    const url = `http://rebind.example:${receiver.port}/in`;
    expect(await rebinding.send({ url, kind: 'web_hook' })).toMatchObject({ ok: true, status: 200 });
    expect([asked, receiver.received.map(({ headers }) => headers.host)]).toEqual([
      1,
      [`rebind.example:${receiver.port}`],
    ]);
  });

  it('do not come about by a redirect', async () => {
    const settings = { outbound_local_requests_whitelist: ['hooks.example'] };
    const names = { 'hooks.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] };
    const hop = (location: string) => {
      receiver.answer = { status: 302, headers: { Location: location } };
      return send(`http://hooks.example:${receiver.port}/`, { settings, names }, { redirects: 3 });
    };
    for (const [location, reason] of [
      [`http://127.0.0.1:${receiver.port}/`, 'refused'],
      [`http://other.example:${receiver.port}/`, 'refused'],
      ['file:///etc/passwd', 'invalid'],
    ] as const)
      expect(await hop(location)).toMatchObject({ ok: false, reason });
    expect(receiver.received).toHaveLength(3);
    // One after the other without end stops, and without the wish none is followed.
    expect(await hop('/again')).toMatchObject({ ok: true, status: 302 });
    expect(receiver.received).toHaveLength(7);
    expect(await send(`http://hooks.example:${receiver.port}/`, { settings, names })).toMatchObject({ status: 302 });
    expect(receiver.received).toHaveLength(8);
  });

  it('are what settings say: who may, which hosts, addresses and ranges, and only those', async () => {
    const { port } = receiver;
    const names = { 'inside.example': ['127.0.0.1'] };
    const via = async (host: string, settings: Around['settings'], kind: OutboundKind = 'web_hook') => {
      const answer = await send(`http://${host}:${port}/`, { names, settings: settings ?? {} }, { kind });
      return answer.ok ? 'sent' : answer.reason;
    };
    const listed = (...outbound_local_requests_whitelist: string[]) => ({ outbound_local_requests_whitelist });
    expect(await via('127.0.0.1', open.settings)).toBe('sent');
    expect(await via('127.0.0.1', {}, 'system_hook')).toBe('sent');
    expect(await via('127.0.0.1', { allow_local_requests_from_system_hooks: false }, 'system_hook')).toBe('refused');
    expect(await via('127.0.0.1', open.settings, 'import')).toBe('sent');
    expect(await via('127.0.0.1', {}, 'include')).toBe('refused');
    for (const entry of ['inside.example', `inside.example:${port}`, '127.0.0.1', '127.0.0.0/24', '::ffff:127.0.0.1/x'])
      expect([entry, await via('inside.example', listed(entry))]).toEqual([
        entry,
        entry.endsWith('x') ? 'refused' : 'sent',
      ]);
    for (const entry of [`inside.example:${port + 1}`, 'example', '10.0.0.0/8', '::/0', '127.0.0.0/99'])
      expect([entry, await via('inside.example', listed(entry))]).toEqual([entry, 'refused']);
    const only = { deny_all_requests_except_allowed: true };
    expect(await via('inside.example', { ...open.settings, ...only })).toBe('refused');
    expect(await via('inside.example', { ...only, ...listed('inside.example') })).toBe('sent');
    expect(await via('127.0.0.1', only, 'system_hook')).toBe('refused');
  });

  it('are refused when an address is entered, as far as it can be told then', async () => {
    const list = ['10.1.0.0/16', 'inside.example', '127.0.0.1:8080', 'fd00::/8'];
    const refusal = (url: string, settings: Around['settings'] = {}) =>
      outbound({ settings: { outbound_local_requests_whitelist: list, ...settings } }).refusal(url, 'web_hook');
    const local = [
      ...['http://2130706433/', 'http://LOCALHOST./', 'http://x.localhost/', 'http://[fe80::1]/'],
      ...['http://192.168.1.1/', 'file:///etc/passwd', 'http://metadata.google.internal/'],
    ];
    for (const url of local) expect([url, await refusal(url)]).toEqual([url, expect.any(String)]);
    const fine = [
      ...['https://example.com/', 'http://8.8.8.8/', 'http://10.1.2.3/', 'http://127.0.0.1:8080/'],
      ...['http://[fd12::1]/', 'http://inside.example/'],
    ];
    for (const url of fine) expect([url, await refusal(url)]).toEqual([url, null]);
    const only = { deny_all_requests_except_allowed: true };
    expect([await refusal('https://example.com/', only), await refusal('https://inside.example/', only)]).toEqual([
      expect.any(String),
      null,
    ]);
  });
});

describe('a request', () => {
  it('has the method, headers, body and credentials that it is given; the answer is read up to a limit', async () => {
    receiver.answer = { status: 418, headers: { 'X-Kind': 'teapot' }, body: 'x'.repeat(5000) };
    const url = `http://in:s%40cret@127.0.0.1:${receiver.port}/a/b?c=d`;
    const more = { method: 'POST', headers: { 'X-One': '1' }, body: '{"ü":1}', maximumBytes: 1000 };
    const answer = await send(url, open, more);
    expect(answer).toMatchObject({ ok: true, status: 418, truncated: true, durationMs: expect.any(Number) });
    if (!answer.ok) return;
    expect([answer.body.length, answer.headers['x-kind']]).toEqual([1000, 'teapot']);
    const authorization = `Basic ${Buffer.from('in:s@cret').toString('base64')}`;
    expect(receiver.received).toMatchObject([
      {
        method: 'POST',
        path: '/a/b?c=d',
        text: '{"ü":1}',
        headers: { 'x-one': '1', authorization, 'content-length': '8' },
      },
    ]);
  });

  it('does not take what proves it to another server', async () => {
    const other = await startReceiver();
    receiver.answer = { status: 307, headers: { Location: `${other.url}/next` } };
    const headers = { Authorization: 'Bearer x', 'X-One': '1' };
    expect(await send(receiver.url, open, { headers, redirects: 1 })).toMatchObject({
      status: 200,
      url: `${other.url}/next`,
    });
    expect(other.received[0]?.headers).toMatchObject({ 'x-one': '1' });
    expect(other.received[0]?.headers).not.toHaveProperty('authorization');
    await other.close();
  });

  it('[3/api.application-settings/27 external_authorization_service_enabled] proves itself by a certificate where the other side asks for one', async () => {
    const names: (string | undefined)[] = [];
    const options = { pfx: currentKeystore, passphrase: '', requestCert: true, rejectUnauthorized: false };
    const server = createTlsServer(options, (request, response) => {
      names.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN));
      response.end('ok');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const ask = (more: Partial<OutboundRequest>) =>
      send(`https://127.0.0.1:${port}/`, open, { verifyTls: false, ...more });
    const clientCertificate = { cert: certificate, key: certificateKey, passphrase: 'open-it' };
    expect([(await ask({})).ok, (await ask({ clientCertificate })).ok]).toEqual([true, true]);
    expect(names).toEqual(['undefined', 'millrace']);
    // A key that the passphrase does not open is a failure like others.
    const wrong = { ...clientCertificate, passphrase: 'wrong' };
    expect(await ask({ clientCertificate: wrong })).toMatchObject({ ok: false });
    server.closeAllConnections();
    server.close();
  });

  it('fails with a reason when nobody answers, in time or at all, and without the address in it', async () => {
    receiver.answer = { status: -1 };
    expect(await send(`${receiver.url}/canary`, open, { timeout: 50 })).toMatchObject({ ok: false, reason: 'timeout' });
    receiver.answer = { status: 0 };
    const broken = await send(`${receiver.url}/canary`, open);
    expect(broken).toMatchObject({ ok: false, reason: 'connection' });
    expect(JSON.stringify(broken)).not.toContain('canary');
    // Connects, and never shakes hands.
    const deaf = createServer(() => undefined);
    await new Promise<void>((resolve) => deaf.listen(0, '127.0.0.1', resolve));
    const { port } = deaf.address() as { port: number };
    const tls = await send(`https://127.0.0.1:${port}/`, open, { connectTimeout: 50 });
    expect(tls).toMatchObject({ ok: false, reason: 'timeout' });
    deaf.close();
    expect(await send(`https://127.0.0.1:${receiver.port}/`, open)).toMatchObject({ ok: false });
    expect(await send(receiver.url, open, { signal: AbortSignal.abort() })).toMatchObject({ ok: false });
  });
});
