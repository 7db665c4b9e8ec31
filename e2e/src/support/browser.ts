/** A real browser from npm alone, with screenshots and the accessibility check. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as engine, type Locator, type Page, type Request } from 'playwright-core';
import { until } from './api.ts';
import { root } from './instance.ts';

const screenshots = join(root, 'e2e/screenshots');
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What the package switches off to start faster: what keeps frames and origins apart is what we test. */
const weakening = new Set(['--disable-web-security', '--disable-site-isolation-trials', '--single-process']);

export interface Person {
  readonly page: Page;
  /** Errors that the page logged or threw since the last call. */
  problems(): string[];
  close(): Promise<void>;
}

let late = 0;

/** From now on every answer of the API comes up to so many milliseconds late in every window, each by chance. */
export function answerLate(milliseconds: number): void {
  late = milliseconds;
}

/** Where the browser is; the first call unpacks it, which two at a time would disturb each other in. */
let unpacked: Promise<string> | undefined;

/** Runs `use` with a browser that is closed whatever happens: one left open would keep this process from ending. */
export async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  chromium.setGraphicsMode = false;
  unpacked ??= chromium.executablePath();
  const browser = await engine.launch({
    executablePath: await unpacked,
    args: [
      ...chromium.args.filter((argument) => !weakening.has(argument)),
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
    headless: true,
  });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

/** A fresh window; every error of the page is kept. */
export async function openWindow(
  browser: Browser,
  url: string,
  options: { width?: number; dark?: boolean } = {},
): Promise<Person> {
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width: options.width ?? 1280, height: 900 },
    colorScheme: options.dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  // What does not come at all ends here; a busy machine may take its time.
  page.setDefaultTimeout(60_000);
  if (late > 0)
    await page.route('**/api/**', async (route) => {
      await setTimeout(Math.random() * late);
      // The page may have gone meanwhile.
      await route.continue().catch(() => {});
    });
  let found: string[] = [];
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() !== 'error') return;
    // What could not be loaded is not in the text.
    const place = message.text().startsWith('Failed to load resource') ? ` ${message.location().url}` : '';
    found.push(`console: ${message.text()}${place}`);
  });
  return {
    page,
    problems() {
      const list = found;
      found = [];
      return list;
    },
    close: () => context.close(),
  };
}

export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(screenshots, { recursive: true });
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: false });
}

interface AxeResult {
  violations: { id: string; impact: string | null; help: string; nodes: { html: string }[] }[];
}

/**
 * Fails on any serious or critical finding of axe. It looks from the top of the page and goes back: a button that has been
 * scrolled halfway below the bar at the top is not too small.
 */
export async function accessible(page: Page): Promise<void> {
  // Half a megabyte of source: once for each document.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axeSource);
  const result = (await page.evaluate(`(async () => {
    const { scrollX, scrollY } = window;
    window.scrollTo(0, 0);
    const runOnly = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
    const found = await axe.run(document, { runOnly, resultTypes: ['violations'] });
    window.scrollTo(scrollX, scrollY);
    return found;
  })()`)) as AxeResult;
  const serious = result.violations.filter(
    (violation) => violation.impact === 'serious' || violation.impact === 'critical',
  );
  const text = serious.map(
    (violation) =>
      `${violation.id}: ${violation.help}\n${violation.nodes.map((node) => `    ${node.html.slice(0, 200)}`).join('\n')}`,
  );
  assert.deepEqual(text, [], `axe on ${page.url()}`);
}

interface Traffic {
  /** Waits until nothing is on its way, nor has been for so many milliseconds. */
  quiet(silence: number): Promise<void>;
}

/** What tells of changes while a page is open never ends. */
export const ends = (request: Request): boolean => !request.url().includes('/api/v4/live');

/** Watches what a page asks for from now on. */
export function trafficOf(page: Page): Traffic {
  const waiting = new Set<Request>();
  let last = 0;
  const ended = (request: Request) => {
    waiting.delete(request);
    last = performance.now();
  };
  page.on('request', (request) => ends(request) && waiting.add(request));
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  return {
    quiet: async (silence) => {
      await until('a quiet network', 60, async () => waiting.size === 0 && performance.now() - last > silence);
    },
  };
}

/** The forms in which every page is looked at. */
export const forms = ['light', 'dark', 'narrow'] as const;
type Form = (typeof forms)[number];

/** Shows the page that is open in a form, without loading it again: what changes with it is drawn when this is over. */
export async function showAs(page: Page, form: Form): Promise<void> {
  const colorScheme = form === 'dark' ? 'dark' : 'light';
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width: form === 'narrow' ? 390 : 1280, height: 900 });
  await holds(page, `document.documentElement.dataset.mantineColorScheme === '${colorScheme}'`);
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  // Colours that are on their way from one scheme to the other are none of either.
  await page.evaluate(`for (const each of document.getAnimations())
    if (each.effect?.getComputedTiming().endTime !== Infinity) each.finish();`);
}

/** The page as people see it now: no serious finding of axe, and a picture. */
export async function look(page: Page, name: string): Promise<void> {
  await accessible(page);
  await screenshot(page, name);
}

/** Answers the dialog that asks before something is destroyed, and waits until it has gone. */
export async function confirmAction(page: Page, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: action, exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
}

/** Waits until the page has this heading, and no other words in it. */
export const headed = (page: Page, name: string, level = 1): Promise<void> =>
  page.getByRole('heading', { name, level, exact: true }).first().waitFor();

/** A part of settings, which its own heading names. */
export async function openPart(page: Page, address: string, heading: string): Promise<void> {
  await page.goto(address);
  await headed(page, heading, 2);
}

/** Waits until an expression is true in the page, asked from outside: its policy lets nothing be evaluated inside. */
export async function holds(page: Page, expression: string): Promise<void> {
  await until(expression, 60, async () => (await page.evaluate(expression)) === true);
}

/** What is typed in a field, or in an editor of code whose lines are all drawn. */
const typed = async (field: Locator): Promise<string> =>
  (await field.getAttribute('contenteditable')) === null
    ? field.inputValue()
    : (await field.locator('.cm-line').allTextContents()).join('\n');

/** Waits until a field has this in it. */
export async function valued(field: Locator, value: string | RegExp): Promise<void> {
  await until(`a field with ${value}`, 60, async () => {
    const now = await typed(field);
    return typeof value === 'string' ? now === value : value.test(now);
  });
}

/** Waits until a box is ticked, or is not. */
export async function ticked(box: Locator, wanted: boolean): Promise<void> {
  await until(`a box that is ${wanted ? '' : 'not '}ticked`, 60, async () => (await box.isChecked()) === wanted);
}

/** Waits until there are so many. */
export async function counted(found: Locator, count: number): Promise<void> {
  await until(`${count} of ${found}`, 60, async () => (await found.count()) === count);
}
