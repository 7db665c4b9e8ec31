/** What a person feels on large pages: from a key or click to the next paint, scrolling through a diff, memory of a long log. */
import { openWindow, type Person, withBrowser } from '../../../e2e/src/support/browser.ts';
import { signIn } from '../../../e2e/src/support/signing-in.ts';
import { type Context, spread } from '../context.ts';
import { rootPassword } from '../process.ts';
import { protocolRunner } from '../protocol-runner.ts';
import type { Figure } from '../report.ts';
import { createProject, type Project, type Target } from '../target.ts';
import { pause, until } from '../waiting.ts';

type Page = Person['page'];

const files = 500;
const issues = 300;
const logMegabytes = 100;
const times = 5;

interface Large {
  readonly path: string;
  readonly request: number;
  readonly job: number;
}

/**
 * Every interaction's time until the paint after it; the browser tells of those above 16 ms, of one that painted nothing
 * when the next one does, which is why they count from a time on. Tasks above 50 ms.
 */
const observe = `{
  window.interactions = new Map();
  window.from = 0;
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, startTime } of list.getEntries())
      if (interactionId && startTime >= window.from) window.interactions.set(interactionId, Math.max(duration, window.interactions.get(interactionId) ?? 0));
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
  window.tasks = [];
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.tasks.push(duration);
  }).observe({ type: 'longtask' });
}`;

const text = (file: number, changed: boolean) =>
  Array.from({ length: 60 }, (_item, line) =>
    changed && line % 20 === 7
      ? `const changed${line} = other(${file * line});`
      : `const value${line} = compute(${file}, ${line}); // line ${line} of module ${file}`,
  ).join('\n');

async function large(target: Target): Promise<Large> {
  const project: Project = await createProject(target, 'bench-hands');
  const commit = (action: string, branch: string, changed: boolean, more: object = {}) =>
    target.call('POST', `${project.api}/repository/commits`, {
      ...{ branch, commit_message: `${action} modules [skip ci]`, ...more },
      actions: Array.from({ length: files }, (_item, file) => ({
        ...{ action, file_path: `src/part${file % 20}/module${file}.ts`, content: text(file, changed) },
      })),
    });
  await commit('create', 'main', false);
  await commit('update', 'wide', true, { start_branch: 'main' });
  const { iid: request } = await target.call<{ iid: number }>('POST', `${project.api}/merge_requests`, {
    ...{ source_branch: 'wide', target_branch: 'main', title: 'Change every module' },
  });
  for (let at = 0; at < issues; at++)
    await target.call('POST', `${project.api}/issues`, {
      ...{ title: `Look at module ${at}`, labels: `part${at % 20}`, description: '- [ ] read\n- [ ] mend\n' },
    });
  const runner = await protocolRunner(target, 'bench-hands');
  await target.call('POST', `${project.api}/repository/commits`, {
    ...{ branch: 'log', start_branch: 'main', commit_message: 'Configure' },
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'long: {script: [x], tags: [bench-hands]}\n' }],
  });
  const taken = await runner.take();
  const line = (at: number) => `\u001b[32m[${at}]\u001b[0m compiled module ${at % 997} in ${at % 89} ms\n`;
  let start = 0;
  for (let at = 0; start < logMegabytes * 1_000_000; ) {
    let piece = '';
    while (piece.length < 1_000_000) piece += line(at++);
    const data = Buffer.from(piece);
    await runner.write(taken, start, data);
    start += data.length;
  }
  await runner.end(taken);
  const { path_with_namespace: path } = await target.call<{ path_with_namespace: string }>('GET', project.api);
  return { path, request, job: taken.id };
}

/** The longest interaction since the last call; one of which nothing is told took less than 16 ms. */
async function longest(page: Page): Promise<number> {
  // Two frames, and what the browser gathers before it tells.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 100))))',
  );
  return Number(
    await page.evaluate(
      `(() => { const most = Math.max(16, ...window.interactions.values()); window.interactions.clear(); window.from = performance.now(); return most; })()`,
    ),
  );
}

type Act = (page: Page, round: number) => Promise<void>;

