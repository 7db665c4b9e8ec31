/** The train of a branch, live: three requests tested together, one of which fails. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { confirmAction, headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { takeJob } from '../support/runner.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'railway/engine';
const id = encodeURIComponent(project);
const train = `/${project}/-/merge_trains`;
const tag = 'yard';
const config = `test:
  tags: [${tag}]
  script: ["true"]
  rules: [{if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"'}]
`;
const titles = ['Grease the axles', 'Paint the funnel', 'Polish the bell'];

/** A project with three requests on the train of its branch; its id. */
async function boarded(call: Api): Promise<number> {
  const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Railway', path: 'railway' });
  const made = await call.expect<{ id: number }>(201, 'POST', '/projects', {
    ...{ name: 'Engine', path: 'engine', namespace_id: group.id },
    ...{ merge_pipelines_enabled: true, merge_trains_enabled: true },
  });
  const commit = async (branch: string, path: string, content: string, more: object = {}) =>
    await call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
      ...{ branch, commit_message: `Add ${path}`, actions: [{ action: 'create', file_path: path, content }] },
      ...more,
    });
  await commit('main', '.gitlab-ci.yml', config);
  for (const [at, title] of titles.entries()) {
    await commit(`part-${at}`, `part-${at}`, title, { start_branch: 'main' });
    const request = { source_branch: `part-${at}`, target_branch: 'main', title };
    await call.expect(201, 'POST', `/projects/${id}/merge_requests`, request);
    await call.expect(201, 'POST', `/projects/${id}/merge_trains/merge_requests/${at + 1}`);
  }
  return made.id;
}

const rows = (page: Page, list: string) => page.getByRole('list', { name: list }).getByRole('listitem');
const row = (page: Page, list: string, title: string) => rows(page, list).filter({ hasText: title });

export async function mergeTrainsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance();
  const call = api(instance.url, rootToken);
  try {
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      const next = async (projectId: number) => await takeJob(call, instance.url, { projectId, tag });
      let projectId = 0;
      const [oiled, painted, bell] = titles as [string, string, string];

      await suite.step('the train of a branch shows its requests in their order, and what each waits for', async () => {
        await signIn(page, { login: 'root', password: rootPassword });
        projectId = await boarded(call);
        await page.goto(train);
        await headed(page, 'Merge train');
        await row(page, 'Waiting', oiled).getByText('Waiting for its pipeline').waitFor();
        await row(page, 'Waiting', painted).getByText('Waiting for !1').waitFor();
        await row(page, 'Waiting', bell).getByText('Waiting for !2').waitFor();
        const order = await rows(page, 'Waiting').allInnerTexts();
        assert.deepEqual(
          order.map((text) => titles.findIndex((title) => text.includes(title))),
          [0, 1, 2],
        );
        await look(page, 'merge-train');
        await row(page, 'Waiting', bell).getByRole('button', { name: 'Remove !3 from the merge train' }).click();
        await confirmAction(page, 'Remove from merge train');
        await row(page, 'Waiting', bell).waitFor({ state: 'detached' });
        await call.expect(201, 'POST', `/projects/${id}/merge_trains/merge_requests/3`);
        await row(page, 'Waiting', bell).getByText('Waiting for !2').waitFor();
      });

      await suite.step('a request is merged when its pipeline has passed, without a reload', async () => {
        const [first, second] = [await next(projectId), await next(projectId)];
        await first.end('success');
        await row(page, 'Recently merged', oiled).waitFor();
        await row(page, 'Waiting', painted).getByText('Waiting for its pipeline').waitFor();
        await page.getByText(/Recent merges took about/).waitFor();
        await second.end('failed', { failure_reason: 'script_failure' });
        await row(page, 'Waiting', painted).waitFor({ state: 'detached' });
      });

      await suite.step('what was behind a failure is tested anew and merged; whoever failed is told why', async () => {
        await row(page, 'Waiting', bell).getByText('Waiting for its pipeline').waitFor();
        // Its first pipeline, with what failed, is not the one that counts, wherever it has got to.
        const merged = async () =>
          (await call.expect<{ state: string }>(200, 'GET', `/projects/${id}/merge_requests/3`)).state === 'merged';
        while (!(await merged())) {
          const job = await next(projectId);
          await job.end('success').catch(() => undefined);
          await until('the merge', 10, merged).catch(() => undefined);
        }
        await row(page, 'Recently merged', bell).waitFor();
        await page.getByText('No merge requests are waiting').waitFor();
        await look(page, 'merge-train-merged');
        await page.goto(`/${project}/-/merge_requests/2`);
        await page.getByText('removed this merge request from the merge train because its pipeline failed').waitFor();
        assert.deepEqual(person.problems(), []);
      });

      await suite.step('the train is readable on a phone and in the dark', async () => {
        const phone = await openWindow(browser, instance.url, { width: 390, dark: true });
        await signIn(phone.page, { login: 'root', password: rootPassword });
        await phone.page.goto(train);
        await row(phone.page, 'Recently merged', bell).waitFor();
        await look(phone.page, 'merge-train-390-dark');
        assert.deepEqual(phone.problems(), []);
        await phone.close();
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
