/** What a page costs: requests and bytes as sent when it opens for the first time, round trips when it was opened before. Slow: every kind of page is opened cold and warm. */
import assert from 'node:assert/strict';
import type { Browser } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { pageWeights } from '../support/page-weights.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'weighbridge/scale';
const built = 'weighbridge/built';
const id = encodeURIComponent(project);

async function populated(call: Api): Promise<void> {
  const group = { name: 'Weighbridge', path: 'weighbridge' };
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', group);
  await call.expect(201, 'POST', '/projects', { name: 'Scale', path: 'scale', namespace_id: namespace });
  const commit = (branch: string, start: string | undefined, path: string) =>
    call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
      ...{ branch, ...(start ? { start_branch: start } : {}), commit_message: `Add ${path}` },
      actions: [{ action: 'create', file_path: path, content: `# ${path}\n\nWeighs.\n` }],
    });
  await commit('main', undefined, 'README.md');
  await commit('tare', 'main', 'tare.md');
  await call.expect(201, 'POST', `/projects/${id}/merge_requests`, {
    ...{ source_branch: 'tare', target_branch: 'main', title: 'Subtract the tare' },
  });
  // With what most have: a text, a list of tasks, and somebody's opinion.
  await commit('zero', 'main', 'zero.md');
  const described = await call.expect<{ iid: number }>(201, 'POST', `/projects/${id}/merge_requests`, {
    ...{ source_branch: 'zero', target_branch: 'main', title: 'Begin at zero' },
    description: 'The scale begins at **three grams**.\n\n- [x] set to zero\n- [ ] weigh again\n',
  });
  const notes = `/projects/${id}/merge_requests/${described.iid}/notes`;
  await call.expect(201, 'POST', notes, { body: 'Weighed with `tare`.' });
  const boards = `/projects/${id}/boards`;
  const board = await call.expect<{ id: number }>(201, 'POST', boards, { name: 'Works' });
  for (const name of ['doing', 'review']) {
    const label = { name, color: '#1f75cb' };
    const { id: label_id } = await call.expect<{ id: number }>(201, 'POST', `/projects/${id}/labels`, label);
    await call.expect(201, 'POST', `${boards}/${board.id}/lists`, { label_id });
  }
  // Of another project, so that the pages of the first one stay as small as they are.
  await call.expect(201, 'POST', '/projects', { name: 'Built', path: 'built', namespace_id: namespace });
  await call.expect(201, 'POST', `/projects/${encodeURIComponent(built)}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Build' },
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'job:\n  script: make\n' }],
  });
  const pipeline = () => call.expect<unknown[]>(200, 'GET', `/projects/${encodeURIComponent(built)}/pipelines`);
  await until('its pipeline', 60, async () => (await pipeline()).length > 0);
  // Closed, so that the list of open ones is empty.
  await call.expect(201, 'POST', `/projects/${id}/issues`, { title: 'Calibrate', labels: 'doing' });
  await call.expect(200, 'PUT', `/projects/${id}/issues/1`, { state_event: 'close' });
}

interface Load {
  /** Of everything that came, as sent: headers, compressed bodies. */
  readonly bytes: number;
  /** Of these, scripts and styles. */
  readonly code: number;
  readonly requests: readonly string[];
  /** The largest first, to say what a page is made of. */
  readonly sizes: readonly string[];
}

/** Opens the address in a window without a cache, signed in, and waits until this text is there. */
async function load(browser: Browser, url: string, address: string, text: string): Promise<Load> {
  const { page, close } = await openWindow(browser, url);
  try {
    await signIn(page, { login: 'root', password: rootPassword });
    await page.goto('about:blank');
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.clearBrowserCache');
    const requests: string[] = [];
    const names = new Map<string, string>();
    const sizes: Array<readonly [bytes: number, request: string]> = [];
    session.on('Network.requestWillBeSent', ({ request, requestId }) => {
      // What stands in another file is asked of nobody.
      if (request.url.startsWith('data:')) return;
      const name = `${request.method} ${request.url.slice(url.length)}`;
      requests.push(name);
      names.set(requestId, name);
    });
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      sizes.push([encodedDataLength, names.get(requestId) ?? '']);
    });
    // What is asked for after a second or more is no part of the first view, however long that takes on a busy machine.
    await page.addInitScript(`{
      const { setTimeout } = window;
      window.setTimeout = (work, wait, ...more) => (wait >= 1000 ? 0 : setTimeout(work, wait, ...more));
    }`);
    await page.goto(`/${address}`);
    await page.getByRole('main').getByText(text).first().waitFor();
    await page.waitForLoadState('networkidle');
    sizes.sort(([one], [other]) => other - one);
    const sum = (of: typeof sizes) => of.reduce((all, [size]) => all + size, 0);
    return {
      bytes: sum(sizes),
      code: sum(sizes.filter(([, name]) => /\.(js|css)$/.test(name))),
      requests,
      sizes: sizes.map(([size, name]) => `${size} ${name}`),
    };
  } finally {
    await close();
  }
}

/** What the documents of these addresses name, and their pages then do not ask. */
async function namedInVain(browser: Browser, url: string, addresses: readonly string[]): Promise<string[]> {
  const { page, close } = await openWindow(browser, url);
  try {
    await signIn(page, { login: 'root', password: rootPassword });
    await page.addInitScript(`{
      const { fetch } = window;
      window.asked = [];
      window.fetch = (what, ...more) => {
        window.asked.push(new URL(what.url ?? what, location.href).href.slice(location.origin.length));
        return fetch(what, ...more);
      };
    }`);
    const inVain: string[] = [];
    for (const address of addresses) {
      const answer = await page.goto(`/${address}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
      await page.waitForLoadState('networkidle');
      const named = [...(answer?.headers().link ?? '').matchAll(/<(\/[^>]*)>; rel=preload; as=fetch/g)].map(
        ([, it]) => it,
      );
      assert.ok(named.length > 1, `${address} names ${named}`);
      const asked = new Set(await page.evaluate<string[]>('window.asked'));
      inVain.push(...named.flatMap((it) => (it && !asked.has(it) ? `${address}: ${it}` : [])));
    }
    return inVain;
  } finally {
    await close();
  }
}

