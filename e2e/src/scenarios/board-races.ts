/** Two people drag cards of the same board against each other, and end with the same board. Slow: sixteen rounds on two pages each. */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

export const column = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
export const cards = (page: Page, name: string): Promise<string[]> =>
  column(page, name).locator('[data-card]').allInnerTexts();

/** A board of issues or of epics. */
interface Raced {
  readonly address: string;
  /** From the left, each with what the API calls it. */
  readonly columns: readonly (readonly [name: string, of: string | number])[];
  /** Titles of a column, in their order. */
  kept(of: string | number): Promise<string[]>;
}

interface Race {
  readonly board: Raced;
  readonly titles: readonly string[];
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

/** Seconds that a drag may take on a busy machine. The driver waits without end where the browser gives it up. */
const perDrag = 30;

/**
 * Presses the mouse on a card and lets it go above a column, wherever both are by then. The driver's own way looks again
 * where the card is and presses once more, and that drag never ends.
 */
async function dragOnto(page: Page, card: Locator, to: Locator): Promise<void> {
  // Where it is moved away at the same moment, the next one is tried.
  await card.scrollIntoViewIfNeeded().catch(() => undefined);
  const [from, target] = [await card.boundingBox(), await to.boundingBox()];
  if (!from || !target) return;
  const middle = ({ x, y, width, height }: typeof from) => [x + width / 2, y + height / 2] as const;
  await page.mouse.move(...middle(from));
  await page.mouse.down();
  await page.mouse.move(...middle(target), { steps: 2 });
  await page.mouse.up();
}

async function withinLimit(drag: Promise<void>): Promise<void> {
  const ended = new AbortController();
  const limit = setTimeout(perDrag * 1000, undefined, { signal: ended.signal }).then(() => {
    throw new Error(`A drag neither began nor ended within ${perDrag} s`);
  });
  await Promise.race([drag, limit]).finally(() => ended.abort());
}

/** Drags cards on all pages at the same time until it is enough, then waits until all of them show what is kept. */
async function dragAgainst(pages: readonly Page[], race: Race): Promise<number> {
  const {
    titles,
    board: { columns, kept },
  } = race;
  const dragged = await Promise.all(
    pages.map(async (page, person) => {
      const random = numbers(person + 1);
      let kept = 0;
      page.on('response', (answer) => {
        if (answer.request().method() === 'PUT' && answer.ok()) kept += 1;
      });
      for (let moves = 0; race.goesOn(moves); moves += 1) {
        const card = page.locator('[data-issue]', { hasText: titles[random(titles.length)] ?? '' }).first();
        const [name = ''] = columns[random(columns.length)] ?? [];
        await withinLimit(dragOnto(page, card, column(page, name)));
      }
      return () => kept;
    }),
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
  const total = dragged.reduce((sum, kept) => sum + kept(), 0);
  assert.ok(total >= pages.length, `${total} cards were dragged`);
  return total;
}

/** Moves cards one after the other: each costs its own request and one that reads the columns again, whatever is told of it. */
async function moveAlone(page: Page, titles: readonly string[]): Promise<void> {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    // What a link under the pointer leads to is loaded ahead.
    if (pathname.includes('boards/')) asked.push(`${request.method()} ${pathname}`);
  });
  for (const title of titles) {
    const read = page.waitForResponse((answer) => answer.url().includes('/columns') && answer.ok());
    await page.locator('[data-issue]', { hasText: title }).first().dragTo(column(page, 'doing'));
    await read;
    assert.ok((await cards(page, 'doing')).some((card) => card.includes(title)));
  }
  assert.ok(asked.length <= titles.length * 3, `${titles.length} cards were moved:\n${asked.join('\n')}`);
}

const labels = ['doing', 'review'];

/** A board with two lists by label, which `of` is the address of in the API. */
async function withLists(call: Api, place: string, of: string): Promise<{ board: number; columns: Raced['columns'] }> {
  const made = (path: string, json: object) => call.expect<{ id: number }>(201, 'POST', path, json);
  const { id: board } = await made(of, { name: 'Development' });
  const lists: [string, number][] = [];
  for (const name of labels) {
    const label = await made(`${place}/labels`, { name, color: '#1f75cb' });
    lists.push([name, (await made(`${of}/${board}/lists`, { label_id: label.id })).id]);
  }
  return { board, columns: [['Open', 'backlog'], ...lists, ['Closed', 'closed']] };
}

const titlesOf = async (call: Api, path: string): Promise<string[]> =>
  (await call.expect<{ title: string }[]>(200, 'GET', path)).map(({ title }) => title);

async function issueBoard(call: Api, titles: readonly string[]): Promise<Raced> {
  const { id } = await call.expect<{ id: number }>(201, 'POST', '/projects', { name: 'Ferry', path: 'ferry' });
  const base = `/projects/${id}`;
  const { board, columns } = await withLists(call, base, `${base}/boards`);
  for (const title of titles) await call.expect(201, 'POST', `${base}/issues`, { title });
  return {
    address: '/root/ferry/-/boards',
    columns,
    kept: (of) => titlesOf(call, `${base}/boards/${board}/issues?column=${of}`),
  };
}

async function epicBoard(call: Api, titles: readonly string[]): Promise<Raced> {
  const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Fleet', path: 'fleet' });
  const base = `/groups/${id}`;
  const { board, columns } = await withLists(call, base, `${base}/epic_boards`);
  for (const title of titles) await call.expect(201, 'POST', `${base}/epics`, { title });
  return {
    address: '/groups/fleet/-/epic_boards',
    columns,
    kept: (of) => titlesOf(call, `${base}/epic_boards/${board}/epics?column=${of}`),
  };
}

const boards = { issues: issueBoard, epics: epicBoard };

/** Until each has tried so many moves, or for so many seconds. */
type Until = { readonly moves: number } | { readonly seconds: number };

/** On boards of their own, one of each kind. */
export async function boardRace(suite: Suite, end: Until, say: (line: string) => void): Promise<void> {
  // Each drag has its own limit, and so has the wait for its end; on a busy machine all of it takes a minute.
  const [span, seconds] = 'moves' in end ? [`${end.moves} times`, 180] : [`for ${end.seconds} s`, end.seconds + 120];
  for (const [cards, populated] of Object.entries(boards)) {
    const race = async () => {
      const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
      try {
        const titles = Array.from({ length: 12 }, (_, index) => `Plank ${String.fromCharCode(65 + index)}`);
        const board = await populated(api(instance.url, rootToken), titles);
        const opened = async (browser: Browser) => {
          const { page } = await openWindow(browser, instance.url);
          await signIn(page, { login: 'root', password: rootPassword });
          await page.goto(board.address);
          await page.locator('[data-issue]', { hasText: 'Plank A' }).waitFor();
          return page;
        };
        await withBrowser(async (browser) => {
          const pages = [await opened(browser), await opened(browser)];
          if (pages[0]) await moveAlone(pages[0], titles.slice(0, 4));
          const started = Date.now();
          const goesOn = (moves: number) =>
            'moves' in end ? moves < end.moves : Date.now() - started < end.seconds * 1000;
          const total = await dragAgainst(pages, { board, titles, goesOn });
          say(`two people dragged ${total} ${cards} of one board; both show what the server keeps`);
        });
      } finally {
        await instance.stop();
        instance.remove();
      }
    };
    await suite.step(
      `two people drag ${cards} of a board against each other ${span} and end with the same`,
      race,
      seconds,
    );
  }
}

export const boardRaceJourney = (suite: Suite): Promise<void> => boardRace(suite, { moves: 8 }, () => undefined);
