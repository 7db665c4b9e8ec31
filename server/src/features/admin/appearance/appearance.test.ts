/** The appearance of the instance: what administrators set, and what pages, browsers and mails get of it. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildAdmin, buildToken, buildUser } from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let mail: MailServer;
let admin: string;
beforeAll(async () => {
  mail = await startMailServer();
  app = await startTestApp({ background: true, environment: { MILLRACE_SMTP_URL: `${mail.url}?tls=off` } });
  admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
});
afterAll(async () => {
  await app.close();
  await mail.close();
});

const path = '/application/appearance';
const nothing = {
  ...{ title: '', description: '', pwa_name: '', pwa_short_name: '', pwa_description: '' },
  ...{ logo: null, pwa_icon: null, header_logo: null, favicon: null },
  ...{ member_guidelines: '', new_project_guidelines: '', profile_image_guidelines: '' },
  ...{ header_message: '', footer_message: '', message_background_color: '#E75E40', message_font_color: '#FFFFFF' },
  email_header_and_footer_enabled: false,
};
const put = (json: Json) => app.api<Json>('PUT', path, { token: admin, json });
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const upload = (name: string, bytes: Buffer | string, file: string) => {
  const form = new FormData();
  form.set(name, new File([new Uint8Array(Buffer.from(bytes))], file));
  return app.api<Json>('PUT', path, { token: admin, form });
};
const served = (address: unknown, headers: Record<string, string> = {}) => fetch(`${app.url}${address}`, { headers });
const page = async (address: string) => (await app.request<Json>('GET', address)).body;
afterEach(async () => {
  await put(nothing);
});

describe('/application/appearance', () => {
  it('has defaults, keeps what is set, and takes an empty text or null as nothing', async () => {
    expect((await app.api(`GET`, path, { token: admin })).body).toEqual(nothing);
    const given = {
      ...{
        title: 'ACME',
        description: 'Our **code**',
        pwa_name: 'ACME forge',
        pwa_short_name: 'ACME',
        pwa_description: 'x',
      },
      ...{ member_guidelines: 'Ask *first*', new_project_guidelines: 'See FAQ', profile_image_guidelines: 'A face' },
      ...{
        header_message: 'Above',
        footer_message: 'Below',
        message_background_color: '#123',
        message_font_color: '#aabbcc',
      },
      email_header_and_footer_enabled: true,
    };
    expect(await put(given)).toMatchObject({ status: 200, body: { ...nothing, ...given } });
    expect((await app.api('GET', path, { token: admin })).body).toEqual({ ...nothing, ...given });
    expect((await put({ short_title: 'A', title: null })).body).toMatchObject({ pwa_short_name: 'A', title: '' });
    expect((await put({})).body).toMatchObject({ pwa_short_name: 'A', header_message: 'Above' });
  });

  it('refuses colors, lengths and files that are none, and changes nothing then', async () => {
    const refused = await put({ message_background_color: 'red', pwa_name: 'x'.repeat(256), title: 'T' });
    expect([refused.status, refused.body.message]).toEqual([
      400,
      {
        message_background_color: ['must be a valid color code'],
        pwa_name: ['is too long (maximum is 255 characters)'],
      },
    ]);
    expect((await put({ profile_image_guidelines: 'x'.repeat(4097) })).status).toBe(400);
    const files = [
      ['logo', '<html></html>', 'a.png', 'file format is not supported'],
      ['favicon', 'GIF89a\x01\0\x01\0', 'a.ico', 'file format is not supported'],
      ['header_logo', Buffer.concat([png, Buffer.alloc(1024 * 1024)]), 'a.png', 'is too big (should be at most 1 MiB)'],
    ] as const;
    for (const [name, bytes, file, reason] of files)
      expect(await upload(name, bytes, file)).toMatchObject({
        status: 400,
        body: { message: { [name]: [expect.stringContaining(reason)] } },
      });
    expect((await app.api('GET', path, { token: admin })).body).toEqual(nothing);
  });

  it('is for administrators alone', async () => {
    const { secret } = await buildToken(app);
    for (const method of ['GET', 'PUT'] as const) {
      expect((await app.api(method, path, method === 'PUT' ? { json: {} } : {})).status).toBe(401);
      expect((await app.api(method, path, { token: secret, ...(method === 'PUT' ? { json: {} } : {}) })).status).toBe(
        403,
      );
    }
  });

  it('security 5: pictures are served so that nothing in them runs, and given up when they are replaced', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    const first = await upload('header_logo', svg, '../../our logo.SVG');
    expect(first.body).toMatchObject({ header_logo: '/uploads/-/system/appearance/header_logo/1/our_logo.svg' });
    const got = await served(first.body.header_logo);
    expect([got.status, got.headers.get('content-type'), await got.text()]).toEqual([200, 'image/svg+xml', svg]);
    expect(got.headers.get('content-security-policy')).toContain('sandbox');
    expect(got.headers.get('x-content-type-options')).toBe('nosniff');
    const again = { 'If-None-Match': String(got.headers.get('etag')) };
    expect((await served(first.body.header_logo, again)).status).toBe(304);
    const row = () => app.db.selectFrom('appearances').selectAll().executeTakeFirstOrThrow();
    const key = String((await row()).header_logo).split('/')[0] ?? '';
    const second = await upload('header_logo', png, 'new.png');
    expect((await served(first.body.header_logo)).status).toBe(404);
    expect((await served(second.body.header_logo)).status).toBe(200);
    const given = await app.db.selectFrom('object_deletions').where('object_key', '=', key).selectAll().execute();
    expect(given).toHaveLength(1);
    const empty = new FormData();
    empty.set('header_logo', '');
    expect((await app.api<Json>('PUT', path, { token: admin, form: empty })).body.header_logo).toBeNull();
    expect((await served('/uploads/-/system/appearance/title/1/new.png')).status).toBe(404);
  });
});

describe('what follows', () => {
  it('the frame of all pages: lines in one line of inert HTML, their colors, the logo', async () => {
    expect((await page('/-/session')).appearance).toBeNull();
    const text = '**Read** [this](https://status.example.com)\n<script>alert(1)</script>';
    await put({ header_message: text, message_background_color: '#000', message_font_color: '#fff' });
    const { appearance } = (await page('/-/session')) as { appearance: Json };
    expect(appearance).toMatchObject({ footer_html: '', background: '#000', color: '#fff', logo: null });
    expect(appearance.header_html).toContain('<strong>Read</strong>');
    expect(appearance.header_html).toContain('href="https://status.example.com"');
    expect(appearance.header_html).not.toContain('<script');
    const logo = await upload('header_logo', png, 'a.png');
    expect((await page('/-/session')).appearance).toMatchObject({ logo: logo.body.header_logo });
  });

  it.each([
    // The colors that there are until somebody chooses others, and those that people can tell apart.
    ['#E75E40', '#FFFFFF', '#000000'],
    ['#123', '#456', '#ffffff'],
    ['#000', '#fff', '#fff'],
    ['#7a1f5c', '#FFFFFF', '#FFFFFF'],
  ])('text on %s is readable: %s is shown as %s, and kept as it was chosen', async (background, chosen, shown) => {
    const { body } = await put({
      header_message: 'Read',
      message_background_color: background,
      message_font_color: chosen,
    });
    expect(body).toMatchObject({ message_background_color: background, message_font_color: chosen });
    expect((await page('/-/session')).appearance).toMatchObject({ background, color: shown });
  });

  it('the pages before the sign-in: title, description, logo', async () => {
    await put({ title: 'ACME', description: 'Our *code*' });
    const logo = await upload('logo', png, 'big.png');
    const { instance } = (await page('/-/registration')) as { instance: Json };
    expect(instance).toMatchObject({ title: 'ACME', logo: logo.body.logo });
    expect(instance.description_html).toContain('<em>code</em>');
  });

  it('guidelines, for everybody who does what they are about', async () => {
    await put({ member_guidelines: '*m*', new_project_guidelines: '*n*', profile_image_guidelines: '*p*' });
    const { body } = await app.api<{ guidelines: Json }>('GET', '/instance_configuration');
    expect(body.guidelines).toEqual({
      members_html: expect.stringContaining('<em>m</em>'),
      new_project_html: expect.stringContaining('<em>n</em>'),
      profile_image_html: expect.stringContaining('<em>p</em>'),
    });
  });

  it('the manifest of the installed web app', async () => {
    const manifest = async () => {
      const answer = await fetch(`${app.url}/-/manifest.json`);
      expect(answer.headers.get('content-type')).toMatch(/^application\/manifest\+json/);
      return await answer.json();
    };
    expect(await manifest()).toMatchObject({ name: 'Millrace', icons: [{ src: '/favicon.svg' }] });
    await put({ pwa_name: 'ACME forge', pwa_short_name: 'ACME', pwa_description: 'Code' });
    const { body } = await upload('pwa_icon', png, 'icon.png');
    expect(await manifest()).toMatchObject({
      ...{ name: 'ACME forge', short_name: 'ACME', description: 'Code' },
      icons: [{ src: body.pwa_icon }, { src: body.pwa_icon }],
    });
  });

  it('mails: above and below everything, only where that is switched on', async () => {
    const told = async () => {
      const { id, email } = await buildUser(app);
      await app.api('POST', `/users/${id}/deactivate`, { token: admin });
      return await mail.next(email);
    };
    await put({ header_message: 'Foo [x](/help)', footer_message: '**Bar**', message_background_color: '#010203' });
    const without = await told();
    expect([without.text.includes('Foo'), without.html.includes('Bar')]).toEqual([false, false]);
    await put({ email_header_and_footer_enabled: true });
    const { text, html } = await told();
    expect(text).toMatch(/^Foo \[x\]\(\/help\)\r?\n/);
    expect(text.trimEnd()).toMatch(/\*\*Bar\*\*$/);
    expect(html).toContain('background:#010203');
    expect(html).toContain(`href="${app.url}/help"`);
    expect(html.indexOf('Foo')).toBeLessThan(html.indexOf('<strong>Bar</strong>'));
  });
});
