/** The search page: kinds of results, a project's code with its lines, keyboard, empty states, and what visitors find. */
import assert from 'node:assert/strict';
import { type Api, api } from '../support/api.ts';
import { counted, headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'savanna/herd';

async function populated(call: Api): Promise<void> {
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', {
    ...{ name: 'Savanna', path: 'savanna', visibility: 'public' },
  });
  const base = `/projects/${encodeURIComponent(project)}`;
  await call.expect(201, 'POST', '/projects', {
    ...{ name: 'Herd', path: 'herd', namespace_id: namespace, visibility: 'public' },
  });
  await call.expect(201, 'POST', `${base}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Count the zebras' },
    actions: [
      {
        action: 'create',
        file_path: 'src/count.ts',
        content: 'const one = 1;\nconst two = 2;\n// the zebra\nexport const three = one + two;\n',
      },
      { action: 'create', file_path: 'README.md', content: '# Herd\n\nOf zebras.\n' },
    ],
  });
  for (const [title, confidential] of [
    ['Feed the zebra', false],
    ['Zebra in secret', true],
  ] as const)
    await call.expect(201, 'POST', `${base}/issues`, { title, confidential });
}

export async function searchJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const reader = await openWindow(browser, instance.url);
      const { page } = reader;
      const visitor = await openWindow(browser, instance.url, { width: 390, dark: true });
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.required('browser: the palette leads to the search', async () => {
        await page.keyboard.press('Control+k');
        await page.getByRole('textbox', { name: 'Search projects, groups and pages' }).fill('zebra');
        await page.getByRole('option', { name: /Search for “zebra”/ }).click();
        await headed(page, 'Search');
        await page.getByText('No results for “zebra”').waitFor();
      });
      await suite.step(
        'browser: issues are found, opened by the keyboard, and the list is there on the way back',
        async () => {
          await page.getByRole('link', { name: 'Issues 2', exact: true }).click();
          const results = page.getByRole('list', { name: 'Results' });
          await results.getByText('Zebra in secret').waitFor();
          await counted(results.getByRole('listitem'), 2);
          await look(page, 'search-issues');
          await page.getByRole('main').click({ position: { x: 2, y: 2 } });
          await page.keyboard.press('j');
          await page.keyboard.press('Enter');
          await headed(page, 'Zebra in secret');
          await page.goBack();
          await results.getByText('Feed the zebra').waitFor();
          await page.getByRole('main').click({ position: { x: 2, y: 2 } });
          await page.keyboard.press('/');
          await page.keyboard.type(' nothing');
          await page.getByText('No results for “zebra nothing”').waitFor();
        },
      );
      await suite.step(
        'browser: code of everything is found in the index, by text and by regular expression',
        async () => {
          await page.goto('/search?search=zebra%20language%3Atypescript&scope=blobs');
          const found = page.getByRole('region', { name: 'src/count.ts, from line 1' });
          await found.locator('mark', { hasText: 'zebra' }).waitFor();
          await page.getByRole('list', { name: 'Results' }).getByText(project).first().waitFor();
          await look(page, 'search-code-everywhere');
          await page.goto('/search?search=zebra&scope=blobs');
          const languages = page.getByRole('region', { name: 'Languages' });
          await languages.getByRole('link', { name: 'Markdown' }).click();
          await page.waitForURL(/language%3AMarkdown|language:Markdown/);
          await page.getByRole('region', { name: 'README.md, from line 1' }).waitFor();
          await page.goto('/search?search=zebra&scope=blobs');
          await languages.getByRole('link', { name: 'TypeScript' }).waitFor();
          await look(page, 'search-code-facets');
          await page.goto('/search?search=const%20%5Cw%2B%20%3D%20%5B0-9%5D%3B&scope=blobs');
          await page.getByText('No results for').waitFor();
          await page.getByRole('checkbox', { name: 'Regular expression' }).click();
          await found.waitFor();
          assert.match(page.url(), /regex=true/);
        },
      );
      await suite.step('browser: code of a project is found with its lines, and opens at them', async () => {
        await page.goto('/search?search=zebra');
        await page.getByRole('combobox', { name: 'Project or group' }).click();
        await page.getByRole('option', { name: project }).click();
        const found = page.getByRole('region', { name: 'src/count.ts, from line 1' });
        await found.locator('mark', { hasText: 'zebra' }).waitFor();
        assert.match(page.url(), /project_id=savanna%2Fherd/);
        await look(page, 'search-code');
        await page.getByRole('link', { name: 'src/count.ts' }).click();
        await page.waitForURL(/\/savanna\/herd\/-\/blob\/main\/src\/count\.ts#L3$/);
      });
      await suite.step('browser: a visitor on a telephone finds what is public', async () => {
        await visitor.page.goto('/search?search=zebra&scope=issues');
        const results = visitor.page.getByRole('list', { name: 'Results' });
        await results.getByText('Feed the zebra').waitFor();
        await counted(results.getByRole('listitem'), 1);
        assert.equal(await visitor.page.getByRole('link', { name: 'Users' }).count(), 0);
        await look(visitor.page, 'search-narrow-dark');
        await visitor.page.goto('/search?search=zebra&scope=blobs');
        await visitor.page.getByRole('region', { name: 'src/count.ts, from line 1' }).waitFor();
        await look(visitor.page, 'search-code-narrow-dark');
        assert.deepEqual([...reader.problems(), ...visitor.problems()], []);
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
