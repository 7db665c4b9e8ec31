/** Addresses of pages as the ecosystem writes them, those that the API returns, the check of configurations, and links to lines. Slow: some hundred addresses are opened. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { api } from '../support/api.ts';
import { accessible, counted, headed, look, openWindow, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';
import { project, type Visit, visits, visitsSignedOut } from './page-visits.ts';
import { configuration, populated } from './page-world.ts';

/** What the server refuses for a reason that its page shows. */
const refusals = [
  // An application's request without anything in it.
  '/-/oauth/authorization',
  // The job is over.
  '/terminal',
  // There are none, and clients expect 404.
  '/ldap_group_links',
  // An address without `-` may name a subgroup or a project.
  encodeURIComponent(`${project}/`),
];

/** Goes to an address inside the application, as a link does: a whole load for each would take minutes. */
async function visit(page: Page, [address, heading, leads = address]: Visit): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(address)}); window.dispatchEvent(new PopStateEvent('popstate'))`,
  );
  const named = page.getByRole('main').getByRole('heading', { name: heading, exact: true });
  const lost = page.getByRole('heading', { name: /^(Page not found|Access denied|Something went wrong)$/ });
  await page.waitForURL((url) => url.pathname.replace(/(?<=.)\/$/, '') + url.search === leads);
  await named.or(lost).first().waitFor();
  assert.equal(await lost.count(), 0, `${address}: ${await lost.allTextContents()}`);
}

/** Opens every part that the list beside settings leads to, and looks at each. */
async function settingsParts(page: Page, address: string, least: number): Promise<void> {
  await page.goto(address);
  await headed(page, 'Settings');
  const list = page.getByRole('navigation', { name: 'Settings' });
  const names = (await list.getByRole('link').allTextContents()).filter((name) => name !== 'Audit events');
  assert.ok(names.length >= least, names.join());
  for (const name of names) {
    await list.getByRole('link', { name, exact: true }).click();
    const part = page.getByRole('region', { name, exact: true });
    await part.getByRole('heading').first().waitFor();
    await counted(part.locator('[aria-busy="true"]'), 0);
    await accessible(page);
  }
}

async function lints(page: Page): Promise<void> {
  await page.goto(`/${project}/-/ci/editor`);
  await headed(page, 'Pipeline editor');
  const text = page.getByLabel('Configuration');
  await valued(text, configuration);
  await page.getByRole('button', { name: 'Validate' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('The configuration is valid.').waitFor();
  await counted(page.getByRole('list', { name: 'Jobs' }).locator('li'), 2);
  await page.getByRole('list', { name: 'Included files' }).getByText('lint.yml').waitFor();
  await page.getByRole('region', { name: 'Contents of merged.yml' }).getByText('echo weighed').waitFor();
  await look(page, 'ci-lint');
  await text.fill('sort:\n  script: 1\n  stage: nowhere\n');
  await text.press('Control+Enter');
  await result.getByText('The configuration is not valid').waitFor();
  await result.getByText(/stage/).first().waitFor();
  await look(page, 'ci-lint-errors');
}

/** Numbers of lines are links: the keyboard reaches and moves over them, and a browser can open or copy them. */
async function lineLinks(page: Page): Promise<void> {
  for (const kind of ['blob', 'blame']) {
    await page.goto(`/${project}/-/${kind}/main/src/sort.ts`);
    const line = (number: number) => page.getByRole('link', { name: `Line ${number}`, exact: true });
    await line(1).waitFor();
    assert.equal(await line(7).getAttribute('href'), '#L7');
    await line(1).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#L3$/);
    await line(5).click({ modifiers: ['Shift'] });
    await page.waitForURL(/#L3-5$/);
    await look(page, `line-links-${kind}`);
  }
  const heights = (await page.evaluate(
    `[...document.querySelectorAll('a[data-line]')].map((each) => Math.round(each.parentElement.getBoundingClientRect().height))`,
  )) as number[];
  assert.deepEqual([...new Set(heights)], [20], 'lines of a blame are as high as those of a file');
}

export async function pageAddressesJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const { made, returned } = await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const { page, close, problems } = await openWindow(browser, instance.url, { dark: true });
      page.setDefaultTimeout(20_000);
      const failures: string[] = [];
      const all = async (visited: readonly Visit[], looked: boolean) => {
        for (const each of visited)
          await visit(page, each)
            // Aliases lead to pages that are in the list themselves.
            .then(() => (looked && each[2] === undefined ? accessible(page) : undefined))
            .catch(async (error: Error) => {
              failures.push(`${each[0]}: ${error.message.slice(0, 500)} at ${page.url()}`);
              await page.goto('/help');
            });
        assert.deepEqual(failures.splice(0), []);
      };
      await suite.step('every page that needs no account opens, and axe finds nothing serious', async () => {
        await page.goto('/help');
        await all(visitsSignedOut, true);
      });
      await signIn(page, { login: 'root', password: rootPassword });
      problems();
      await suite.step('every page and every alias opens, and axe finds nothing serious', () =>
        all(visits(made), true),
      );
      await suite.step(
        'every part of the settings of projects and groups opens, and axe finds nothing serious',
        async () => {
          await settingsParts(page, `/${project}/-/settings`, 28);
          await settingsParts(page, '/groups/post-office/-/settings', 18);
        },
      );
      await suite.step('no page of them leaves an error in the log of the browser', async () => {
        const found = problems().filter((problem) => !refusals.some((address) => problem.includes(address)));
        assert.deepEqual(found, []);
      });
      await suite.step('addresses that the API returns open their pages', () => all(returned, false));
      await suite.step('the server answers addresses of pages with the application', async () => {
        for (const [address] of [...returned, ...visits(made).slice(0, 5)]) {
          const answer = await fetch(instance.url + address, { headers: { Accept: 'text/html' } });
          assert.equal(answer.status, 200, address);
          assert.match(await answer.text(), /<div id="root">/, address);
        }
      });
      await suite.step('a configuration is checked on a page', () => lints(page));
      await suite.step('numbers of lines are links', () => lineLinks(page));
      await suite.step('filters of states have the words of badges', async () => {
        await page.goto(`/${project}/-/pipelines`);
        await page.getByLabel('Status').waitFor();
        const words = await page.getByLabel('Status').locator('option').allTextContents();
        assert.ok(words.includes('Passed') && words.includes('Pending') && !words.includes('success'), words.join());
        await page.getByLabel('Status').selectOption('Pending');
        await page.waitForURL(/status=pending/);
      });
      await close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
