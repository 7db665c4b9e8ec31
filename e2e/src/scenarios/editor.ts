/** The Markdown editor: completion by keyboard, toolbar, files by paste, preview; check boxes that are ticked. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { api, until } from '../support/api.ts';
import { headed, holds, look, openWindow, ticked, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'root/loom';
const id = encodeURIComponent(project);
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Types what opens completions, and takes the first of them. */
async function complete(page: Page, typed: string, option: RegExp): Promise<void> {
  await page.keyboard.type(typed);
  await page.getByRole('option', { name: option }).first().waitFor();
  await page.keyboard.press('Enter');
}

export async function editorJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await call.expect(201, 'POST', '/projects', { name: 'Loom' });
    await call.expect(201, 'POST', `/projects/${id}/labels`, { name: 'needs review', color: '#1f75cb' });
    await call.expect(201, 'POST', `/projects/${id}/milestones`, { title: 'Spring' });
    await call.expect(201, 'POST', `/projects/${id}/issues`, {
      title: 'The shuttle sticks',
      description: 'Before the fair:\n\n- [ ] oil the rail\n- [x] buy oil\n',
    });
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      const text = page.getByLabel('Description', { exact: true });
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.required(
        'browser: people, issues, labels, milestones and emoji are completed by keyboard',
        async () => {
          await page.goto(`/${project}/-/issues/new`);
          await headed(page, 'New issue');
          await page.getByLabel('Title').fill('Weave the banner');
          await text.click();
          await page.keyboard.type('Ask @roo');
          await page.getByRole('option', { name: /@root/ }).waitFor();
          const combobox = page.getByRole('combobox', { name: 'Description' });
          assert.equal(await combobox.getAttribute('aria-expanded'), 'true');
          assert.ok(await page.locator(`[id="${await combobox.getAttribute('aria-activedescendant')}"]`).count());
          await look(page, 'editor-completion');
          await page.keyboard.press('Enter');
          await complete(page, 'about #shut', /The shuttle sticks/);
          await complete(page, '~needs', /needs review/);
          await complete(page, '%Spr', /Spring/);
          await complete(page, ':tad', /tada/);
          await valued(text, 'Ask @root about #1 ~"needs review" %Spring :tada: ');
          await page.keyboard.type('@nobod');
          await page.keyboard.press('Escape');
          assert.equal(await page.getByRole('listbox').count(), 0);
        },
      );
      await suite.step('browser: quick actions are completed, with their argument', async () => {
        await text.fill('');
        await complete(page, '/lab', /\/label/);
        await page.getByRole('option', { name: /needs review/ }).waitFor();
        await page.keyboard.press('Enter');
        await valued(text, '/label ~"needs review" ');
      });
      await suite.step('browser: text is formatted by keys and by the toolbar, and shown', async () => {
        await text.fill('warp and weft');
        await page.keyboard.press('Control+a');
        await page.keyboard.press('Control+b');
        await valued(text, '**warp and weft**');
        await page.keyboard.press('Control+z');
        await valued(text, 'warp and weft');
        const toolbar = page.getByRole('toolbar', { name: 'Formatting' });
        await toolbar.getByRole('button', { name: 'Bold' }).focus();
        await page.keyboard.press('End');
        await page.keyboard.press('ArrowLeft');
        await page.keyboard.press('Enter');
        await valued(text, /^- \[ \] warp and weft$/);
        await page.getByText('Preview', { exact: true }).click();
        await page.getByRole('region', { name: 'Preview' }).getByRole('checkbox').waitFor();
        await page.getByText('Write', { exact: true }).click();
      });
      await suite.step('browser: a picture is pasted, and a file is chosen', async () => {
        await text.fill('See ');
        await page.evaluate(`(() => {
          const bytes = Uint8Array.from(atob('${dot}'), (each) => each.charCodeAt(0));
          const files = new DataTransfer();
          files.items.add(new File([bytes], 'dot.png', { type: 'image/png' }));
          const paste = new ClipboardEvent('paste', { clipboardData: files, bubbles: true, cancelable: true });
          document.querySelector('textarea[name=description]').dispatchEvent(paste);
        })()`);
        const written = "document.querySelector('textarea[name=description]').value";
        await holds(page, `${written}.includes('See ![dot](/uploads/')`);
        await page
          .getByLabel('Files to attach')
          .setInputFiles({ name: 'pattern.txt', mimeType: 'text/plain', buffer: Buffer.from('over, under') });
        await holds(page, `${written}.includes('[pattern.txt](/uploads/')`);
        await page.getByRole('button', { name: 'Create issue' }).click();
        await headed(page, 'Weave the banner');
        await page.getByRole('img', { name: 'dot' }).waitFor();
      });
      await suite.step('browser: a check box of a description is ticked, in the text as well', async () => {
        await page.goto(`/${project}/-/issues/1`);
        await page.getByRole('checkbox', { name: 'oil the rail' }).check();
        await page.getByText('marked the checklist item').waitFor();
        const issue = await call.expect<{ description: string }>(200, 'GET', `/projects/${id}/issues/1`);
        assert.match(issue.description, /- \[x\] oil the rail\n- \[x\] buy oil/);
        await page.getByLabel('New comment').getByRole('textbox').fill('- [ ] try it');
        await page.getByRole('button', { name: 'Comment', exact: true }).click();
        const box = page.getByRole('checkbox', { name: 'try it' });
        await box.check();
        // The page ticks it before the server has.
        await until('the ticked box in the comment', 60, async () => {
          const notes = await call.expect<{ body: string }[]>(200, 'GET', `/projects/${id}/issues/1/notes`);
          return notes.some(({ body }) => body === '- [x] try it');
        });
        await page.reload();
        await box.waitFor();
        await ticked(box, true);
        await look(page, 'issue-tasks');
      });
      await suite.step('browser: the editor on a narrow dark screen', async () => {
        const narrow = await openWindow(browser, instance.url, { width: 390, dark: true });
        await signIn(narrow.page, { login: 'root', password: rootPassword });
        await narrow.page.goto(`/${project}/-/issues/1`);
        await narrow.page.getByLabel('New comment').getByRole('textbox').fill('Ask @r');
        await narrow.page.getByRole('option', { name: /@root/ }).waitFor();
        await narrow.page.getByRole('option', { name: /@root/ }).scrollIntoViewIfNeeded();
        await look(narrow.page, 'editor-narrow-dark');
        assert.deepEqual([...person.problems(), ...narrow.problems()], []);
      });
      await suite.step('browser: epics and snippets are completed, boxes of milestones are ticked', async () => {
        const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Weavers', path: 'weavers' });
        await call.expect(201, 'POST', '/groups/weavers/epics', { title: 'Roof of the mill' });
        const made = { name: 'Mill', namespace_id: group.id };
        await call.expect(201, 'POST', '/projects', made);
        const mill = '/projects/weavers%2Fmill';
        const files = [{ file_path: 'a.txt', content: 'x' }];
        const snippet = await call.expect<{ id: number }>(201, 'POST', `${mill}/snippets`, {
          ...{ title: 'Pattern of the roof', visibility: 'private', files },
        });
        await call.expect(201, 'POST', `${mill}/milestones`, { title: 'Summer', description: '- [ ] thatch' });
        await page.goto('/weavers/mill/-/issues/new');
        await headed(page, 'New issue');
        await text.click();
        await complete(page, 'Part of &roo', /Roof of the mill/);
        await complete(page, 'with $patt', /Pattern of the roof/);
        await valued(text, `Part of &1 with $${snippet.id} `);
        await page.goto('/weavers/mill/-/milestones/1');
        const box = page.getByRole('checkbox', { name: 'thatch' });
        await box.check();
        // The page ticks it before the server has.
        await until('the ticked box in the text', 60, async () => {
          const [milestone] = await call.expect<{ description: string }[]>(200, 'GET', `${mill}/milestones`);
          return milestone?.description === '- [x] thatch';
        });
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
