/** Pages around pipelines: schedules, trigger tokens and the filters of the list. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'root/harbour';
const id = encodeURIComponent(project);

const config = `stages: [build, test, deploy]
build:
  stage: build
  script: make
unit:
  stage: test
  needs: [build]
  script: make test
lint:
  stage: test
  needs: []
  script: make lint
deploy:
  stage: deploy
  needs: [unit, lint]
  script: make deploy
`;

async function populated(call: Api): Promise<void> {
  await call.expect(201, 'POST', '/projects', { name: 'Harbour', initialize_with_readme: true });
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }];
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Build the harbour', actions },
  });
}

async function schedules(page: Page, call: Api): Promise<void> {
  await page.goto(`/${project}/-/pipeline_schedules`);
  await page.getByText('No schedules yet').waitFor();
  await page.getByRole('link', { name: 'New schedule' }).click();
  await page.getByRole('textbox', { name: 'Description' }).fill('Nightly dredging');
  await page.getByRole('textbox', { name: 'Cron expression' }).fill('61 * * * *');
  await page.getByRole('button', { name: 'Add variable' }).click();
  await page.getByRole('textbox', { name: 'Name of the variable' }).fill('DEPTH');
  await page.getByRole('textbox', { name: 'Value of the variable' }).fill('12');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByText('is invalid syntax').waitFor();
  await page.getByRole('combobox', { name: 'Interval' }).selectOption({ label: 'Every week (Sunday at 4:00)' });
  await look(page, 'schedule-new');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  const list = page.getByRole('list', { name: 'Schedules' });
  await list.getByText('Nightly dredging').waitFor();
  type Schedule = { id: number; cron: string; variables: { key: string; value: string }[] };
  const stored = async (): Promise<Schedule> => {
    const [first] = await call.expect<Schedule[]>(200, 'GET', `/projects/${id}/pipeline_schedules`);
    return await call.expect<Schedule>(200, 'GET', `/projects/${id}/pipeline_schedules/${first?.id}`);
  };
  const made = await stored();
  assert.equal(made.cron, '0 4 * * 0');
  assert.deepEqual(
    made.variables.map(({ key, value }) => [key, value]),
    [['DEPTH', '12']],
  );
  await list.getByRole('button', { name: 'Run Nightly dredging' }).click();
  await list.getByText('Pipeline started.').waitFor();
  await look(page, 'schedules');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'schedules-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await list.getByRole('link', { name: 'Nightly dredging' }).click();
  await page.getByRole('textbox', { name: 'Value of the variable' }).fill('14');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await list.getByText('Nightly dredging').waitFor();
  assert.equal((await stored()).variables[0]?.value, '14');
  await list.getByRole('button', { name: 'Delete Nightly dredging' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete schedule' }).click();
  await page.getByText('No schedules yet').waitFor();
}

async function triggers(page: Page): Promise<void> {
  await page.goto(`/${project}/-/settings?part=triggers`);
  await page.getByRole('textbox', { name: 'Description' }).fill('Harbour master');
  await page.getByRole('button', { name: 'Create trigger token' }).click();
  const list = page.getByRole('list', { name: 'Trigger tokens' });
  await list.getByText('glptt-').waitFor();
  await look(page, 'trigger-tokens');
  await list.getByRole('button', { name: 'Delete Harbour master' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete trigger token' }).click();
  await page.getByText('No trigger tokens yet.').waitFor();
}

async function filters(page: Page): Promise<void> {
  await page.goto(`/${project}/-/pipelines?source=schedule`);
  const list = page.getByRole('list', { name: 'Pipelines' });
  await list.getByText('schedule, Administrator').waitFor();
  assert.equal(await list.getByText('push, Administrator').count(), 0);
  await page.getByRole('combobox', { name: 'Source' }).selectOption({ label: 'Any source' });
  await list.getByText('push, Administrator').waitFor();
  await page.getByRole('combobox', { name: 'Author' }).click();
  await page.getByRole('option', { name: 'root' }).click();
  await page.waitForURL(/username=root/);
  await look(page, 'pipelines-filtered');
  await page.goto(`/${project}/-/pipelines?username=nobody`);
  await page.getByText('No pipelines match your filter').waitFor();
}

export async function pipelinePagesJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await populated(call);
    await withBrowser(async (browser) => {
      const { page, problems, close } = await openWindow(browser, instance.url);
      await signIn(page, { login: 'root', password: rootPassword });
      const step = (title: string, run: () => Promise<void>) =>
        suite.step(title, async () => {
          await run();
          // Refused forms are reported by the browser.
          assert.deepEqual(
            problems().filter((problem) => !problem.includes('400 (Bad Request)')),
            [],
          );
        });
      await step('a schedule is created, corrected, run, edited and deleted', () => schedules(page, call));
      await step('a trigger token is created and deleted', () => triggers(page));
      await step('pipelines are filtered by source and author, in the address', () => filters(page));
      await close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
