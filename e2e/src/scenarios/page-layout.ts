/** Where things stand on a page, measured: columns of diffs and folders, tabs, buttons, rows. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { accessible, counted, openWindow, screenshot, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'drawing-office/ground-plan';
const id = encodeURIComponent(project);
const longName = 'elevation-of-the-northern-facade-with-all-windows-and-the-chimney-as-it-was-before-the-fire.md';

/** Stages that begin with the last jobs of the file, and needs of one job only. */
const configuration = `stages: [build, test, deploy]
ship:
  stage: deploy
  needs: [compile, unit]
  script: [echo]
announce:
  stage: deploy
  script: [echo]
unit:
  stage: test
  script: [echo]
lint:
  stage: test
  needs: []
  script: [echo]
compile:
  stage: build
  script: [echo]
`;

interface Made {
  readonly sha: string;
  readonly pipeline: number;
}

async function populated(call: Api): Promise<Made> {
  const group = { name: 'Drawing office', path: 'drawing-office' };
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', group);
  await call.expect(201, 'POST', '/projects', { name: 'Ground plan', path: 'ground-plan', namespace_id: namespace });
  const commit = (branch: string, message: string, actions: object[], start?: string) =>
    call.expect<{ id: string }>(201, 'POST', `/projects/${id}/repository/commits`, {
      ...{ branch, commit_message: message, actions },
      ...(start ? { start_branch: start } : {}),
    });
  const lines = Array.from({ length: 1200 }, (_, index) => `export const wall${index} = ${index};`);
  await commit('main', 'Draw the walls', [
    { action: 'create', file_path: 'walls.ts', content: `${lines.join('\n')}\n` },
    { action: 'create', file_path: longName, content: '# Elevation\n' },
    { action: 'create', file_path: 'a.txt', content: 'a\n' },
  ]);
  const changed = lines.with(3, `export const wall3 = 4; // ${'which is longer than half of the page '.repeat(6)}`);
  changed.splice(1100, 1);
  const { id: sha } = await commit(
    'plan/gypsy',
    'Move a wall',
    [{ action: 'update', file_path: 'walls.ts', content: `${changed.join('\n')}\n` }],
    'main',
  );
  await call.expect(201, 'POST', `/projects/${id}/merge_requests`, {
    ...{ source_branch: 'plan/gypsy', target_branch: 'main', title: 'Move a wall' },
  });
  await commit(
    'stages',
    'Add stages',
    [{ action: 'create', file_path: '.gitlab-ci.yml', content: configuration }],
    'main',
  );
  const pipeline = await until('a pipeline', 60, async () => {
    const [first] = await call.expect<{ id: number }[]>(200, 'GET', `/projects/${id}/pipelines`);
    return first?.id;
  });
  const jobs = await call.expect<{ id: number; name: string }[]>(
    ...([200, 'GET', `/projects/${id}/pipelines/${pipeline}/jobs`] as const),
  );
  const compile = jobs.find(({ name }) => name === 'compile');
  // The new attempt of the first stage's only job has the highest id of all.
  for (const action of ['cancel', 'retry'])
    await call.expect(201, 'POST', `/projects/${id}/jobs/${compile?.id}/${action}`);
  return { sha, pipeline };
}

/** The horizontal extent of elements as they are drawn. */
const extents = (found: Locator): Promise<Array<{ x: number; width: number }>> =>
  found.evaluateAll((all) =>
    all.map((each) => {
      const { x, width } = each.getBoundingClientRect();
      return { x: Math.round(x), width: Math.round(width) };
    }),
  );

