/** A working day by keyboard alone, from signing in to signing out. The focus is always somewhere, and always seen. Slow: the whole day is typed key by key. */
import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { counted, headed, holds, openWindow, valued, withBrowser } from '../support/browser.ts';
import { rootToken, startInstance } from '../support/instance.ts';
import { takeJob } from '../support/runner.ts';
import type { Suite } from '../support/suite.ts';

const password = 'ink-of-iron-and-oak-gall-1450';
const project = 'gutenberg/almanac';
const id = encodeURIComponent(project);
const configuration = `proof:
  script: [echo]
  tags: [press]
`;

/** What is wrong with the focus now: nothing has it, it is out of sight, or nothing marks it. */
const focusFault = `(() => {
  const element = document.activeElement;
  if (!element || element === document.body) return 'nothing has the focus';
  const name = element.outerHTML.slice(0, 160);
  const marked = (each) => {
    if (!each) return false;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(each);
    return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || boxShadow !== 'none';
  };
  // The border of a field shows it, and the caret.
  const field = element.matches('textarea, select, input:not([type=checkbox], [type=radio]), [contenteditable]');
  const around = [element, element.nextElementSibling, element.parentElement, element.parentElement?.parentElement];
  if (!field && !around.some(marked)) return 'nothing marks the focus on ' + name;
  const { top, bottom, left, right } = (element.getClientRects()[0] ? element : element.parentElement).getBoundingClientRect();
  const seen = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  return seen ? null : 'out of sight is ' + name;
})()`;

/** Hands that have no mouse. */
class Keyboard {
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }

  /** Presses keys one after the other. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** As fast as fingers may be, with the milliseconds between two keys that even these need. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text, { delay: 30 });
  }

  /** Waits until the focus is where it can be seen. What a page does at once may take a moment on a busy machine. */
  async focused(): Promise<void> {
    let fault: string | null = null;
    await until('the focus', 5, async () => {
      fault = await this.page.evaluate<string | null>(focusFault);
      return fault === null;
    }).catch(() => assert.fail(`${fault} at ${this.page.url()}`));
  }

  /** Presses Tab until the focus is on it, and looks at each stop on the way. */
  async to(wanted: Locator, key: 'Tab' | 'Shift+Tab' | 'ArrowDown' = 'Tab'): Promise<void> {
    const target = wanted.first();
    await target.waitFor();
    await this.focused();
    for (let step = 0; step < 200; step += 1) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await this.press(key);
      // At the end of the page the browser's own bar has it.
      if (await this.page.evaluate('document.activeElement === document.body')) continue;
      const fault = await this.page.evaluate<string | null>(focusFault);
      assert.equal(fault, null, `on the way to ${wanted}`);
    }
    assert.fail(`no way by Tab to ${wanted}`);
  }

  async activate(wanted: Locator): Promise<void> {
    await this.to(wanted);
    await this.press('Enter');
  }

  button(name: string | RegExp, within: Page | Locator = this.page): Locator {
    return within.getByRole('button', typeof name === 'string' ? { name, exact: true } : { name });
  }

  link(name: string | RegExp, within: Page | Locator = this.page): Locator {
    return within.getByRole('link', typeof name === 'string' ? { name, exact: true } : { name });
  }

  /** Goes where the palette leads. */
  async palette(text: string, option: string | RegExp): Promise<void> {
    await this.press('Control+k');
    await this.page.getByLabel('Search projects, groups and pages').waitFor();
    await this.type(text);
    const found = this.page.getByRole('option', { name: option }).first();
    await found.waitFor();
    for (let step = 0; step < 30 && (await found.getAttribute('data-combobox-selected')) === null; step += 1)
      await this.press('ArrowDown');
    await this.press('Enter');
    await this.page.getByRole('dialog').waitFor({ state: 'detached' });
  }
}

async function populated(call: Api): Promise<void> {
  await call.expect(201, 'POST', '/users', {
    ...{ username: 'gutenberg', name: 'Johannes Gutenberg', email: 'johannes@example.com', password },
    skip_confirmation: true,
  });
}

