/** Wikis in a real browser: the first page, folders, links, versions, a conflict, a wiki of a group, and what readers see. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { api } from '../support/api.ts';
import { headed, look, openWindow, screenshot, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const home = `# Tide clock

How the clock is built and kept. Begin with [the first steps](guide/First-steps).

- [x] the table of tides
- [ ] the moon

| Harbour | Offset |
| --- | --- |
| Brest | 0 min |

<script>window.stolen = true</script><img src=x onerror="window.stolen = true">
`;

async function write(page: Page, title: string, text: string, message: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Title' }).fill(title);
  await page.getByRole('textbox', { name: 'Text' }).fill(text);
  await page.getByRole('textbox', { name: 'Commit message' }).fill(message);
}

export async function wikiJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  const admin = api(instance.url, rootToken);
  try {
    const group = await admin.expect(201, 'POST', '/groups', {
      name: 'Harbour',
      path: 'harbour',
      visibility: 'public',
    });
    const namespace_id = (group as { id: number }).id;
    await admin.expect(201, 'POST', '/projects', { name: 'Clock', path: 'clock', namespace_id, visibility: 'public' });
    const wiki = '/projects/harbour%2Fclock/wikis';
    await withBrowser(async (browser) => {
      const { page, problems, close } = await openWindow(browser, instance.url);
      await suite.step('pages of a wiki are written, read, looked back at and deleted', async () => {
        await signIn(page, { login: 'root', password: rootPassword });
        await page.goto('/harbour/clock');
        await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Wiki' }).click();
        await page.getByRole('heading', { name: 'This wiki has no pages yet' }).waitFor();
        await look(page, 'wiki-empty');
        await page.getByRole('link', { name: 'Write the first page' }).click();
        await headed(page, 'New page');
        await valued(page.getByRole('textbox', { name: 'Title' }), 'home');
        await write(page, 'home', home, 'Begin the wiki');
        await page.getByText('Preview', { exact: true }).click();
        await page.getByRole('region', { name: 'Preview' }).getByText('How the clock is built').waitFor();
        await look(page, 'wiki-preview');
        await page.getByRole('button', { name: 'Create page' }).click();
        await headed(page, 'home');
        assert.equal(await page.evaluate('window.stolen'), undefined);
        await page.getByRole('link', { name: 'the first steps' }).click();
        await page.getByRole('heading', { name: 'This page does not exist yet' }).waitFor();
        await page.getByRole('link', { name: 'Create page' }).click();
        await headed(page, 'New page');
        await valued(page.getByRole('textbox', { name: 'Title' }), 'guide/First steps');
        await write(page, 'guide/First steps', 'Back [home](../home), or on to [the end](./End).', 'Tell how to begin');
        await page.getByRole('button', { name: 'Create page' }).click();
        await headed(page, 'First steps');
        await page.getByRole('link', { name: 'home', exact: true }).first().click();
        await headed(page, 'home');
        await look(page, 'wiki-page');
        await page.getByRole('button', { name: 'Clone wiki' }).click();
        const command = `git clone ${instance.url}/harbour/clock.wiki.git`;
        await valued(page.getByLabel('With HTTP', { exact: true }), command);
        // SSH is off here.
        assert.equal(await page.getByLabel('With SSH', { exact: true }).count(), 0);
        await page.keyboard.press('Escape');

        await page.getByRole('link', { name: 'Edit' }).click();
        await headed(page, 'Edit home');
        await admin.expect(200, 'PUT', `${wiki}/home`, { content: 'From elsewhere', message: 'Change it elsewhere' });
        await page.getByRole('textbox', { name: 'Text' }).fill('Mine');
        await page.getByRole('button', { name: 'Save changes' }).click();
        await page.getByText('This page has changed in the meantime').waitFor();
        await valued(page.getByRole('textbox', { name: 'Text' }), 'Mine');
        await look(page, 'wiki-conflict');
        problems();
        await page.getByRole('button', { name: 'Cancel' }).click();
        await page.getByText('From elsewhere').waitFor();

        await page.getByRole('link', { name: 'History' }).click();
        await headed(page, 'History of home');
        await page.getByRole('link', { name: 'Change it elsewhere' }).waitFor();
        await look(page, 'wiki-history');
        await page.getByRole('link', { name: 'Begin the wiki' }).click();
        await page.getByText('An older version').waitFor();
        await page.getByText('How the clock is built').waitFor();
        await page.getByRole('link', { name: 'Show latest version' }).click();
        await page.getByText('From elsewhere').waitFor();

        await page.goto('/harbour/clock/-/activity');
        await page.getByRole('link', { name: 'First steps' }).first().click();
        await headed(page, 'First steps');
        await page.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('dialog').getByRole('textbox').fill('guide/First-steps');
        await page.getByRole('button', { name: 'Delete page' }).click();
        await headed(page, 'home');
        assert.equal(await page.getByRole('link', { name: 'First steps' }).count(), 0);
        assert.deepEqual(problems(), []);
      });
      await suite.step('a group has a wiki; one that is switched off has no tab', async () => {
        await page.goto('/groups/harbour/-/wikis');
        await page.getByRole('link', { name: 'Write the first page' }).click();
        await headed(page, 'New page');
        await write(page, 'home', home, 'Begin');
        await page.getByRole('button', { name: 'Create page' }).click();
        await headed(page, 'home');
        for (const title of ['guide/Install/Linux', 'guide/Install/macOS', 'guide/First steps', 'Harbours'])
          await admin.expect(201, 'POST', '/groups/harbour/wikis', { title, content: 'Text' });
        await admin.expect(200, 'PUT', '/projects/harbour%2Fclock', { wiki_access_level: 'disabled' });
        await page.goto('/harbour/clock');
        const tabs = page.getByRole('navigation', { name: 'Project' });
        await tabs.getByRole('link', { name: 'Activity' }).waitFor();
        assert.equal(await tabs.getByRole('link', { name: 'Wiki' }).count(), 0);
        await close();
      });
    });
    await withBrowser(async (browser) => {
      await suite.step('whoever is not signed in reads the wiki of a public group, and writes nothing', async () => {
        const { page, problems, close } = await openWindow(browser, instance.url, { width: 390, dark: true });
        await page.goto('/groups/harbour/-/wikis/home');
        await headed(page, 'home');
        assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
        assert.equal(await page.getByRole('link', { name: 'New page' }).count(), 0);
        await look(page, 'wiki-dark-390');
        await page.setViewportSize({ width: 1280, height: 900 });
        await screenshot(page, 'wiki-dark');
        assert.deepEqual(problems(), []);
        await close();
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