/**
 * Milliseconds, long so that what the machine does beside it counts little. Where drawing takes longer than the first, requests
 * that the text does not wait for end before it, as one round trip too many: the second one tells them apart.
 */
const roundTrips = [1_000, 6_000] as const;

interface Timed {
  readonly startTime: number;
  readonly responseEnd: number;
}

/** How many of the requests that were answered stand one after the other; what comes out of the cache counts nothing. */
function depth(entries: readonly Timed[], roundTrip: number): number {
  const waited = entries.filter(({ startTime, responseEnd }) => responseEnd - startTime >= roundTrip * 0.9);
  const below = (each: Timed): number =>
    1 + Math.max(0, ...waited.filter(({ responseEnd }) => responseEnd <= each.startTime).map(below));
  return Math.max(0, ...waited.map(below));
}

/** Round trips until the text is there, counted so that a busy machine changes nothing; `again`: with all files in the cache. */
async function tripsTo(
  browser: Browser,
  url: string,
  { address, text, again, roundTrip }: { address: string; text: string; again: boolean; roundTrip: number },
): Promise<number> {
  const { page, close } = await openWindow(browser, url);
  try {
    await signIn(page, { login: 'root', password: rootPassword });
    const shown = () => page.getByRole('main').getByText(text).first().waitFor();
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    if (again) {
      await page.goto(`/${address}`);
      await shown();
      await page.waitForLoadState('networkidle');
    } else {
      await page.goto('about:blank');
      await session.send('Network.clearBrowserCache');
    }
    await session.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: roundTrip, downloadThroughput: -1, uploadThroughput: -1 },
    });
    // What the page asks for after that is no part of it, however late this process looks.
    await page.addInitScript(`new MutationObserver(() => {
      if (document.querySelector('main')?.textContent.includes(${JSON.stringify(text)})) window.shownAt ??= performance.now();
    }).observe(document, { subtree: true, childList: true, characterData: true });`);
    await page.goto(`/${address}`, { waitUntil: 'commit' });
    await shown();
    const entries = await page.evaluate<readonly Timed[]>(
      `['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type))
        .map(({ startTime, responseEnd }) => ({ startTime, responseEnd }))
        .filter(({ responseEnd }) => responseEnd > 0 && responseEnd <= window.shownAt)`,
    );
    return depth(entries, roundTrip);
  } finally {
    await close();
  }
}

