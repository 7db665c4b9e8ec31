/** On a slow network: what stands around a page stays while the next one loads, and work that takes long comes to its end. Slow: each answer takes more than half a second. */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import {
  ends,
  headed,
  holds,
  openWindow,
  type Person,
  screenshot,
  trafficOf,
  withBrowser,
} from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'semaphore/line';
const id = encodeURIComponent(project);
/** More than anything takes that does not wait for the network. */
const slowness = 600;

async function populated(call: Api): Promise<void> {
  const group = { name: 'Semaphore', path: 'semaphore' };
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', group);
  await call.expect(201, 'POST', '/projects', { name: 'Line', path: 'line', namespace_id: namespace });
  const commit = (branch: string, start: string | undefined, path: string) =>
    call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
      ...{ branch, ...(start ? { start_branch: start } : {}), commit_message: `Add ${path}` },
      actions: [{ action: 'create', file_path: path, content: `# ${path}\n\nTower by tower.\n` }],
    });
  await commit('main', undefined, 'README.md');
  await commit('arms', 'main', 'arms.md');
  await call.expect(201, 'POST', `/projects/${id}/merge_requests`, {
    ...{ source_branch: 'arms', target_branch: 'main', title: 'Move the arms' },
  });
}

interface SlowNetwork {
  /** Waits until nothing is on its way, nor has been for a while. */
  quiet(): Promise<void>;
  /** How long answers and files take. */
  late: number;
}

async function slowNetwork(page: Page): Promise<SlowNetwork> {
  const traffic = trafficOf(page);
  const network: SlowNetwork = { late: slowness, quiet: () => traffic.quiet(250) };
  await page.route(/\/(api|assets)\//, async (route) => {
    if (network.late > 0 && ends(route.request())) await setTimeout(network.late);
    // The page may have gone meanwhile.
    await route.continue().catch(() => {});
  });
  return network;
}

interface Seen {
  /** Where the rows of links are, and which of their links are marked. */
  readonly rows: readonly string[];
  readonly bar: boolean;
  readonly skeleton: boolean;
}

/** Notes in every frame that is drawn what stands around the content, as often as it changes. */
const watch = (rows: readonly string[]): string => `(() => {
  cancelAnimationFrame(window.drawing);
  window.seen = [];
  const look = () => {
    const now = {
      rows: ${JSON.stringify(rows)}.map((name) => {
        const found = [...document.querySelectorAll('nav[aria-label=' + JSON.stringify(name) + ']')];
        const drawn = found.filter((row) => row.getClientRects().length > 0);
        const { top = 'gone' } = drawn[0]?.getBoundingClientRect() ?? {};
        const marked = drawn.flatMap((row) => [...row.querySelectorAll('[aria-current=page]')]);
        return [name, Math.round(top + window.scrollY), drawn.length, marked.map((link) => link.textContent)].join(' | ');
      }),
      bar: document.querySelector('header')?.getBoundingClientRect().top === 0,
      skeleton: [...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility()),
    };
    if (JSON.stringify(window.seen.at(-1)) !== JSON.stringify(now)) window.seen.push(now);
    window.drawing = requestAnimationFrame(look);
  };
  look();
})()`;

/**
 * Opens every page of the last row of links. From the click on, all rows stay in their places with the clicked link marked,
 * it alone; a skeleton stands in for the content until it is there.
 */
async function frameStays(
  person: Person,
  network: SlowNetwork,
  address: string,
  rows: readonly string[],
): Promise<void> {
  const { page } = person;
  network.late = 0;
  await page.goto(address);
  const row = rows.at(-1) ?? '';
  const links = page.getByRole('navigation', { name: row, exact: true }).getByRole('link');
  await links.first().waitFor();
  await network.quiet();
  network.late = slowness;
  const texts = await links.allTextContents();
  let skeletons = 0;
  // The first is open already, and opened again at the end.
  for (const index of [...texts.keys()].slice(1).concat(0)) {
    const text = texts[index] ?? '';
    await page.evaluate(watch(rows));
    // Without a pointer above it: what a link under the pointer loads beforehand would be there at once.
    await links.nth(index).dispatchEvent('click');
    await network.quiet();
    await holds(page, `!document.querySelector('[aria-busy=true]') && window.seen.length > 1`);
    const seen = await page.evaluate<readonly Seen[]>('window.seen');
    const [before, ...after] = seen;
    assert.ok(before && after.length > 0);
    const told = JSON.stringify(seen, null, 1);
    const last = after.at(-1);
    assert.match(
      last?.rows.at(-1) ?? '',
      new RegExp(`\\| ${text.replace(/[^\w ]/g, '.')}$`),
      `${text} is not marked: ${told}`,
    );
    for (const { rows: at, bar } of after)
      assert.deepEqual({ at, bar }, { at: last?.rows, bar: true }, `${text}: ${told}`);
    if (after.some(({ skeleton }) => skeleton)) skeletons += 1;
  }
  assert.ok(skeletons > 0, 'everything was there at once: nothing was slow');
  assert.deepEqual(thrown(person), []);
}