async function beginning(suite: Suite, hands: Keyboard): Promise<void> {
  const { page } = hands;
  await suite.required('keyboard: signs in, and creates a project from the palette', async () => {
    await page.goto('/users/sign_in');
    await page.getByLabel('Username or email').waitFor();
    await hands.press('Tab');
    await hands.to(page.getByLabel('Username or email'));
    await hands.type('gutenberg');
    await hands.press('Tab');
    await hands.to(page.locator('input[name=password]'));
    await hands.type(password);
    await hands.press('Enter');
    await hands.button(/^Account of/).waitFor();
    await headed(page, 'Projects');
    await hands.focused();
    await hands.palette('new proj', 'New project');
    await headed(page, 'New project');
    await valued(page.getByLabel('Name'), '');
    await hands.to(page.getByLabel('Name', { exact: false }));
    await hands.type('Almanac');
    await hands.to(page.getByLabel('Start with a README'));
    await hands.press('Space');
    await hands.press('Control+Enter');
    await page.waitForURL(`**/${project}`);
    await hands.link('README.md').waitFor();
    await hands.focused();
  });

  await suite.step('keyboard: ? shows the keys, and Escape closes them', async () => {
    await hands.press('?');
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await keys.getByText('Go to Merge requests').waitFor();
    await hands.press('Escape');
    await keys.waitFor({ state: 'detached' });
    await hands.focused();
  });

  await suite.required('keyboard: creates a branch, edits a file and commits it', async () => {
    await hands.activate(hands.link('1 branch'));
    await headed(page, 'Branches');
    await hands.focused();
    await hands.activate(hands.button('New branch'));
    const dialog = page.getByRole('dialog', { name: 'New branch' });
    await dialog.waitFor();
    await hands.to(dialog.getByLabel('Name'));
    await hands.type('eclipses');
    await hands.press('Enter');
    await page.waitForURL('**/-/tree/eclipses');
    await hands.link('README.md').waitFor();
    await hands.focused();
    await hands.press('j');
    await hands.focused();
    await hands.press('Enter');
    await hands.link('Edit').waitFor();
    await hands.focused();
    await hands.press('e');
    await headed(page, 'Edit README.md');
    const code = page.locator('.cm-content');
    await hands.to(code);
    await hands.press('Control+End', 'Enter');
    await hands.type('The moon will hide.');
    // Tab indents here, until Escape is pressed before it.
    await hands.press('Escape', 'Tab');
    await hands.activate(hands.button('Commit changes'));
    await page.waitForURL('**/-/blob/eclipses/README.md');
    await page.getByText('The moon will hide.').waitFor();
    await hands.focused();
  });
}

