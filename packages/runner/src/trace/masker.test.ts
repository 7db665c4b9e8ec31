/** Masking, checked against every way to cut the same text into chunks. */
import { expect, test } from 'vitest';
import { createMasker } from './masker.ts';

function mask(values: string[], prefixes: string[], chunks: (string | Buffer)[]): string {
  const masker = createMasker(values, prefixes);
  const out = chunks.map((chunk) => masker.push(Buffer.from(chunk as string)));
  return Buffer.concat([...out, masker.end()]).toString();
}

const SECRETS = ['abc', 'abcdefgh', 'defghijkl', 'pässwörd!'];
const TEXT = 'x abc y abcdefgh z abcdefghijkl pässwörd! ab glpat-Ab_c.d=e-9! glpat-';
const MASKED = 'x [MASKED] y [MASKED] z [MASKED]ijkl [MASKED] ab glpat-[MASKED]! glpat-';

test('[security 21] the result does not depend on where chunks end', () => {
  const bytes = Buffer.from(TEXT);
  expect(mask(SECRETS, ['glpat-'], [bytes])).toBe(MASKED);
  for (let first = 1; first < bytes.length; first++) {
    expect(mask(SECRETS, ['glpat-'], [bytes.subarray(0, first), bytes.subarray(first)])).toBe(MASKED);
  }
  expect(
    mask(
      SECRETS,
      ['glpat-'],
      [...bytes].map((byte) => Buffer.from([byte])),
    ),
  ).toBe(MASKED);
});

test('[security 21] base64 at any offset, URL-encoded, JSON and multi-line forms are hidden', () => {
  const secret = 'S3cret "value" & more/+?';
  for (const prefix of ['', 'u', 'us', 'use', 'user:']) {
    const encoded = Buffer.from(`${prefix}${secret}-tail`).toString('base64');
    const shown = mask([secret], [], [`>${encoded}<`]);
    expect(shown).toContain('[MASKED]');
    const rest = shown.slice(1, -1).split('[MASKED]').join('');
    expect(rest.length).toBeLessThan(20);
  }
  expect(mask([secret], [], [encodeURIComponent(secret)])).toBe('[MASKED]');
  expect(mask([secret], [], [encodeURIComponent(secret).replaceAll('%20', '+')])).toBe('[MASKED]');
  expect(mask([secret], [], [JSON.stringify({ secret })])).toBe('{"secret":"[MASKED]"}');
  const key = '-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----';
  const shown = mask([key], [], [`a\r\n${key.replaceAll('\n', '\r\n')}\r\nMIIEvQIBADANBgkq`]);
  expect(shown).toBe('a\r\n[MASKED]\r\n[MASKED]');
});

test('[security 21] encoded forms are hidden at every cut, and byte by byte', () => {
  const secret = 'S3cret "value" & more/+?';
  const base64 = Buffer.from(`us${secret}-tail`).toString('base64');
  const text = Buffer.from(`>${base64}< >${encodeURIComponent(secret)}< >${JSON.stringify(secret)}< >${secret}<`);
  const whole = mask([secret], [], [text]);
  expect(whole).toMatch(/^>.{0,4}\[MASKED\].{0,10}< >\[MASKED\]< >"\[MASKED\]"< >\[MASKED\]<$/);
  for (let cut = 1; cut < text.length; cut++)
    expect(mask([secret], [], [text.subarray(0, cut), text.subarray(cut)])).toBe(whole);
  const single = [...text].map((byte) => Buffer.from([byte]));
  expect(mask([secret], [], single)).toBe(whole);
});

test('output that cannot be part of a secret is not kept back', () => {
  const masker = createMasker(['secret-value'], []);
  expect(masker.push(Buffer.from('ready\n')).toString()).toBe('ready\n');
  expect(masker.push(Buffer.from('it is secret-')).toString()).toBe('it is ');
  expect(masker.push(Buffer.from('ly\n')).toString()).toBe('secret-ly\n');
});

test('binary output without secrets passes unchanged', () => {
  const bytes = Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256));
  const masker = createMasker(['not in there'], ['glpat-']);
  expect(Buffer.concat([masker.push(bytes), masker.end()])).toEqual(bytes);
});
