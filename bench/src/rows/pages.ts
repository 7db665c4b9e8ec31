/** How soon pages of the demo organisation show their content on a network of 10 Mbit/s and 60 ms: first visits, and later ones. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { holds, openWindow, type Person, withBrowser } from '../../../e2e/src/support/browser.ts';
import { signIn } from '../../../e2e/src/support/signing-in.ts';
import { type Context, spread } from '../context.ts';
import { root, rootPassword } from '../process.ts';
import { below } from '../report.ts';
import type { Target } from '../target.ts';

type Page = Person['page'];
type Session = Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>;

const times = 5;
const slow = { offline: false, latency: 60, downloadThroughput: 1_250_000, uploadThroughput: 1_250_000 };
const free = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
const project = 'brightwater/billing';

/** When the page has its heading, more than that, and nothing that stands in for what is still to come. */
const watch = `new MutationObserver(() => {
  const main = document.querySelector('main');
  if (window.contentAt || !main?.querySelector('h1') || main.textContent.trim().length < 40) return;
  if ([...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility())) return;
  requestAnimationFrame(() => { window.contentAt ??= performance.now(); });
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['aria-busy'] });`;

function demo({ url, token }: Target): Promise<void> {
  const args = [join(root, 'dist/millrace.mjs'), 'demo', '--url', url, '--token', token, '--wait', '60'];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: { PATH: process.env.PATH ?? '' }, stdio: 'ignore' });
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`millrace demo ended with ${code}`))));
  });
}

async function contentOf(page: Page, session: Session, address: string, cold: boolean): Promise<number> {
  await page.goto('about:blank');
  if (cold) await session.send('Network.clearBrowserCache');
  await session.send('Network.emulateNetworkConditions', slow);
  await page.goto(address, { waitUntil: 'commit' });
  await holds(page, 'window.contentAt > 0');
  const at = await page.evaluate('window.contentAt');
  await page.waitForLoadState('networkidle');
  await session.send('Network.emulateNetworkConditions', free);
  return Number(at);
}

export async function pages(context: Context): Promise<void> {
  const { target } = context.ours;
  await demo(target);
  const id = encodeURIComponent(project);
  const newest = async (list: string) => {
    const [found] = await target.call<{ id: number; iid: number }[]>('GET', `/projects/${id}/${list}?per_page=1`);
    if (!found) throw new Error(`the demo has no ${list}`);
    return found;
  };
  const addresses = [
    ['a project', `/${project}`],
    ['a merge request', `/${project}/-/merge_requests/${(await newest('merge_requests')).iid}`],
    ['the list of issues', `/${project}/-/issues`],
    ['a pipeline', `/${project}/-/pipelines/${(await newest('pipelines')).id}`],
    ['a job', `/${project}/-/jobs/${(await newest('jobs')).id}`],
    ['your work', '/dashboard/work'],
  ] as const;
  await withBrowser(async (browser) => {
    const { page } = await openWindow(browser, target.url);
    await signIn(page, { login: 'root', password: rootPassword });
    await page.addInitScript(watch);
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    for (const [name, address] of addresses) {
      const found: Record<'cold' | 'warm', number[]> = { cold: [], warm: [] };
      await contentOf(page, session, address, true);
      for (let round = 0; round < times; round++) {
        found.cold.push(await contentOf(page, session, address, true));
        found.warm.push(await contentOf(page, session, address, false));
      }
      for (const [what, limit] of [
        ['cold', 800],
        ['warm', 300],
      ] as const) {
        const figure = spread(found[what]);
        context.add({
          name: `content of ${name}, ${what} (10 Mbit/s, 60 ms)`,
          ours: figure,
          goal: below(limit, 'p95', figure),
        });
      }
    }
  });
}
