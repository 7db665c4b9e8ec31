/** The sign-in page, as people fill it. */
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
