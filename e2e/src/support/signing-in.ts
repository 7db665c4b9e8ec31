/** The sign-in page, as people fill it. */
import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';

export interface Login {
  readonly login: string;
  readonly password: string;
}

/** Sends name and password; what comes then is the test's matter. */
export async function sendLogin(page: Page, { login, password }: Login): Promise<void> {
  await page.goto('/users/sign_in');
  await page.getByLabel('Username or email').fill(login);
  await page.locator('input[name=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Somebody is signed in. */
export const signedIn = (page: Page): Promise<void> => page.getByRole('button', { name: /^Account of/ }).waitFor();

/** Signs in where a password is enough. */
export async function signIn(page: Page, account: Login): Promise<void> {
  await sendLogin(page, account);
  await signedIn(page);
}

export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('Username or email').waitFor();
}

/** RFC 6238 by hand: the product's library must not check itself. */
export function totpCode(base32: string, at = Date.now()): string {
  const bits = [...base32].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const hash = createHmac('sha1', key).update(step).digest();
  const offset = (hash.at(-1) ?? 0) & 15;
  return String((hash.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}