/** With what each may cost: what it was brought to, and 2 KB for what the machine's own answers differ by. */
const pages = [
  ['a project', project, 'Weighs.', 223_000, 23],
  ['a file', `${project}/-/blob/main/README.md`, 'Weighs.', 223_500, 19],
  ['the list of issues', `${project}/-/issues`, 'No open issues', 194_000, 14],
  ['the list of merge requests', `${project}/-/merge_requests`, 'Subtract the tare', 197_500, 16],
  ['a merge request', `${project}/-/merge_requests/1`, 'tare', 220_000, 20],
  ['a merge request with a text', `${project}/-/merge_requests/2`, 'Weighed with', 236_000, 22],
  ['a board', `${project}/-/boards`, 'Calibrate', 198_500, 14],
  ['its changes', `${project}/-/merge_requests/1/diffs`, 'tare.md', 223_000, 22],
] as const;

/**
 * In how many round trips: the document, all that it names at once (scripts, who is signed in, the project, and what is known
 * from the address alone), and what the page shows. Without a cache no more than with one, which two of them show.
 */
const trips = [
  ['a project', project, 'README.md', 3, [true]],
  ['a file', `${project}/-/blob/main/README.md`, 'Weighs.', 3, [false, true]],
  ['an issue', `${project}/-/issues/1`, 'Calibrate', 2, [true]],
  ['a merge request', `${project}/-/merge_requests/1`, 'tare', 2, [false, true]],
  // The boards, then the columns of the first one.
  ['a board', `${project}/-/boards`, 'Calibrate', 4, [true]],
] as const;

/** Scripts and styles, compressed, of every page, before what it asks for when somebody turns to it. */
const mostOfAnyPage = 220_000;

export async function pageLoadsJourney(suite: Suite): Promise<void> {
  await suite.step('every page begins with little', async () => {
    const pages = pageWeights();
    assert.ok(pages.length > 120, `${pages.length} pages`);
    const heavy = pages.filter(({ bytes }) => bytes > mostOfAnyPage);
    assert.deepEqual(
      heavy.map(({ name, bytes, files }) => `${name}: ${bytes} bytes\n${files.join('\n')}`),
      [],
    );
  });
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    await populated(api(instance.url, rootToken));
    for (const [what, address, text, mostBytes, mostRequests] of pages)
      await suite.step(`the first page is small, few requests, and asks nothing twice: ${what}`, async () => {
        await withBrowser(async (browser) => {
          const { bytes, code, requests, sizes } = await load(browser, instance.url, address, text);
          const [all, ofCode] = [bytes, code].map((each) => (each / 1000).toFixed(1));
          console.log(`  ${what}: ${requests.length} requests, ${all} KB, ${ofCode} KB of scripts and styles`);
          const seen = new Set<string>();
          const again = requests.filter((request) => seen.size === seen.add(request).size);
          assert.deepEqual(again, [], 'asked twice');
          assert.ok(requests.length <= mostRequests, `${requests.length} requests:\n${requests.join('\n')}`);
          assert.ok(bytes <= mostBytes, `${bytes} bytes:\n${sizes.join('\n')}`);
          assert.ok(code <= mostOfAnyPage, `${code} bytes of scripts and styles:\n${sizes.join('\n')}`);
        });
      });
    await suite.step('a page asks for all that its document names', async () => {
      const ofProject = [
        ...['', '/issues', '/issues/1', '/merge_requests', '/boards', '/blob/main/README.md', '/tree/main'],
        ...['/commits/main', '/branches', '/tags', '/milestones', '/activity'],
      ];
      const ofRequest = ['', '/diffs', '/commits', '/pipelines'].map((tab) => `/merge_requests/1${tab}`);
      const ofBuilt = ['/pipelines', '/pipelines/1', '/jobs', '/jobs/1'];
      await withBrowser(async (browser) => {
        const inVain = await namedInVain(browser, instance.url, [
          ...[...ofProject, ...ofRequest].map((page) => (page === '' ? project : `${project}/-${page}`)),
          ...ofBuilt.map((page) => `${built}/-${page}`),
          ...['', '/-/epics', '/-/issues', '/-/merge_requests', '/-/pipelines', '/-/boards', '/-/milestones'].map(
            (page) => `groups/weighbridge${page}`,
          ),
          '',
        ]);
        assert.deepEqual(inVain, []);
      });
    });
    for (const [what, address, text, mostTrips, cached] of trips)
      await suite.step(`a page is there after ${mostTrips} round trips: ${what}`, async () => {
        await withBrowser(async (browser) => {
          for (const again of cached) {
            let taken = 0;
            for (const roundTrip of roundTrips) {
              taken = await tripsTo(browser, instance.url, { address, text, again, roundTrip });
              if (taken <= mostTrips) break;
            }
            assert.ok(taken > 0 && taken <= mostTrips, `${taken} round trips${again ? ' when opened again' : ''}`);
          }
        });
      });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