/** What the page logged or threw. Of answers that are not there, or fail, the browser tells by itself. */
const thrown = (person: Person): string[] =>
  person.problems().filter((problem) => !problem.includes('Failed to load resource'));

/** Reads the changes, comments on a line, and merges. */
async function review({ page }: Person): Promise<void> {
  const tab = (name: RegExp) =>
    page.getByRole('navigation', { name: 'Merge request', exact: true }).getByRole('link', { name });
  await page.goto(`/${project}/-/merge_requests/1`);
  await headed(page, 'Move the arms');
  await tab(/^Changes/).click();
  const file = page.getByRole('region', { name: 'arms.md', exact: true });
  await file.getByText('Tower by tower.').waitFor();
  await file.getByText('Tower by tower.').hover();
  await file.getByRole('button', { name: 'Comment on line 3' }).click();
  const form = page.getByRole('form', { name: 'Comment on this line' });
  await form.getByRole('textbox').fill('From which tower?');
  await form.getByRole('button', { name: 'Comment', exact: true }).click();
  await form.waitFor({ state: 'detached' });
  await file.getByText('From which tower?').waitFor();
  await screenshot(page, 'slow-review');
  await tab(/^Overview/).click();
  await page.getByRole('button', { name: 'Merge', exact: true }).click();
  await page.getByRole('main').getByText('Merged', { exact: true }).first().waitFor();
}

/** Writes an issue with a picture, which is stored while the person goes on typing. */
async function report({ page }: Person): Promise<void> {
  await page.goto(`/${project}/-/issues/new`);
  await page.getByRole('textbox', { name: 'Title' }).fill('The third arm hangs');
  const description = page.getByRole('textbox', { name: 'Description' });
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({
      ...{ name: 'arm.png', mimeType: 'image/png' },
      buffer: Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      ),
    });
  await page.getByText('Uploading a file').waitFor();
  await description.pressSequentially('Seen at noon: ');
  await until('the picture in the text', 30, async () => /!\[arm\]\(\/uploads\//.test(await description.inputValue()));
  assert.match(await description.inputValue(), /Seen at noon: /);
  await page.getByRole('button', { name: 'Create issue' }).click();
  await headed(page, 'The third arm hangs');
  await page.getByRole('main').getByRole('img', { name: 'arm' }).waitFor();
}

/** Answers that fail: a page says so and tries again when it is asked to, a form keeps what was typed. */
async function failures(person: Person): Promise<void> {
  const { page } = person;
  let failing = true;
  const fail = (pattern: RegExp) =>
    page.route(pattern, async (route) => {
      if (!failing) return await route.fallback();
      await setTimeout(slowness);
      return await route.fulfill({
        status: 500,
        contentType: 'application/json',
        body: '{"message":"500 Internal Server Error"}',
      });
    });
  await page.goto(`/${project}`);
  await page.getByRole('link', { name: 'README.md' }).first().waitFor();
  await fail(/\/merge_requests\?/);
  const tabs = page.getByRole('navigation', { name: 'Project', exact: true });
  await tabs.getByRole('link', { name: /^Merge requests/ }).click();
  await headed(page, 'Something went wrong');
  await tabs.waitFor();
  await screenshot(page, 'slow-failure');
  failing = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('list', { name: 'Merge requests' }).waitFor();
  failing = true;
  await fail(/\/issues$/);
  await page.goto(`/${project}/-/issues/new`);
  await page.getByRole('textbox', { name: 'Title' }).fill('The lamp is out');
  await page.getByRole('button', { name: 'Create issue' }).click();
  await page.getByRole('alert').first().waitFor();
  assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'The lamp is out');
  failing = false;
  await page.getByRole('button', { name: 'Create issue' }).click();
  await headed(page, 'The lamp is out');
  assert.deepEqual(thrown(person), []);
}

const frames: readonly (readonly [what: string, address: string, rows: readonly string[]])[] = [
  ['a project', `/${project}`, ['Project']],
  ['a group', '/semaphore', ['Group']],
  ['a merge request', `/${project}/-/merge_requests/1`, ['Project', 'Merge request']],
  ['lists around pipelines', `/${project}/-/pipelines`, ['Project', 'Pipelines and jobs']],
  ['lists of projects', '/', ['Lists of projects']],
  ['the administration', '/admin', ['Administration']],
];

export async function slowNetworkJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      await signIn(person.page, { login: 'root', password: rootPassword });
      const network = await slowNetwork(person.page);
      for (const [what, address, rows] of frames)
        await suite.step(`slow network: the frame stays and the clicked tab is marked at once: ${what}`, () =>
          frameStays(person, network, address, rows),
        );
      await suite.step('slow network: an answer that fails is told, and tried again', () => failures(person));
      await suite.step('slow network: a review with a comment on a line, and the merge', () => review(person));
      await suite.step('slow network: an issue with a picture, typed while it is stored', () => report(person));
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
