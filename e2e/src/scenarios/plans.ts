/** Boards, iterations, epics, the roadmap and charts in a real browser: dragged by two people, drawn, and looked at. */
import assert from 'node:assert/strict';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import { headed, look, openWindow } from '../support/browser.ts';
import { rootPassword } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';
import { cards, column } from './board-races.ts';

const project = 'shipyard/hull';
const base = `/projects/${encodeURIComponent(project)}`;
const group = '/groups/shipyard';

const shows = (page: Page, name: string, expected: readonly string[]) =>
  until(`${name} shows ${expected.join(', ')}`, 20, async () => (await cards(page, name)).join() === expected.join());
const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

interface Planned {
  readonly iteration: number;
  readonly milestone: number;
}

async function planned(call: Api): Promise<Planned> {
  const made = <T = { id: number; iid: number }>(path: string, json: object) => call.expect<T>(201, 'POST', path, json);
  const span = { start_date: day(-3), due_date: day(4) };
  const iteration = await made(`${group}/iterations`, { title: 'Sprint 1', ...span });
  const milestone = await made(`${base}/milestones`, { title: 'Afloat', ...span });
  await made(`${base}/labels`, { name: 'doing', color: '#1f75cb' });
  const epic = await made(`${group}/epics`, {
    title: 'Seaworthy',
    description: 'Everything that *floats*.',
    start_date_is_fixed: true,
    start_date_fixed: day(-10),
    due_date_is_fixed: true,
    due_date_fixed: day(50),
  });
  await made(`${group}/epics`, { title: 'Watertight', parent_id: epic.id });
  for (const [at, title] of ['Keel', 'Ribs', 'Planks', 'Caulking'].entries())
    await made(`${base}/issues`, {
      title,
      weight: at + 1,
      milestone_id: milestone.id,
      iteration_id: iteration.id,
      ...(at < 2 ? { epic_id: epic.id } : {}),
      created_at: `${day(-3)}T09:00:00Z`,
    });
  return { iteration: iteration.id, milestone: milestone.iid };
}

async function drag(page: Page, title: string, to: Locator): Promise<void> {
  await page.locator('[data-issue]', { hasText: title }).dragTo(to);
}