const interactions = ({
  path,
  request,
}: Large): readonly (readonly [name: string, address: string, act: Act, undo?: Act])[] => [
  [
    'open a filter of a list',
    `/${path}/-/issues`,
    (page) => page.getByRole('combobox', { name: 'Labels' }).click(),
    (page) => page.keyboard.press('Escape'),
  ],
  [
    'type in the search of a list',
    `/${path}/-/issues`,
    (page, round) => page.locator('[data-filter]').first().pressSequentially(`mod${round}`, { delay: 60 }),
    (page) => page.locator('[data-filter]').first().fill(''),
  ],
  [
    'type in the palette',
    `/${path}`,
    async (page) => {
      await page.keyboard.press('Control+k');
      await page
        .getByRole('dialog')
        .getByRole('combobox')
        .or(page.getByRole('dialog').getByRole('textbox'))
        .first()
        .waitFor();
      await page.keyboard.type('module', { delay: 60 });
    },
    async (page) => {
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    },
  ],
  [
    'open a menu',
    `/${path}`,
    (page) => page.getByRole('button', { name: /^Account of/ }).click(),
    (page) => page.keyboard.press('Escape'),
  ],
  [
    'switch to another tab',
    `/${path}/-/merge_requests/${request}`,
    async (page, round) => {
      const tabs = page.getByRole('navigation', { name: 'Merge request', exact: true });
      // Each press leads to the other one: the page paints nothing for a press of the tab that it shows.
      await tabs.getByRole('link', { name: round % 2 === 0 ? /^Overview/ : /^Commits/ }).click();
    },
  ],
  [
    `fold one of ${files} files`,
    `/${path}/-/merge_requests/${request}/diffs`,
    (page) =>
      page
        .getByRole('button', { name: /^Fold / })
        .first()
        .click(),
    (page) =>
      page
        .getByRole('button', { name: /^Unfold / })
        .first()
        .click(),
  ],
  [
    'tick "Viewed" of a file',
    `/${path}/-/merge_requests/${request}/diffs`,
    (page) => page.getByRole('checkbox', { name: 'Viewed' }).first().click(),
  ],
  ['tick a task', `/${path}/-/issues/1`, (page) => page.getByRole('main').getByRole('checkbox').first().click()],
];

/** Through the whole page, one screen at a time. */
async function scroll(page: Page): Promise<number> {
  await page.evaluate('window.tasks.length = 0');
  await page.mouse.move(700, 500);
  for (let still = 0, before = -1; still < 5; ) {
    await page.mouse.wheel(0, 800);
    await pause(30);
    const at = Number(await page.evaluate('window.scrollY'));
    still = at === before ? still + 1 : 0;
    before = at;
  }
  return Number(await page.evaluate('Math.max(0, ...window.tasks)'));
}

async function heapOfLog(page: Page, { path, job }: Large): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await page.goto(`/${path}/-/jobs/${job}`);
  await page.getByText('compiled module').first().waitFor();
  for (let turns = 0; turns < 40; turns++) {
    await page.mouse.wheel(0, 5000);
    await pause(20);
  }
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = (await session.send('Runtime.getHeapUsage')) as { usedSize: number };
  return usedSize / 1_000_000;
}

export async function hands(context: Context): Promise<void> {
  const { target } = context.ours;
  const made = await large(target);
  const changes = `/projects/${encodeURIComponent(made.path)}/merge_requests/${made.request}`;
  await until('the changes', 60, async () => {
    const { changes_count } = await target.call<{ changes_count: string | null }>('GET', changes);
    return changes_count;
  });
  await withBrowser(async (browser) => {
    const { page } = await openWindow(browser, target.url);
    await signIn(page, { login: 'root', password: rootPassword });
    await page.addInitScript(observe);
    const add = (name: string, ours: Figure, text: string, met: boolean) =>
      context.add({ name, ours, goal: { text, met } });
    for (const [name, address, act, undo] of interactions(made)) {
      await page.goto(address);
      await page.waitForLoadState('networkidle');
      const found: number[] = [];
      for (let round = -1; round < times; round++) {
        await longest(page);
        await act(page, round);
        const took = await longest(page);
        await undo?.(page, round);
        // The first one loads what the page does not begin with.
        if (round >= 0) found.push(took);
      }
      const figure = spread(found);
      add(`to the next paint: ${name}`, figure, 'p95 < 100 ms', (figure.p95 ?? 0) < 100);
    }
    await page.goto(`/${made.path}/-/merge_requests/${made.request}/diffs`);
    await page
      .getByRole('button', { name: /^Fold / })
      .first()
      .waitFor();
    await page.waitForLoadState('networkidle');
    const shown = await page.locator('[data-file]').count();
    if (shown !== files) throw new Error(`${shown} of ${files} files are shown`);
    const task = await scroll(page);
    add(`longest task while ${files} changed files are scrolled through`, { p50: task }, '< 100 ms', task < 100);
    // In a window that has shown nothing else.
    const fresh = await openWindow(browser, target.url);
    await signIn(fresh.page, { login: 'root', password: rootPassword });
    const heap = await heapOfLog(fresh.page, made);
    add(`heap of the page with a log of ${logMegabytes} MB`, { megabytes: heap }, '< 50 MB', heap < 50);
  });
}
