/** A real browser from npm alone, with screenshots and the accessibility check. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, chromium as engine, type Page } from 'playwright-core';
import { root } from './instance.ts';

const screenshots = join(root, 'e2e/screenshots');
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Person {
  readonly page: Page;
  /** Errors that the page logged or threw since the last call. */
  problems(): string[];
  close(): Promise<void>;
}

/** Runs `use` with a browser that is closed whatever happens: one left open would keep this process from ending. */
export async function withBrowser(use: (browser: Browser) => Promise<void>): Promise<void> {
  chromium.setGraphicsMode = false;
  const browser = await engine.launch({
    executablePath: await chromium.executablePath(),
    args: [
      ...chromium.args,
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
  page.setDefaultTimeout(15_000);
  let found: string[] = [];
  page.on('pageerror', (error) => found.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error') found.push(`console: ${message.text()}`);
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

/** Fails on any serious or critical finding of axe. */
export async function accessible(page: Page): Promise<void> {
  await page.evaluate(axeSource);
  const result = (await page.evaluate(
    "axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })",
  )) as AxeResult;
  const serious = result.violations.filter(
    (violation) => violation.impact === 'serious' || violation.impact === 'critical',
  );
  const text = serious.map(
    (violation) =>
      `${violation.id}: ${violation.help}\n${violation.nodes.map((node) => `    ${node.html.slice(0, 200)}`).join('\n')}`,
  );
  assert.deepEqual(text, [], `axe on ${page.url()}`);
}
