/** The token of a job in its log, cut at every place. */
import { expect, it } from 'vitest';
import { tokenMask } from './token-mask.ts';

const token = 'mrcbt-Ab_c-D3fGh1jKlMn0pQr';
const mask = tokenMask(token);
const inBase64 = (before: string, after: string) => Buffer.from(`${before}${token}${after}`).toString('base64');

it('[security 21] is hidden as it is and in base64 at every offset, and nothing moves', () => {
  for (const spelling of [token, ...['', 'u', 'us', 'use'].map((before) => inBase64(before, ':tail'))]) {
    const text = Buffer.from(`> ${spelling} <`);
    const { length } = text;
    expect(mask.hide(text)).toBeGreaterThan(0);
    expect(text.length).toBe(length);
    expect(text.toString()).toMatch(/^> .{0,6}x{26,}.{0,10} <$/);
  }
});

it('[security 21] that begins before a piece is seen at every cut, and hardly ever where there is none', () => {
  const text = Buffer.from(`log ${token} end`);
  for (let cut = 5; cut < 4 + token.length; cut++)
    expect([cut, mask.continuesIn(text.subarray(cut))]).toEqual([cut, true]);
  expect(mask.continuesIn(Buffer.from('$ make all\n'))).toBe(false);
  expect(mask.hide(Buffer.from('nothing of it'))).toBe(-1);
});
