/** Mail against a real SMTP server: what arrives, how it is encrypted, and what happens when the server does not take it. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { type MailServer, startMailServer } from '../../../test/mail.ts';
import { queuedPayloads, runWaiting } from '../../../test/queue.queries.ts';
import { transaction } from '../db/index.ts';
import { secretsFrom } from '../secrets/index.ts';
import { createMail } from './mail.ts';
import { renderMail } from './message.ts';
import { isMailAddress, parseSmtpUrl } from './smtp-url.ts';

let server: MailServer;
let app: TestApp;
beforeAll(async () => {
  server = await startMailServer({ user: 'millrace', password: 'p@ss/word' });
  app = await startTestApp({
    background: true,
    environment: {
      MILLRACE_SMTP_URL: `${server.url}?tls=required&verify=off`,
      MILLRACE_MAIL_FROM: 'The Mill <mill@example.com>',
      MILLRACE_MAIL_REPLY_TO: 'help@example.com',
    },
  });
});
afterAll(async () => {
  await app.close();
  await server.close();
});

const letter = {
  to: 'reader@example.com',
  subject: 'Hello\r\nBcc: everybody@example.com',
  paragraphs: ['One & <two>.'],
  action: { label: 'Open', url: 'https://forge.example/x?a=1&b="2"' },
};

describe('a message', () => {
  it('arrives encrypted, from the configured sender, as text and HTML, for one reader only', async () => {
    expect(await transaction(app.db, (tx) => app.mail.send(tx, letter))).toBe(true);
    const got = await server.next('reader@example.com');
    expect(got).toMatchObject({ from: 'mill@example.com', to: ['reader@example.com'], secure: true, user: 'millrace' });
    expect(got.header('From')).toBe('The Mill <mill@example.com>');
    expect(got.header('Reply-To')).toBe('help@example.com');
    expect(got.header('To')).toBe('reader@example.com');
    expect(got.header('Subject')).toBe('Hello Bcc: everybody@example.com');
    expect(got.header('Bcc')).toBeNull();
    expect(got.text).toContain('One & <two>.');
    expect(got.html).toContain('One &amp; &lt;two&gt;.');
    expect(got.html).toContain('href="https://forge.example/x?a=1&amp;b=&quot;2&quot;"');
  });

  it('is dropped in silent mode', async () => {
    await app.settings.write({ silent_mode_enabled: true });
    await transaction(app.db, (tx) => app.mail.send(tx, { ...letter, to: 'silent@example.com' }));
    await expect.poll(() => app.logs.some((line) => line.includes('silent mode is enabled'))).toBe(true);
    await app.settings.write({ silent_mode_enabled: false });
    await transaction(app.db, (tx) => app.mail.send(tx, { ...letter, to: 'reader@example.com' }));
    await server.next('reader@example.com');
    expect(server.received.filter(({ to }) => to.includes('silent@example.com'))).toEqual([]);
  });

  it('is not sent when the transaction of its cause fails', async () => {
    const failing = transaction(app.db, async (tx) => {
      await app.mail.send(tx, { ...letter, to: 'never@example.com' });
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    await transaction(app.db, (tx) => app.mail.send(tx, { ...letter, to: 'after@example.com' }));
    await server.next('after@example.com');
    expect(server.received.some((each) => each.to.includes('never@example.com'))).toBe(false);
  });

  it('waits sealed: links in it cannot be read from the queue', async () => {
    server.refuse('450 later');
    await transaction(app.db, (tx) => app.mail.send(tx, { ...letter, to: 'queued@example.com' }));
    await expect.poll(() => server.refused).toBeGreaterThan(0);
    const payloads = await queuedPayloads(app.db, 'sealed');
    expect(payloads.length).toBeGreaterThan(0);
    expect(payloads.join()).not.toMatch(/forge\.example|queued@/);
    server.refuse(null);
    await expect
      .poll(async () => {
        await runWaiting(app.db);
        return server.received.filter(({ to }) => to.includes('queued@example.com')).length;
      })
      .toBe(1);
  });

  it('that the server refuses for good is dropped, not tried again', async () => {
    server.refuse('550 no such person');
    const before = server.refused;
    await transaction(app.db, (tx) => app.mail.send(tx, { ...letter, to: 'gone@example.com' }));
    await expect.poll(() => server.refused).toBe(before + 1);
    await expect.poll(() => app.logs.some((line) => line.includes('refused a message for good'))).toBe(true);
    server.refuse(null);
    await expect.poll(() => queuedPayloads(app.db, 'sealed')).toEqual([]);
  });
});

describe('the check of the server', () => {
  const mail = (smtpUrl: string | null) =>
    createMail({
      smtpUrl,
      from: null,
      replyTo: null,
      externalUrl: 'https://forge.example',
      settings: app.settings,
      frame: () => Promise.resolve({ header: null, footer: null, background: '', color: '' }),
      secrets: secretsFrom(randomBytes(32)),
      log: { info: () => undefined, warn: () => undefined },
    });

  it('tells who answered, and what is wrong', async () => {
    expect(await app.mail.check()).toMatch(/answers, signed in$/);
    await expect(mail(`${server.url}?tls=required`).check()).rejects.toThrow(/self-signed|certificate/);
    const wrong = server.url.replace('p%40ss%2Fword', 'wrong');
    await expect(mail(`${wrong}?verify=off`).check()).rejects.toThrow(/535|Invalid login/);
    await expect(mail(null).check()).rejects.toThrow('MILLRACE_SMTP_URL');
  });

  it('without a server nothing is queued', async () => {
    expect(mail(null).configured).toBe(false);
    expect(await transaction(app.db, (tx) => mail(null).send(tx, letter))).toBe(false);
  });
});

it('takes only what is one plain address', () => {
  for (const good of ['a@example.com', "o'neil+x@sub.example.com", 'ü@exämple.com'])
    expect(isMailAddress(good)).toBe(true);
  for (const bad of [
    'a',
    'a@b@c',
    'a,b@example.com',
    'a@x.com, b@y.com',
    '<a@x.com>',
    'a @x',
    'a@x\r\nBcc: b@y',
    '"a"@x',
  ])
    expect(isMailAddress(bad)).toBe(false);
});

it('reads the address of the server, and names what is accepted', () => {
  expect(parseSmtpUrl('smtps://u:p%40@mail.example')).toMatchObject({
    port: 465,
    tls: 'implicit',
    user: 'u',
    password: 'p@',
  });
  expect(parseSmtpUrl('smtp://mail.example')).toMatchObject({ port: 587, tls: 'offered', verify: true, user: null });
  expect(parseSmtpUrl('smtp://[::1]:2525?tls=off')).toMatchObject({ host: '::1', port: 2525, tls: 'off' });
  for (const wrong of [
    'mail.example',
    'http://x',
    'smtp://',
    'smtps://x?tls=off',
    'smtp://x?tls=on',
    'smtp://x/path',
    'smtp://x?a=b',
  ])
    expect(() => parseSmtpUrl(wrong)).toThrow('smtp://user:password@host:port');
});

it('says the same in both parts', () => {
  const { text, html } = renderMail({ ...letter, details: [['Address', '127.0.0.1']], closing: 'Bye.' }, 'https://f');
  for (const part of ['Address', '127.0.0.1', 'Bye.', 'Open', 'https://f'])
    expect([text.includes(part), html.includes(part)]).toEqual([true, true]);
});
