/** The CI/CD catalog: a project is put in, a release publishes its components, and somebody finds and includes one. */
import assert from 'node:assert/strict';
import { api, until } from '../support/api.ts';
import { counted, headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'toolmakers/pipeline-parts';
const base = `/projects/${encodeURIComponent(project)}`;
const test = `spec:
  inputs:
    stage: {default: test, description: Where the job runs, options: [test, check]}
    image:
    retries: {type: number, default: 0}
---
"test in $[[ inputs.image ]]": {stage: $[[ inputs.stage ]], script: [make test]}
`;

export async function catalogJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  const call = api(instance.url, rootToken);
  const release = async (tag_name: string) => {
    await call.expect(201, 'POST', `${base}/releases`, { tag_name, ref: 'main' });
    await until(`version ${tag_name}`, 60, async () => {
      const found = await call.expect<{ version: string }[]>(200, 'GET', `${base}/catalog/versions`);
      return found.some(({ version }) => version === tag_name);
    });
  };
  try {
    const group = { name: 'Toolmakers', path: 'toolmakers', visibility: 'public' };
    const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups', group);
    await call.expect(201, 'POST', '/projects', {
      ...{ name: 'Pipeline parts', path: 'pipeline-parts', namespace_id: id, visibility: 'public' },
      description: 'Parts of pipelines for everybody',
    });
    const create = (file_path: string, content: string) => ({ action: 'create', file_path, content });
    await call.expect(201, 'POST', `${base}/repository/commits`, {
      ...{ branch: 'main', commit_message: 'Add components' },
      actions: [
        create('README.md', '# How to test\n\nInclude the component `test`.\n'),
        create('templates/test.yml', test),
        create('templates/deploy/template.yml', 'deploy: {script: [make deploy]}\n'),
      ],
    });
    await withBrowser(async (browser) => {
      const { page, problems, close } = await openWindow(browser, instance.url);
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.step('the CI/CD catalog: an owner adds a project, and releases publish its components', async () => {
        await page.goto('/explore/catalog');
        await page.getByText('No components yet').waitFor();
        await look(page, 'catalog-empty');
        await page.goto(`/${project}/-/settings?part=pipelines`);
        await page.getByRole('button', { name: 'Add to the CI/CD catalog' }).click();
        await page.getByRole('button', { name: 'Remove from the CI/CD catalog' }).waitFor();
        await look(page, 'catalog-settings');
        for (const tag of ['1.0.0', '1.1.0']) await release(tag);
        assert.deepEqual(problems(), []);
      });
      await close();
      for (const [mode, options] of [
        ['dark', { dark: true }],
        ['390', { width: 390 }],
      ] as const) {
        // Nobody has to sign in for what is public.
        const stranger = await openWindow(browser, instance.url, options);
        const fits = async () => {
          const [is, may] = (await stranger.page.evaluate(
            '[document.documentElement.scrollWidth, window.innerWidth]',
          )) as number[];
          assert.equal(is, may, `${stranger.page.url()} is wider than the window`);
        };
        await suite.step(
          `the CI/CD catalog, ${mode}: a project is found, with what its components ask for`,
          async () => {
            const { page: window } = stranger;
            await window.goto('/explore/catalog?search=nothing-like-it');
            await window.getByText('No projects match your search.').waitFor();
            await window.getByLabel('Search projects and components').fill('deploy');
            const found = window.getByRole('list', { name: 'CI/CD catalog' });
            await counted(found.locator('li'), 1);
            await look(window, `catalog-${mode}`);
            await fits();
            await found.getByRole('link', { name: project }).click();
            await headed(window, 'Pipeline parts');
            const component = window.getByRole('region', { name: 'test', exact: true });
            await component.getByText(`component: $CI_SERVER_FQDN/${project}/test@1.1.0`).waitFor();
            await counted(component.getByRole('row'), 4);
            await window.getByRole('region', { name: 'README.md' }).getByText('How to test').waitFor();
            await look(window, `catalog-project-${mode}`);
            await fits();
            await window.getByLabel('Version').selectOption('1.0.0');
            await component.getByText(`/${project}/test@1.0.0`).waitFor();
            assert.equal(new URL(window.url()).search, '?version=1.0.0');
            assert.deepEqual(stranger.problems(), []);
          },
        );
        await stranger.close();
      }
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