async function splitDiffs(suite: Suite, page: Page, { sha }: Made): Promise<void> {
  const pages = {
    'a merge request': `/${project}/-/merge_requests/1/diffs`,
    'a comparison': `/${project}/-/compare/main...plan/gypsy`,
    'a commit': `/${project}/-/commit/${sha}`,
  };
  for (const [name, address] of Object.entries(pages))
    await suite.step(
      `the split diff of ${name} has narrow columns of numbers and gives the rest to the code`,
      async () => {
        await page.goto(address);
        await page.getByText('Split', { exact: true }).click();
        const diff = page.getByRole('region', { name: 'Diff of walls.ts' });
        const row = diff.locator('tr', { has: page.locator('td[data-line="1099"]') });
        await row.locator('td').nth(3).waitFor();
        const [first, left, second, right] = await extents(row.locator('td'));
        assert.ok(first && left && second && right, 'a line without changes has four cells');
        for (const number of [first, second])
          assert.ok(number.width >= 40 && number.width <= 64, `a column of numbers is ${number.width} px wide`);
        assert.ok(Math.abs(left.width - right.width) <= 1, `the sides are ${left.width} and ${right.width} px wide`);
        const { width } = (await extents(diff))[0] ?? { width: 0 };
        const code = left.width + right.width;
        assert.ok(code > width - 140, `of ${width} px the code has ${code}`);
        await screenshot(page, `split-${name.replaceAll(' ', '-')}`);
        await page.getByText('Unified', { exact: true }).click();
        await row.locator('td').nth(2).waitFor();
      },
    );
}

async function stagesInOrder(page: Page, { pipeline }: Made): Promise<void> {
  await page.goto(`/${project}/-/pipelines/${pipeline}`);
  const graph = page.getByRole('region', { name: 'Graph of jobs' });
  await graph.getByRole('link', { name: 'compile' }).waitFor();
  const stages = graph.getByRole('heading', { level: 2 });
  assert.deepEqual(await stages.allTextContents(), ['build', 'test', 'deploy']);
  const places = await extents(stages);
  assert.deepEqual(
    places.map(({ x }) => x),
    places.map(({ x }) => x).toSorted((a, b) => a - b),
  );
  // `ship` needs two jobs; no other job says that it waits for one.
  await counted(graph.locator('> div > svg > path'), 2);
  await screenshot(page, 'pipeline-stages');
}

/**
 * Where the tabs of a row are, or null when not all are drawn. It is read in one step: when the first page within another
 * frame arrives, the row is replaced by one in the same place, and links found a moment before belong to no page.
 */
const tabs = (page: Page, row: string, count: number): Promise<Array<{ x: number; width: number }> | null> =>
  page.evaluate(
    `(([row, count]) => {
      const links = [...document.querySelectorAll('nav[aria-label=' + JSON.stringify(row) + '] a')];
      const drawn = links.filter((link) => link.getClientRects().length > 0);
      if (drawn.length !== count) return null;
      return drawn.map((link) => {
        const { x, width } = link.getBoundingClientRect();
        return { x: Math.round(x), width: Math.round(width) };
      });
    })(${JSON.stringify([row, count])})`,
  );

/** Opens each tab of a row, and looks where all of them are. */
async function tabsStay(page: Page, address: string, row: string): Promise<void> {
  await page.goto(address);
  const links = page.getByRole('navigation', { name: row, exact: true }).getByRole('link');
  await links.first().waitFor();
  const texts = await links.allTextContents();
  const places = [];
  for (const [index, text] of texts.entries()) {
    await links.nth(index).click();
    await page.locator(`nav[aria-label="${row}"] a[aria-current="page"]`, { hasText: text }).waitFor();
    places.push(await until(`all tabs beside ${text}`, 20, () => tabs(page, row, texts.length)));
  }
  for (const place of places) assert.deepEqual(place, places[0], `the tabs ${texts.join(', ')} moved`);
}

