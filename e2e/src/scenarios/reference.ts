/** The reference of the API in a real browser: read by anyone, searched, sent with the session, reached by keyboard. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { accessible, openWindow, screenshot, withBrowser } from '../support/browser.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';
import type { BrowserInstance } from './browser.ts';

const open = async (page: Page, search = ''): Promise<void> => {
  await page.goto(`/api/docs${search}`);
  await page.getByRole('heading', { name: 'API', level: 1, exact: true }).waitFor();
};

export async function referenceJourney(suite: Suite, instance: BrowserInstance): Promise<void> {
  await suite.step('reference: everyone may read it, and it asks nobody else for anything', async () => {
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      const foreign: string[] = [];
      page.on('request', (request) => {
        if (!request.url().startsWith(instance.url) && !request.url().startsWith('data:')) foreign.push(request.url());
      });
      await open(page);
      await page.getByText(/^\d+ operations, version/).waitFor();
      await screenshot(page, 'api-docs');
      await accessible(page);
      await page.getByLabel('Search operations').fill('protected variable');
      await page.getByText('No operations match your search.').waitFor();
      await page.getByLabel('Search operations').fill('commits of a merge request');
      await page.getByRole('link', { name: /list commits of a merge request/i }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(/operation=getProjectsByIdMergeRequestsByMergeRequestIidCommits/);
      await page.getByRole('heading', { name: /commits of a merge request/i, level: 2 }).waitFor();
      await accessible(page);
      await open(page, '?operation=getVersion');
      await page.getByText('Sent without being signed in.').waitFor();
      await page.getByRole('button', { name: 'Send GET' }).click();
      await page.getByRole('status').getByText('401').waitFor();
      // What was refused is a failed request, which browsers log.
      assert.deepEqual(
        person.problems().filter((text) => !text.includes('401')),
        [],
      );
      assert.deepEqual(foreign, []);
    });
  });

  await suite.step('reference: requests are sent as who is signed in, and shown with the command', async () => {
    await withBrowser(async (browser) => {
      const { page, problems } = await openWindow(browser, instance.url);
      await signIn(page, instance);
      await open(page, '?operation=getUser');
      await page.getByRole('button', { name: 'Send GET' }).click();
      const answer = page.getByRole('region', { name: 'Response', exact: true });
      await answer.getByRole('status').getByText(/^200/).waitFor();
      await answer.getByText(`"username": "${instance.login}"`).waitFor();
      await answer.getByText('content-type: application/json').waitFor();
      await page.getByText(`'${instance.url}/api/v4/user'`).waitFor();
      await answer.scrollIntoViewIfNeeded();
      await screenshot(page, 'api-docs-answer');
      await accessible(page);
      // What changes something carries the token of the session.
      await open(page, '?operation=postProjects');
      await page.getByRole('textbox', { name: 'Body' }).fill('{"name": "From the reference"}');
      await page.getByRole('button', { name: 'Send POST' }).click();
      await answer.getByRole('status').getByText(/^201/).waitFor();
      await answer.getByText('"path": "from-the-reference"').waitFor();
      await page.getByRole('textbox', { name: 'Body' }).fill('{');
      await page.getByRole('button', { name: 'Send POST' }).click();
      await page.getByText(/JSON at position|end of JSON|Expected property/).waitFor();
      await open(page, '?operation=getProjectsById');
      await page.getByRole('textbox', { name: 'id', exact: true }).fill('');
      await page.getByRole('button', { name: 'Send GET' }).click();
      await page.getByText('is missing', { exact: true }).waitFor();
      await page.getByRole('textbox', { name: 'id', exact: true }).fill(`${instance.login}/from-the-reference`);
      await page.keyboard.press('Enter');
      await answer.getByRole('status').getByText(/^200/).waitFor();
      await page.getByText('%2Ffrom-the-reference').waitFor();
      assert.deepEqual(problems(), []);
    });
  });

  for (const [suffix, options] of [
    ['', {}],
    ['-dark', { dark: true }],
    ['-narrow', { width: 390 }],
  ] as const) {
    await suite.step(`reference: accessible${suffix.replace('-', ', ')}`, async () => {
      await withBrowser(async (browser) => {
        const { page } = await openWindow(browser, instance.url, options);
        await open(page, '?operation=postProjectsByIdMergeRequests');
        await page.getByText('Fields', { exact: true }).first().click();
        await page
          .getByRole('button', { name: /Show fields of/ })
          .first()
          .click();
        await screenshot(page, `api-docs-operation${suffix}`);
        await accessible(page);
        assert.equal(
          await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
          false,
          'wider than the window',
        );
        await open(page);
        await screenshot(page, `api-docs${suffix}`);
        await accessible(page);
      });
    });
  }
}
