/** What browsers get of the web application, and what stays with the API. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { createHttpServer } from '../../kernel/http/server.ts';
import { webPages } from './web-pages.ts';

const directory = mkdtempSync(join(tmpdir(), 'mr-pages-'));
mkdirSync(join(directory, 'assets'));
writeFileSync(join(directory, 'index.html'), '<!doctype html><title>page</title>');
writeFileSync(join(directory, 'assets/main-abc.js'), 'export {};');
writeFileSync(join(directory, 'assets/main-abc.js.br'), 'brotli');
writeFileSync(join(directory, 'assets/main-abc.js.gz'), 'gzip');
writeFileSync(join(directory, 'assets/symbols.worker-abc.js'), 'export {};');
writeFileSync(join(directory, 'assets/highlight.worker-abc.js'), 'export {};');
writeFileSync(join(directory, 'assets/grammar-abc.wasm'), '');
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function serve(from: string) {
  const pages = webPages({ directory: from });
  const server = createHttpServer(
    { log: pino({ level: 'silent' }), trustedProxies: [], fallback: pages.fallback },
    () => [],
  );
  pages.mount(server);
  return server;
}
/** What pages ask of the project whose header they show. */
const ofProject = '?license=true&with_starred=true&with_counts=true';
const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('web pages', () => {
  it.each(['/', '/group/project/-/tree/main/a.html', '/users/sign_in?x=1', '/api/docs', '/api/docs?operation=x'])(
    '%s is the document',
    async (url) => {
      const answer = await serve(directory).inject({ url, headers: html });
      expect([answer.statusCode, answer.headers['content-type'], answer.body]).toEqual([
        200,
        'text/html; charset=utf-8',
        '<!doctype html><title>page</title>',
      ]);
      const policy = String(answer.headers['content-security-policy']);
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/script-src[^;]*unsafe/);
    },
  );

  it('the document names the icons that administrators chose, and the manifest', async () => {
    const from = mkdtempSync(join(tmpdir(), 'mr-icons-'));
    writeFileSync(
      join(from, 'index.html'),
      '<link rel="icon" href="/favicon.svg" type="image/svg+xml" /><title>page</title>',
    );
    let icons: { favicon: string | null; pwa_icon: string | null } = { favicon: null, pwa_icon: null };
    const pages = webPages({ directory: from, appearance: () => icons });
    const server = createHttpServer(
      { log: pino({ level: 'silent' }), trustedProxies: [], fallback: pages.fallback },
      () => [],
    );
    const first = await server.inject({ url: '/', headers: html });
    expect(first.body).toContain('<link rel="icon" href="/favicon.svg" type="image/svg+xml" />');
    expect(first.body).toContain('<link rel="manifest" href="/-/manifest.json" />');
    expect(first.headers['content-security-policy']).toContain("manifest-src 'self'");
    icons = { favicon: 'key/f.png', pwa_icon: 'key/i.png' };
    const second = await server.inject({ url: '/', headers: { ...html, 'if-none-match': String(first.headers.etag) } });
    expect([second.statusCode, second.body]).toEqual([
      200,
      expect.stringContaining('<link rel="icon" href="/uploads/-/system/appearance/favicon/1/f.png" />'),
    ]);
    expect(second.body).toContain(
      '<link rel="apple-touch-icon" href="/uploads/-/system/appearance/pwa_icon/1/i.png" />',
    );
    rmSync(from, { recursive: true, force: true });
  });

  it.each([
    ['/', []],
    ['/admin/users', []],
    ['/users/sign_in?return_to=/a/b', []],
    ['/group', []],
    ['/group/project', [`/api/v4/projects/group%2Fproject${ofProject}`]],
    ['/group/sub/pro.ject-1/-/issues?state=all', [`/api/v4/projects/group%2Fsub%2Fpro.ject-1${ofProject}`]],
    [
      '/groups/group/sub/-/merge_requests',
      ['/api/v4/groups/group%2Fsub?with_projects=false&with_own_access_level=true&with_counts=true'],
    ],
    ['/groups/new', []],
    ['/group/a%3E,%20b/-/issues', []],
    ['/dashboard/work', []],
  ])('says with %s what the page asks for first', async (url, addresses) => {
    const { headers } = await serve(directory).inject({ url, headers: html });
    const links = ['/-/session', ...addresses].map((address) => `<${address}>; rel=preload; as=fetch; crossorigin`);
    expect(headers.link).toBe(links.join(', '));
  });

  describe('of a build that says what its pages begin with', () => {
    const built = mkdtempSync(join(tmpdir(), 'mr-first-'));
    const page = (of: string, path: string, name: string, asks?: string[]) => ({
      ...{ of, path, files: [`assets/${name}.js`] },
      ...(asks ? { asks } : {}),
    });
    const pages = [
      page('project', '', 'Overview'),
      page('project', 'blob/.+', 'Blob'),
      page('project', 'issues/(\\d+)', 'Issue', ['issues/$1?render_html=true', 'issues/$1/discussions']),
      page('group', 'epics', 'Epics'),
      page('instance', '', 'Start', ['/user_counts']),
      page('instance', 'admin', 'Admin'),
    ];
    const first = { scripts: ['assets/index.js'], styles: ['assets/index.css'], old: ['issues'], pages };
    writeFileSync(join(built, 'index.html'), '<!doctype html>');
    writeFileSync(join(built, 'first-loads.json'), JSON.stringify(first));
    afterAll(() => rmSync(built, { recursive: true, force: true }));

    const about = '/api/v4/projects/group%2Fproject';
    const asked = `${about}${ofProject}`;
    it.each([
      ['/', ['Start'], []],
      ['/group/project', ['Overview'], [asked]],
      ['/group/project/-/blob/main/a%3E,%20b', ['Blob'], [asked]],
      [
        '/group/project/-/issues/7',
        ['Issue'],
        [asked, `${about}/issues/7?render_html=true`, `${about}/issues/7/discussions`],
      ],
      [
        '/group/project/-/issues/7/',
        ['Issue'],
        [asked, `${about}/issues/7?render_html=true`, `${about}/issues/7/discussions`],
      ],
      ['/group/project/-/issues/7?x=1', ['Issue'], [asked]],
      ['/group/project/-/issues/7>,', [], [asked]],
      [
        '/group/project/issues/7',
        ['Issue'],
        [asked, `${about}/issues/7?render_html=true`, `${about}/issues/7/discussions`],
      ],
      ['/group/issues', ['Overview'], [`/api/v4/projects/group%2Fissues${ofProject}`]],
      ['/u/somebody', [], []],
      [
        '/groups/group/-/epics?state=all',
        ['Epics'],
        ['/api/v4/groups/group?with_projects=false&with_own_access_level=true&with_counts=true'],
      ],
      [
        '/groups/group/sub',
        [],
        ['/api/v4/groups/group%2Fsub?with_projects=false&with_own_access_level=true&with_counts=true'],
      ],
      ['/admin', ['Admin'], []],
      ['/-/user_settings/profile', [], []],
      ['/group', [], []],
    ])('%s', async (url, files, addresses) => {
      const { headers } = await serve(built).inject({ url, headers: html });
      expect(String(headers.link).split(', ')).toEqual([
        '</assets/index.js>; rel=modulepreload',
        '</assets/index.css>; rel=preload; as=style; crossorigin',
        ...['/-/session', ...addresses].map((address) => `<${address}>; rel=preload; as=fetch; crossorigin`),
        ...files.map((name) => `</assets/${name}.js>; rel=modulepreload`),
      ]);
    });

    it('names what only people who are signed in ask where there is a session', async () => {
      const { headers } = await serve(built).inject({ url: '/', headers: { ...html, cookie: '_service_session=x' } });
      expect(headers.link).toContain('</api/v4/user_counts>; rel=preload; as=fetch; crossorigin');
    });

    it('is no file for others', async () => {
      const { statusCode } = await serve(built).inject({
        url: '/first-loads.json',
        headers: { accept: 'application/json' },
      });
      expect(statusCode).toBe(404);
    });
  });

  it('images may come from one other origin, where the instance has a proxy for them', async () => {
    let origin: string | null = null;
    const pages = webPages({ directory, imageOrigin: () => origin });
    const server = createHttpServer(
      { log: pino({ level: 'silent' }), trustedProxies: [], fallback: pages.fallback },
      () => [],
    );
    const policy = async () =>
      String((await server.inject({ url: '/', headers: html })).headers['content-security-policy']);
    expect(await policy()).toContain("img-src 'self' data:;");
    origin = 'https://camo.example';
    expect(await policy()).toContain("img-src 'self' data: https://camo.example;");
  });

  it('files of the build are kept for ever and have their type', async () => {
    const answer = await serve(directory).inject({ url: '/assets/main-abc.js' });
    expect([answer.statusCode, answer.headers['content-type'], answer.headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });

  it('only the worker that parses code may compile WebAssembly', async () => {
    const scripts = async (name: string) => {
      const { headers } = await serve(directory).inject({ url: `/assets/${name}` });
      return /script-src ([^;]*);/.exec(String(headers['content-security-policy']))?.[1];
    };
    expect(await scripts('symbols.worker-abc.js')).toBe("'self' 'wasm-unsafe-eval'");
    // The policy of a page holds for its scripts; a worker has its own.
    expect(await scripts('main-abc.js')).toBeUndefined();
    expect(await scripts('highlight.worker-abc.js')).toBe("'self'");
    const grammar = await serve(directory).inject({ url: '/assets/grammar-abc.wasm' });
    expect(grammar.headers['content-type']).toBe('application/wasm');
  });

  it.each([
    ['gzip, deflate, br', 'br', 'brotli'],
    ['gzip', 'gzip', 'gzip'],
    ['identity', undefined, 'export {};'],
  ])('files come as the build compressed them: %s', async (accepted, coding, body) => {
    const answer = await serve(directory).inject({
      url: '/assets/main-abc.js',
      headers: { 'accept-encoding': accepted },
    });
    expect([answer.headers['content-encoding'], answer.body, answer.headers.vary]).toEqual([
      coding,
      body,
      'Accept-Encoding',
    ]);
    expect(answer.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect((await serve(directory).inject({ url: '/assets/main-abc.js.br' })).statusCode).toBe(404);
  });

  it('the document is not sent again while it is the same', async () => {
    const server = serve(directory);
    const first = await server.inject({ url: '/', headers: html });
    const again = await server.inject({ url: '/', headers: { ...html, 'if-none-match': String(first.headers.etag) } });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('opens for whoever takes anything', async () => {
    for (const headers of [{}, { accept: '*/*' }])
      expect((await serve(directory).inject({ url: '/group/project', headers })).statusCode).toBe(200);
  });

  it.each([
    ['the API', '/api/v4/nothing', html, 'GET'],
    ['the root of the API', '/api?x', html, 'GET'],
    ['what is like the reference', '/api/docsx', html, 'GET'],
    ['a missing asset', '/assets/gone.js', html, 'GET'],
    ['a program', '/group/project', { accept: 'application/json' }, 'GET'],
    ['a change', '/group/project', html, 'POST'],
  ] as const)('%s is a 404 in JSON', async (_what, url, headers, method) => {
    const answer = await serve(directory).inject({ url, headers, method });
    expect([answer.statusCode, answer.json()]).toEqual([404, { error: '404 Not Found' }]);
  });

  it('security 2: no file outside the build is reached', async () => {
    for (const url of ['/assets/../../etc/passwd', '/assets/..%2f..%2f..%2fetc%2fpasswd', '/..%2findex.html']) {
      const answer = await serve(directory).inject({ url, headers: { accept: 'image/png' } });
      expect([url, answer.statusCode]).toEqual([url, 404]);
      // Whoever takes anything gets the page or the refusal, never a file from elsewhere.
      expect((await serve(directory).inject({ url })).body).not.toContain('root:');
    }
  });

  it('without a build there are no pages', async () => {
    const answer = await serve(join(directory, 'assets')).inject({ url: '/', headers: html });
    expect(answer.statusCode).toBe(404);
  });
});
