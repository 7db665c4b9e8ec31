/** Two people drag cards of the same board against each other, and end with the same board. */
import assert from 'node:assert/strict';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

export const column = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
export const cards = (page: Page, name: string): Promise<string[]> =>
  column(page, name).locator('[data-card]').allInnerTexts();

interface Race {
  /** Of the project, below the API. */
  readonly base: string;
  readonly titles: readonly string[];
  readonly call: Api;
  /** Whether they go on, told how many moves each has tried. */
  goesOn(moves: number): boolean;
}

/** The same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

/** Drags cards on all pages at the same time until it is enough, then waits until all of them show what is kept. */
async function dragAgainst(pages: readonly Page[], race: Race): Promise<number> {
  const { base, call, titles } = race;
  type Board = { id: number; lists: { id: number; label: { name: string } }[] };
  const [board] = await call.expect<Board[]>(200, 'GET', `${base}/boards`);
  assert.ok(board);
  const columns: readonly (readonly [name: string, of: string | number])[] = [
    ['Open', 'backlog'],
    ...board.lists.map(({ id, label }) => [label.name, id] as const),
    ['Closed', 'closed'],
  ];
  const dragged = await Promise.all(
    pages.map(async (page, person) => {
      const random = numbers(person + 1);
      let done = 0;
      for (let moves = 0; race.goesOn(moves); moves += 1) {
        const card = page.locator('[data-issue]', { hasText: titles[random(titles.length)] ?? '' }).first();
        const [name = ''] = columns[random(columns.length)] ?? [];
        // Where the other one took it away meanwhile, the next one is tried.
        await card.dragTo(column(page, name), { timeout: 2_000 }).then(
          () => {
            done += 1;
          },
          () => undefined,
        );
      }
      return done;
    }),
  );
  const total = dragged.reduce((sum, done) => sum + done, 0);
  assert.ok(total >= pages.length, `${total} cards were dragged`);
  const kept = async (of: string | number) =>
    (await call.expect<{ title: string }[]>(200, 'GET', `${base}/boards/${board.id}/issues?column=${of}`)).map(
      ({ title }) => title,
    );
  await until('all of them show what is kept', 30, async () => {
    const expected = await Promise.all(columns.map(([, of]) => kept(of)));
    const shown = await Promise.all(pages.map((page) => Promise.all(columns.map(([name]) => cards(page, name)))));
    return (
      // A card that both take from the open ones at once is in the column of one of them only.
      expected.flat().length === titles.length &&
      new Set(expected.flat()).size === titles.length &&
      shown.every((all) => JSON.stringify(all) === JSON.stringify(expected))
    );
  });
  return total;
}

async function populated(call: Api, titles: readonly string[]): Promise<string> {
  const made = (path: string, json: object) => call.expect<{ id: number }>(201, 'POST', path, json);
  const base = `/projects/${(await made('/projects', { name: 'Ferry', path: 'ferry' })).id}`;
  const board = await made(`${base}/boards`, { name: 'Development' });
  for (const name of ['doing', 'review']) {
    const label = await made(`${base}/labels`, { name, color: '#1f75cb' });
    await made(`${base}/boards/${board.id}/lists`, { label_id: label.id });
  }
  for (const title of titles) await made(`${base}/issues`, { title });
  return base;
}

/** Until each has tried so many moves, or for so many seconds. */
type Until = { readonly moves: number } | { readonly seconds: number };

/** On a board of its own. */
export async function boardRace(suite: Suite, end: Until, say: (line: string) => void): Promise<void> {
  const [span, seconds] = 'moves' in end ? [`${end.moves} times`, 60] : [`for ${end.seconds} s`, end.seconds + 120];
  const race = async () => {
    const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
    try {
      const call = api(instance.url, rootToken);
      const titles = Array.from({ length: 12 }, (_, index) => `Plank ${String.fromCharCode(65 + index)}`);
      const base = await populated(call, titles);
      const opened = async (browser: Browser) => {
        const { page } = await openWindow(browser, instance.url);
        await signIn(page, { login: 'root', password: rootPassword });
        await page.goto('/root/ferry/-/boards');
        await page.locator('[data-issue]', { hasText: 'Plank A' }).waitFor();
        return page;
      };
      await withBrowser(async (browser) => {
        const pages = [await opened(browser), await opened(browser)];
        const started = Date.now();
        const goesOn = (moves: number) =>
          'moves' in end ? moves < end.moves : Date.now() - started < end.seconds * 1000;
        const total = await dragAgainst(pages, { base, call, titles, goesOn });
        say(`two people dragged ${total} cards of one board; both show what the server keeps`);
      });
    } finally {
      await instance.stop();
      instance.remove();
    }
  };
  await suite.step(`two people drag cards of a board against each other ${span} and end with the same`, race, seconds);
}

export const boardRaceJourney = (suite: Suite): Promise<void> => boardRace(suite, { moves: 8 }, () => undefined);
