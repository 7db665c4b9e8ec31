/** Which addresses applications may register, and which they may ask for. */
import { describe, expect, it } from 'vitest';
import { acceptsRedirect, redirectUriReasons, redirectUrisOf } from './redirect-uris.ts';

describe('registration', () => {
  it.each([
    'https://client.example/callback',
    'https://client.example:8443/callback?tenant=1',
    'http://localhost:3000/auth',
    'http://127.0.0.1/',
    'http://[::1]:8080/cb',
  ])('%s may be registered by everybody', (uri) => {
    expect(redirectUriReasons([uri], true, false)).toEqual([]);
  });

  it('HTTP to other machines is for instances that allow it', () => {
    expect(redirectUriReasons(['http://client.example/callback'], true, true)).toEqual([]);
    expect(redirectUriReasons(['http:///callback'], true, true)).toHaveLength(1);
  });

  it('a scheme of its own is for native applications', () => {
    expect(
      redirectUriReasons(['com.example.app:/callback', 'vscode://publisher.extension/auth'], false, false),
    ).toEqual([]);
    expect(redirectUriReasons(['vscode://publisher.extension/auth'], true, false)).toHaveLength(1);
  });

  it.each([
    ['javascript:alert(1)', 'forbidden'],
    ['JavaScript://client.example/%0aalert(1)', 'forbidden'],
    ['data:text/html,x', 'forbidden'],
    ['vbscript:x', 'forbidden'],
    ['file:///etc/passwd', 'forbidden'],
    ['blob:https://client.example/1', 'forbidden'],
    ['about:blank', 'forbidden'],
    ['urn:ietf:wg:oauth:2.0:oob', 'forbidden'],
    ['http://client.example/callback', 'HTTPS'],
    ['http://localhost.evil.example/', 'HTTPS'],
    ['http://127.0.0.1.evil.example/', 'HTTPS'],
    ['https://client.example/#fragment', 'fragment'],
    ['https://user@client.example/', 'username'],
    ['https://client.example@evil.example/', 'username'],
    ['//client.example/callback', 'absolute'],
    ['/callback', 'absolute'],
    ['client.example/callback', 'absolute'],
    ['https:client.example/', 'absolute'],
    ['https:///callback', 'absolute'],
    ['https://client.example\\@evil.example/', 'valid'],
    ['https://client.example/ä', 'valid'],
    ['myapp:opaque', 'absolute'],
    ['https://client.example/callback/../evil', "'..'"],
    ['https://client.example/callback/..', "'..'"],
    ['https://client.example/./callback', "'..'"],
    ['https://client.example/callback/%2e%2E/evil', "'..'"],
    ['https://client.example/callback/.%2e?x=1', "'..'"],
    ['http://localhost/../x', "'..'"],
    ['app:/callback/../evil', "'..'"],
    [`https://client.example/${'x'.repeat(2000)}`, 'too long'],
  ])('security 14: %s may not', (uri, reason) => {
    expect(redirectUriReasons([uri], false, false).join(' ')).toContain(reason);
  });

  it('needs at least one, at most fifty', () => {
    expect(redirectUriReasons([], true, false)).toEqual(["can't be blank"]);
    const many = Array.from({ length: 51 }, (_, number) => `https://client.example/${number}`);
    expect(redirectUriReasons(many, true, false)).toEqual(['has more than 50 lines']);
    expect(redirectUrisOf(' https://a.example/ \r\nhttps://b.example/\nhttps://a.example/')).toEqual([
      'https://a.example/',
      'https://b.example/',
    ]);
  });

  it('security 14: there is one spelling of an address', () => {
    for (const [given, kept] of [
      ['HTTPS://Client.Example:443/Cb', 'https://client.example/Cb'],
      ['http://LOCALHOST:80/cb?A=%2f', 'http://localhost/cb?A=%2F'],
      ['https://client.example:/%63b', 'https://client.example/cb'],
      ['https://client.example', 'https://client.example'],
      ['https://client.example/a..b/...', 'https://client.example/a..b/...'],
      ['VSCode://Publisher.Extension/auth', 'vscode://Publisher.Extension/auth'],
    ] as const) {
      expect(redirectUrisOf(given)).toEqual([kept]);
      expect(redirectUriReasons([kept], false, false)).toEqual([]);
    }
    expect(redirectUrisOf('https://a.example/cb HTTPS://A.example:443/cb')).toEqual(['https://a.example/cb']);
  });
});

describe('security 14: a request', () => {
  const web = { redirect_uris: ['https://client.example/callback', 'http://localhost:3000/cb'], confidential: true };
  const native = { redirect_uris: ['http://127.0.0.1/cb', 'http://[::1]:1/cb?a=1', 'app:/cb'], confidential: false };

  it('never has steps in its path, whatever was registered once', () => {
    const application = { redirect_uris: ['https://old.example/a/../b', 'https://old.example/b'], confidential: true };
    expect(acceptsRedirect(application, 'https://old.example/b')).toBe(true);
    for (const steps of ['https://old.example/a/../b', 'https://old.example/a/%2e%2e/b', 'https://old.example/./b'])
      expect([steps, acceptsRedirect(application, steps)]).toEqual([steps, false]);
  });

  it('is accepted at what was registered, letter by letter', () => {
    for (const uri of web.redirect_uris) expect(acceptsRedirect(web, uri)).toBe(true);
    for (const uri of [
      'https://client.example/callback/',
      'https://client.example/callback?x',
      'https://client.example/callback#x',
      'https://client.example/callback/../evil',
      'https://client.example/Callback',
      'https://CLIENT.example/callback',
      'https://client.example:443/callback',
      'https://client.example/%63allback',
      'https://client.example',
      'https://evil.example/callback',
      'https://client.example.evil.example/callback',
      'https://client.example@evil.example/callback',
      'http://client.example/callback',
      'http://localhost:3001/cb',
      'http://127.0.0.1:3000/cb',
      '',
    ])
      expect([uri, acceptsRedirect(web, uri)]).toEqual([uri, false]);
  });

  it('of a native application may name any port of its own machine, and nothing else may differ', () => {
    for (const uri of ['http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb', 'http://[::1]:8000/cb?a=1', 'app:/cb'])
      expect([uri, acceptsRedirect(native, uri)]).toEqual([uri, true]);
    for (const uri of [
      'http://127.0.0.1:49152/other',
      'http://127.0.0.1:49152/cb?x=1',
      'http://127.0.0.1:0/cb',
      'http://127.0.0.1:99999/cb',
      'http://127.0.0.1:1@evil.example/cb',
      'http://127.0.0.2:49152/cb',
      'http://localhost:49152/cb',
      'https://127.0.0.1:49152/cb',
      'http://127.0.0.1:8000\n/cb',
    ])
      expect([uri, acceptsRedirect(native, uri)]).toEqual([uri, false]);
    const confidential = { redirect_uris: ['http://127.0.0.1/cb'], confidential: true };
    expect(acceptsRedirect(confidential, 'http://127.0.0.1:49152/cb')).toBe(false);
  });
});