/** At 390 px: what is current is in sight, filters stand in two columns, what can be done with a branch in one line. */
async function narrow(page: Page): Promise<void> {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`/${project}/-/merge_requests/1/diffs`);
  const row = page.getByRole('navigation', { name: 'Merge request', exact: true });
  const current = row.locator('a[aria-current="page"]', { hasText: 'Changes 1' });
  await current.waitFor();
  const [line, tab] = [(await extents(row))[0], (await extents(current))[0]];
  assert.ok(line && tab);
  assert.ok(
    tab.x >= line.x && tab.x + tab.width <= line.x + line.width,
    `${JSON.stringify(tab)} in ${JSON.stringify(line)}`,
  );
  await page.goto(`/${project}/-/pipelines`);
  const choice = (name: string) => page.getByLabel(name, { exact: true });
  await choice('Status').waitFor();
  const [status, source] = [(await extents(choice('Status')))[0], (await extents(choice('Source')))[0]];
  assert.ok(status && source);
  assert.ok(Math.abs(status.width - source.width) <= 2 && source.x > status.x, JSON.stringify([status, source]));
  await page.goto(`/${project}/-/branches`);
  const branch = page.getByRole('listitem').filter({ hasText: 'Add stages' });
  await branch.getByRole('link', { name: 'Merge request' }).waitFor();
  const middles = await branch.locator('a, button').evaluateAll((all) =>
    all.slice(-3).map((each) => {
      const { top, bottom } = each.getBoundingClientRect();
      return Math.round((top + bottom) / 2);
    }),
  );
  assert.ok(Math.max(...middles) - Math.min(...middles) <= 2, `lines at ${middles.join(', ')}`);
  await screenshot(page, 'branches-390');
}

export async function pageLayoutJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const made = await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const { page, close } = await openWindow(browser, instance.url);
      await signIn(page, { login: 'root', password: rootPassword });
      await splitDiffs(suite, page, made);
      await suite.step('stages stand in the order of the configuration after a retry, with lines for needs only', () =>
        stagesInOrder(page, made),
      );
      for (const [row, address] of [
        ['Project', `/${project}`],
        ['Group', '/drawing-office'],
        ['Merge request', `/${project}/-/merge_requests/1`],
        ['Profile', '/root'],
        ['Lists of projects', '/'],
      ] as const)
        await suite.step(`tabs stay where they are whichever is current: ${row}`, () => tabsStay(page, address, row));
      await suite.step('the button of a branch shows its whole letters', async () => {
        await page.goto(`/${project}/-/tree/plan/gypsy`);
        await page.getByRole('button', { name: 'Branch or tag: plan/gypsy' }).waitFor();
        const [box, text] = (await page.evaluate(`(() => {
          const label = document.querySelector('[aria-label="Branch or tag: plan/gypsy"] .mantine-Button-label');
          const range = document.createRange();
          range.selectNodeContents(label);
          return [label, range].map((each) => each.getBoundingClientRect().toJSON());
        })()`)) as Array<{ top: number; bottom: number }>;
        assert.ok(box && text);
        assert.ok(
          text.top >= box.top && text.bottom <= box.bottom,
          `letters from ${text.top} to ${text.bottom} in a label from ${box.top} to ${box.bottom}`,
        );
      });
      await suite.step('what lists say of an entry stands in one line where there is room', async () => {
        await page.goto(`/${project}/-/merge_requests`);
        const rows = page.getByRole('list', { name: 'Merge requests' }).getByRole('listitem');
        await rows.first().waitFor();
        for (const row of await rows.all()) {
          const height = (await row.boundingBox())?.height ?? 0;
          assert.ok(height > 0 && height <= 41, `a row of ${height} px`);
        }
        await screenshot(page, 'rows-in-one-line');
      });
      await suite.step('a long name of a file moves no column of its folder', async () => {
        await page.goto(`/${project}`);
        const titles = page.getByRole('list', { name: 'Files' }).getByRole('link', { name: 'Draw the walls' });
        await titles.nth(2).waitFor();
        const places = await extents(titles);
        assert.equal(new Set(places.map(({ x }) => x)).size, 1, JSON.stringify(places));
        await screenshot(page, 'folder-long-name');
      });
      for (const colorScheme of ['light', 'dark'] as const)
        await suite.step(`every word of a chosen row of the palette can be read, ${colorScheme}`, async () => {
          await page.emulateMedia({ colorScheme });
          await page.goto('/');
          await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
          await page.keyboard.press('Control+k');
          await page.getByLabel('Search projects, groups and pages').fill('ground');
          await page.locator('[data-combobox-selected]', { hasText: 'Ground plan' }).waitFor();
          await screenshot(page, `palette-${colorScheme}`);
          await accessible(page);
        });
      await suite.step('on a telephone the current tab, filters and branches have their lines', () => narrow(page));
      await close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