async function reviewing(suite: Suite, hands: Keyboard, call: Api): Promise<void> {
  const { page } = hands;
  // Nobody else is here to approve.
  await call.expect(201, 'POST', `/projects/${id}/approvals`, { merge_requests_author_approval: true });
  const title = 'Foretell eclipses';
  await suite.required('keyboard: creates a merge request for the branch', async () => {
    await hands.press('g', 'c');
    await page.waitForURL(`**/${project}`);
    const push = page.getByRole('region', { name: 'Your last push' });
    await hands.activate(hands.link('Create merge request', push));
    await headed(page, 'New merge request');
    await page.getByRole('list', { name: 'Commits' }).waitFor();
    await hands.to(page.getByLabel('Title'));
    await hands.press('Control+a');
    await hands.type(title);
    await hands.press('Control+Enter');
    await headed(page, title);
    await hands.focused();
  });

  await suite.required('keyboard: comments on a line and suggests another', async () => {
    await hands.activate(hands.link(/^Changes/));
    await page.waitForURL('**/diffs');
    await page.getByRole('region', { name: 'Diff of README.md' }).waitFor();
    await page.locator('[data-comment]').first().waitFor({ state: 'attached' });
    await hands.press('j');
    await hands.focused();
    await hands.press('c');
    await hands.focused();
    await hands.press('ArrowDown', 'ArrowDown', 'Enter');
    const form = page.getByRole('form', { name: 'Comment on this line' });
    await form.getByRole('textbox').waitFor();
    await hands.focused();
    await hands.type('Which night?');
    await hands.to(hands.button('Insert suggestion', form), 'Shift+Tab');
    await hands.press('Enter');
    await valued(form.getByRole('textbox'), /```suggestion/);
    await hands.to(form.getByRole('textbox'));
    await hands.press('Control+Enter');
    await form.waitFor({ state: 'detached' });
    await page.getByText('Which night?').waitFor();
    await hands.focused();
  });

  await suite.step('keyboard: goes to the thread and resolves it', async () => {
    await hands.press('n');
    await hands.focused();
    await hands.activate(hands.button('Resolve thread'));
    await hands.button('Reopen thread').waitFor();
    await hands.focused();
  });

  await suite.required('keyboard: approves and merges', async () => {
    await hands.to(hands.link('Overview'), 'Shift+Tab');
    await hands.press('Enter');
    await page.getByRole('region', { name: 'Approvals' }).waitFor();
    await hands.activate(hands.button('Approve'));
    await hands.button('Revoke approval').waitFor();
    await hands.focused();
    await hands.activate(hands.button('Merge'));
    await page.getByText('Merged').first().waitFor();
    await hands.focused();
  });
}

async function planning(suite: Suite, hands: Keyboard): Promise<void> {
  const { page } = hands;
  await suite.required('keyboard: creates an issue with labels', async () => {
    await hands.press('g', 'i');
    await headed(page, 'Issues');
    await hands.focused();
    await hands.activate(hands.link('New issue'));
    await headed(page, 'New issue');
    await hands.to(page.getByLabel('Title'));
    await hands.type('Draw the sun');
    await hands.activate(hands.button('Assign to me'));
    await hands.focused();
    await hands.to(page.getByLabel('Labels'));
    await hands.type('drawing');
    await hands.press('Enter');
    await hands.type('doing');
    await hands.press('Enter');
    await hands.activate(hands.button('Create issue'));
    await headed(page, 'Draw the sun');
    await page.getByText('drawing').first().waitFor();
    await hands.focused();
  });

  await suite.step('keyboard: moves a card on the board to a new list', async () => {
    await hands.press('g', 'i');
    await headed(page, 'Issues');
    await hands.activate(hands.link('Boards'));
    await hands.activate(hands.button('Create board'));
    await hands.button('Add list').waitFor();
    await hands.focused();
    await hands.activate(hands.button('Add list'));
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await hands.focused();
    await hands.to(dialog.getByRole('combobox', { name: 'Label' }).or(dialog.getByLabel('Label')));
    await hands.type('doing');
    await page.getByRole('option', { name: 'doing' }).waitFor();
    await hands.press('ArrowDown', 'Enter');
    await hands.activate(hands.button('Add list', dialog));
    await dialog.waitFor({ state: 'detached' });
    await hands.focused();
    const column = page.getByRole('region', { name: 'doing', exact: true });
    await column.getByText('Draw the sun').waitFor();
    await hands.to(hands.link('Draw the sun'));
    await hands.press('Shift+ArrowRight');
    await page.getByRole('region', { name: 'Closed', exact: true }).getByText('Draw the sun').waitFor();
    await hands.focused();
  });
}

async function ending(suite: Suite, hands: Keyboard, call: Api): Promise<void> {
  const { page } = hands;
  await suite.step('keyboard: marks a to-do as done', async () => {
    await hands.palette('to-do', 'To-dos');
    await headed(page, 'To-dos');
    await hands.focused();
    const list = page.getByRole('list', { name: 'To-dos' });
    await list.getByText('Draw the moon').waitFor();
    await hands.activate(hands.button(/done/i, list));
    await counted(list.getByText('Draw the moon'), 0);
    await hands.focused();
  });

  await suite.step('keyboard: opens a pipeline, and searches in the log of its job', async () => {
    const { id: number } = await call.expect<{ id: number }>(200, 'GET', `/projects/${id}`);
    const work = await takeJob(call, call.url, { projectId: number, tag: 'press' });
    await work.log(`${Array.from({ length: 50 }, (_, line) => `page ${line} is dry`).join('\n')}\n`);
    await work.end('success');
    await hands.palette('almanac', /Almanac/);
    await page.waitForURL(`**/${project}`);
    await hands.press('g', 'p');
    await headed(page, 'Pipelines');
    await page.locator('[data-entry]').first().waitFor();
    await hands.press('j', 'Enter');
    await page.getByRole('region', { name: 'Graph of jobs' }).waitFor();
    await hands.focused();
    await hands.activate(hands.link(/proof/));
    await page.getByText('page 49 is dry').waitFor();
    await hands.focused();
    await hands.press('/');
    await holds(page, "document.activeElement?.ariaLabel === 'Search in the log'");
    await hands.type('page 7 ');
    await hands.press('Enter');
    await page.getByText('1 of 1 lines').waitFor();
    await hands.focused();
  });

  await suite.step('keyboard: changes a setting', async () => {
    await hands.palette('project sett', 'Project settings');
    await headed(page, 'Settings');
    await hands.to(page.getByLabel('Description'));
    await hands.type('Sun, moon and stars');
    await hands.activate(hands.button('Save'));
    await until('the setting', 30, async () => {
      const now = await call.expect<{ description: string }>(200, 'GET', `/projects/${id}`);
      return now.description === 'Sun, moon and stars';
    });
    await hands.focused();
  });

  await suite.step('keyboard: signs out', async () => {
    await hands.activate(hands.button(/^Account of/));
    const leave = page.getByRole('menuitem', { name: 'Sign out' });
    await leave.waitFor();
    await hands.press('ArrowDown');
    await hands.to(leave, 'ArrowDown');
    await hands.press('Enter');
    await page.getByLabel('Username or email').waitFor();
  });
}

export async function keyboardJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  const call = api(instance.url, rootToken);
  try {
    await populated(call);
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const hands = new Keyboard(person.page);
      await beginning(suite, hands);
      await reviewing(suite, hands, call);
      await planning(suite, hands);
      await call.expect(201, 'POST', `/projects/${id}/repository/files/.gitlab-ci.yml`, {
        ...{ branch: 'main', content: configuration, commit_message: 'Proof each page' },
      });
      const [me] = await call.expect<{ id: number }[]>(200, 'GET', '/users?username=gutenberg');
      await call.expect(201, 'POST', `/projects/${id}/issues`, { title: 'Draw the moon', assignee_ids: [me?.id] });
      await ending(suite, hands, call);
      assert.deepEqual(person.problems(), []);
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