async function boardSteps(suite: Suite, browser: Browser, url: string, page: Page, call: Api): Promise<void> {
  await suite.step('a board is created, gets a list, and issues are dragged and moved by keyboard', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ colorScheme: 'light' });
    await page.goto(`/${project}/-/issues`);
    await page.getByRole('link', { name: 'Boards', exact: true }).click();
    await page.getByRole('button', { name: 'Create board' }).click();
    await headed(page, 'Development');
    await page.getByRole('button', { name: 'Add list' }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByRole('textbox', { name: 'Label' })
      .or(dialog.getByRole('combobox', { name: 'Label' }))
      .first()
      .click();
    await page.getByRole('option', { name: 'doing' }).click();
    await dialog.getByRole('button', { name: 'Add list' }).click();
    await column(page, 'doing').waitFor();
    await shows(page, 'Open', ['Keel', 'Ribs', 'Planks', 'Caulking']);
    await drag(page, 'Planks', column(page, 'doing'));
    await shows(page, 'doing', ['Planks']);
    await shows(page, 'Open', ['Keel', 'Ribs', 'Caulking']);
    const caulking = page.locator('[data-card]', { hasText: 'Caulking' });
    await caulking.focus();
    await page.keyboard.press('Shift+ArrowUp');
    await shows(page, 'Open', ['Keel', 'Caulking', 'Ribs']);
    await page.keyboard.press('Shift+ArrowRight');
    await shows(page, 'doing', ['Caulking', 'Planks']);
    await until('the server keeps it', 20, async () => {
      const kept = await call.expect<{ title: string }[]>(200, 'GET', `${base}/issues?labels=doing`);
      return kept.length === 2;
    });
    await page.getByRole('button', { name: 'Move Keel' }).click();
    await page.getByRole('menuitem', { name: 'Move to Closed' }).click();
    await shows(page, 'Closed', ['Keel']);
    await look(page, 'board');
  });
  await suite.step('two people drag on one board and end with the same', async () => {
    const other = await openWindow(browser, url);
    await signIn(other.page, { login: 'root', password: rootPassword });
    await other.page.goto(`/${project}/-/boards`);
    await shows(other.page, 'doing', ['Caulking', 'Planks']);
    const pages = [page, other.page] as const;
    await Promise.all([
      drag(page, 'Ribs', column(page, 'doing')),
      drag(other.page, 'Planks', column(other.page, 'Open')),
    ]);
    const board = await call.expect<{ id: number; lists: { id: number }[] }[]>(200, 'GET', `${base}/boards`);
    const address = `${base}/boards/${board[0]?.id}/issues?column=`;
    const kept = async (name: string | number) =>
      (await call.expect<{ title: string }[]>(200, 'GET', `${address}${name}`)).map(({ title }) => title);
    await until('both show what is kept', 30, async () => {
      const [open, doing] = [await kept('backlog'), await kept(board[0]?.lists[0]?.id ?? 0)];
      const shown = await Promise.all(pages.flatMap((each) => [cards(each, 'Open'), cards(each, 'doing')]));
      const expected = [open, doing, open, doing];
      return open.join() === 'Planks' && shown.every((titles, at) => titles.join() === expected[at]?.join());
    });
    await other.close();
  });
  await suite.step(
    'a card stays under the pointer while somebody else changes the board, and goes where they moved it when it is dropped',
    async () => {
      const has = (each: Page, name: string, title: string) =>
        until(`${title} is in ${name}`, 20, async () => (await cards(each, name)).includes(title));
      await page.goto(`/${project}/-/boards`);
      await has(page, 'doing', 'Ribs');
      const [board] = await call.expect<{ id: number; lists: { id: number }[] }[]>(200, 'GET', `${base}/boards`);
      const other = await openWindow(browser, url);
      await signIn(other.page, { login: 'root', password: rootPassword });
      await other.page.goto(`/${project}/-/boards`);
      const card = page.locator('[data-issue]', { hasText: 'Ribs' });
      const idOf = (title: string) => page.locator('[data-issue]', { hasText: title }).getAttribute('data-issue');
      const [id, above] = [await idOf('Ribs'), await idOf('Caulking')];
      const put = (issue: string | null, json: object) =>
        call.expect(200, 'PUT', `${base}/boards/${board?.id}/issues/${issue}`, json);
      const doing = String(board?.lists[0]?.id);
      await put(id, { to_column: doing, move_after_id: Number(above) });
      await shows(page, 'doing', ['Caulking', 'Ribs']);
      await card.hover();
      await page.mouse.down();
      let read = 0;
      page.on('request', (request) => {
        if (request.url().includes(`/boards/${board?.id}/columns`)) read += 1;
      });
      // What is above the card goes: the card would no longer be where its drag begins, and browsers give up such a drag.
      await put(above, { from_column: doing, to_column: 'backlog' });
      await has(other.page, 'Open', 'Caulking');
      await column(page, 'Open').hover();
      await page.locator('[data-dragged]').waitFor();
      await put(id, { to_column: 'closed' });
      await has(other.page, 'Closed', 'Ribs');
      assert.deepEqual([await cards(page, 'doing'), read], [['Caulking', 'Ribs'], 0]);
      await page.mouse.up();
      await page.getByText('The issue is no longer in the column that it was moved from').waitFor();
      await has(page, 'Closed', 'Ribs');
      await shows(page, 'doing', []);
      assert.equal(await page.locator('[data-dragged]').count(), 0);
      for (const each of [id, above]) await put(each, { to_column: doing });
      await other.close();
    },
  );
  await suite.step(
    'a board is narrowed to labels, a milestone and a weight; an issue gets an iteration and an epic',
    async () => {
      await page.goto(`/${project}/-/boards`);
      await headed(page, 'Development');
      await page.getByRole('button', { name: 'Edit board' }).click();
      const dialog = page.getByRole('dialog');
      const choose = async (name: string, option: string, from: Page | Locator = dialog) => {
        const field = from.getByRole('textbox', { name }).or(from.getByRole('combobox', { name }));
        await field.first().click();
        await page.getByRole('option', { name: option }).click();
      };
      await choose('Labels', 'doing');
      await page.keyboard.press('Tab');
      await choose('Milestone', 'Afloat');
      await dialog.getByRole('textbox', { name: 'Weight' }).fill('2');
      await look(page, 'board-scope');
      await dialog.getByRole('button', { name: 'Save changes' }).click();
      await dialog.waitFor({ state: 'detached' });
      await shows(page, 'doing', ['Ribs']);
      const [board] = await call.expect<{ id: number; weight: number | null; labels: { name: string }[] }[]>(
        200,
        'GET',
        `${base}/boards`,
      );
      assert.deepEqual([board?.weight, board?.labels.map(({ name }) => name)], [2, ['doing']]);
      await call.expect(200, 'PUT', `${base}/boards/${board?.id}`, { weight: null, labels: [], milestone_id: 0 });

      const caulking = (await call.expect<{ iid: number }[]>(200, 'GET', `${base}/issues?search=Caulking`))[0];
      await call.expect(200, 'PUT', `${base}/issues/${caulking?.iid}`, { iteration_id: 0 });
      await page.goto(`/${project}/-/issues/${caulking?.iid}`);
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      const main = page.getByRole('main');
      await choose('Iteration', 'Sprint 1', main);
      await choose('Epic', '&1 Seaworthy', main);
      await look(page, 'issue-above');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Iteration Sprint 1').waitFor();
      await page.getByRole('link', { name: 'Epic Seaworthy' }).waitFor();
      await call.expect(200, 'PUT', `${base}/issues/${caulking?.iid}`, { epic_id: 0 });
    },
  );
  await suite.step("a group's board shows issues of its projects", async () => {
    await call.expect(201, 'POST', `${group}/boards`, { name: 'Fleet' });
    await page.goto('/groups/shipyard/-/boards');
    await headed(page, 'Fleet');
    await page.getByText('shipyard/hull#').first().waitFor();
    await look(page, 'group-board');
  });
}

async function pageSteps(suite: Suite, page: Page, call: Api, made: Planned): Promise<void> {
  await suite.step('an iteration and a milestone show their issues and draw their charts', async () => {
    await page.goto('/groups/shipyard/-/iterations');
    await page.getByRole('link', { name: 'Sprint 1' }).click();
    await headed(page, 'Sprint 1');
    await page.getByText('1 of 4 issues completed').waitFor();
    await page.getByRole('img', { name: /^Burndown: Remaining 3 issues/ }).waitFor();
    await page.getByText('Weight', { exact: true }).first().click();
    await page.getByRole('img', { name: /^Burnup: Total 10 weight, Completed 1 weight/ }).waitFor();
    await look(page, 'iteration');
    await page.goto(`/${project}/-/milestones/${made.milestone}`);
    await page.getByRole('img', { name: /^Burndown/ }).waitFor();
    await look(page, 'milestone-charts');
  });
  await suite.step('a cadence is created, schedules iterations, and draws its velocity', async () => {
    await page.goto('/groups/shipyard/-/cadences');
    await page.getByRole('button', { name: 'New cadence' }).click();
    await page.getByRole('textbox', { name: 'Title', exact: true }).fill('Fortnights');
    await page.getByLabel('Start date').fill(day(1));
    await page.getByRole('button', { name: 'Create cadence' }).click();
    await headed(page, 'Fortnights', 2);
    await page
      .getByRole('img', { name: /^Velocity/ })
      .first()
      .waitFor();
    await look(page, 'cadences');
    const all = await call.expect<unknown[]>(200, 'GET', `${group}/iterations?state=upcoming`);
    assert.equal(all.length, 2);
  });
  await suite.step(
    'an epic is created, gets a child and an issue, is talked about, and stands on the roadmap',
    async () => {
      await page.goto('/groups/shipyard/-/epics');
      await page.getByRole('link', { name: 'Watertight' }).waitFor();
      await look(page, 'epics');
      await page.getByRole('link', { name: 'Seaworthy' }).click();
      await headed(page, 'Seaworthy');
      await page.getByText('1 of 2 issues closed').waitFor();
      await page.getByRole('textbox', { name: 'Title of the child epic' }).fill('Rigging');
      await page.getByRole('button', { name: 'Add child epic' }).click();
      await page.getByRole('link', { name: 'Rigging' }).waitFor();
      await page.getByRole('button', { name: 'Move Ribs up' }).click();
      const order = page.getByRole('list', { name: 'Issues of the epic' }).getByRole('link');
      await until('Ribs comes first', 20, async () => (await order.allInnerTexts())[0] === 'Ribs');
      await page.getByRole('textbox', { name: 'New comment' }).fill('She floats.');
      await page.getByRole('button', { name: 'Comment', exact: true }).click();
      await page.getByRole('article').getByText('She floats.').waitFor();
      await look(page, 'epic');
      const missing: string[] = [];
      page.on('response', (answer) => {
        if (answer.status() === 404) missing.push(answer.url());
      });
      await order.first().click();
      await headed(page, 'Ribs');
      await page.goBack();
      await headed(page, 'Seaworthy');
      assert.deepEqual(missing, []);
      await page.goto('/groups/shipyard/-/roadmap');
      await page.getByRole('rowheader', { name: 'Watertight' }).waitFor();
      await look(page, 'roadmap');
    },
  );
  await suite.step('epics are dragged and moved by keyboard on a board of the group', async () => {
    await call.expect(201, 'POST', `${group}/labels`, { name: 'now', color: '#1f75cb' });
    await page.goto('/groups/shipyard/-/epics');
    await page.getByRole('main').getByRole('link', { name: 'Boards', exact: true }).click();
    await page.getByRole('button', { name: 'Create board' }).click();
    await headed(page, 'Epics');
    await page.getByRole('button', { name: 'Add list' }).click();
    const dialog = page.getByRole('dialog');
    const label = dialog.getByRole('textbox', { name: 'Label' }).or(dialog.getByRole('combobox', { name: 'Label' }));
    await label.first().click();
    await page.getByRole('option', { name: 'now' }).click();
    await dialog.getByRole('button', { name: 'Add list' }).click();
    await column(page, 'now').waitFor();
    await drag(page, 'Rigging', column(page, 'now'));
    await shows(page, 'now', ['Rigging']);
    await page.locator('[data-card]', { hasText: 'Watertight' }).focus();
    await page.keyboard.press('Shift+ArrowRight');
    await shows(page, 'now', ['Watertight', 'Rigging']);
    await page.getByRole('button', { name: 'Move Rigging' }).click();
    await page.getByRole('menuitem', { name: 'Move to Closed' }).click();
    await shows(page, 'Closed', ['Rigging']);
    await shows(page, 'Open', ['Seaworthy']);
    const kept = (query: string) =>
      call
        .expect<{ title: string }[]>(200, 'GET', `${group}/epics?${query}`)
        .then((all) => all.map(({ title }) => title));
    await until('the server keeps it', 20, async () => (await kept('state=closed')).join() === 'Rigging');
    assert.deepEqual(await kept('state=opened&labels=now'), ['Watertight']);
    await look(page, 'epic-board');
  });
  await suite.step('the activity of the group tells of its epics and of the projects below', async () => {
    await page.goto('/groups/shipyard/-/activity');
    await page.getByRole('list', { name: 'Activity' }).getByText('&3 Rigging').first().waitFor();
    await page.getByRole('list', { name: 'Activity' }).getByText('Shipyard / Hull').first().waitFor();
    await look(page, 'group-activity');
    const tabs = await page.getByRole('navigation', { name: 'Group' }).boundingBox();
    assert.ok(tabs && tabs.height > 30, `the tabs are ${tabs?.height} px high`);
    await page.getByRole('navigation', { name: 'Group' }).getByRole('link', { name: 'Pipelines' }).click();
    await headed(page, 'Pipelines');
    await page.getByText('No pipelines yet').waitFor();
  });
  await suite.step('an issue that is promoted leads to its epic', async () => {
    const { iid } = await call.expect<{ iid: number }>(201, 'POST', `${base}/issues`, { title: 'Sails' });
    await page.goto(`/${project}/-/issues/${iid}`);
    await page.getByRole('textbox', { name: 'New comment' }).fill('/promote_to epic');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    const promoted = page.getByRole('paragraph').filter({ hasText: 'Promoted to epic shipyard&4 Sails' });
    await promoted.getByRole('link').waitFor();
    await look(page, 'issue-promoted');
    await promoted.getByRole('link').click();
    await page.waitForURL(/\/groups\/shipyard\/-\/epics\/4$/);
    await headed(page, 'Sails');
  });
  await suite.step('all of it can be read in the dark and on a telephone', async () => {
    for (const [scheme, width] of [
      ['dark', 1280],
      ['light', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await page.setViewportSize({ width, height: 800 });
      for (const [name, address, words] of [
        ['board', `/${project}/-/boards`, 'Planks'],
        ['iteration', `/groups/shipyard/-/iterations/${made.iteration}`, 'Burndown'],
        ['iterations', `/${project}/-/iterations`, 'Sprint 1'],
        ['cadences', '/groups/shipyard/-/cadences', 'Fortnights'],
        ['epics', '/groups/shipyard/-/epics', 'Watertight'],
        ['epic', '/groups/shipyard/-/epics/1', 'She floats.'],
        ['epic-board', '/groups/shipyard/-/epic_boards', 'Watertight'],
        ['roadmap', '/groups/shipyard/-/roadmap', 'Seaworthy'],
        ['group-activity', '/groups/shipyard/-/activity', 'Rigging'],
        ['group-pipelines', '/groups/shipyard/-/pipelines', 'No pipelines yet'],
        ['value-stream', '/groups/shipyard/-/value_stream_analytics', 'Cycle time'],
      ] as const) {
        await page.goto(address);
        await page.getByText(words).first().waitFor();
        await look(page, `${scheme}-${width}-${name}`);
      }
    }
  });
}

/** In the instance of the scenario of milestones, after it. */
export async function planSteps(suite: Suite, browser: Browser, url: string, page: Page, call: Api): Promise<void> {
  const made = await planned(call);
  await boardSteps(suite, browser, url, page, call);
  await pageSteps(suite, page, call, made);
}
