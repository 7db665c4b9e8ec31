/** Characters of code that nobody sees, in files, blame and diffs: shown and told, unless the project does not want it. */
import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import type { Api } from '../support/api.ts';
import { headed, holds, look, openWindow } from '../support/browser.ts';
import { rootPassword } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

/** The known attack: what looks like a comment is part of the condition. */
const trojan = 'if (level != "user\u202e \u2066// only for admins\u2069 \u2066") {';
const contents = `export function may(level: string) {\n${trojan}\n  return true;\n}\nreturn fa\u200blse;\n}\n`;
const note = (page: Page) => page.getByRole('note').filter({ hasText: 'Hidden characters' });

/** `project`: its path; the caller of `page` may change it. */
export async function hiddenCharacters(
  suite: Suite,
  { page, call, project, browser, url }: { page: Page; call: Api; project: string; browser: Browser; url: string },
): Promise<void> {
  const id = encodeURIComponent(project);
  const actions = [{ action: 'create', file_path: 'src/may.ts', content: contents }];
  const body = { branch: 'main', commit_message: 'Decide who may', actions };
  const commit = await call.expect<{ id: string }>(201, 'POST', `/projects/${id}/repository/commits`, body);
  const marks = () => page.locator('[data-hidden]').evaluateAll((all) => all.map((each) => each.getAttribute('title')));
  const expected = [
    'U+202E right-to-left override',
    'U+2066 left-to-right isolate',
    'U+2069 pop directional isolate',
    'U+2066 left-to-right isolate',
    'U+200B zero width space',
  ];

  await suite.step('hidden characters of a file are marked, told above it, and led to', async () => {
    await page.goto(`/${project}/-/blob/main/src/may.ts`);
    await note(page).getByText('in 5 places').waitFor();
    // Marked before and after the colours came.
    await holds(page, 'document.querySelector(\'[style*="--token-light"] [data-hidden]\') !== null');
    assert.deepEqual(await marks(), expected);
    await page.getByRole('img', { name: 'U+200B zero width space' }).waitFor();
    await note(page).getByRole('link', { name: '5', exact: true }).click();
    await page.waitForURL((address) => address.hash === '#L5');
    await look(page, 'hidden-characters-file');
    // Nothing of the mark can turn what stands around it: the code reads as it runs.
    const order = await page.evaluate(`(() => {
      const code = [...document.querySelectorAll('code')].find((each) => each.textContent.includes('only for'));
      const at = (text) => {
        const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
        for (let node = walker.nextNode(); node; node = walker.nextNode()) {
          const start = node.data.indexOf(text);
          if (start < 0) continue;
          const range = document.createRange();
          range.setStart(node, start);
          range.setEnd(node, start + text.length);
          return range.getBoundingClientRect().left;
        }
        return NaN;
      };
      return at('user') < at('only') && at('only') < at('admins') && at('admins') < at(') {');
    })()`);
    assert.equal(order, true);
  });
  await suite.step(
    'hidden characters are marked in blame and in diffs, in both layouts and both colour schemes',
    async () => {
      await page.goto(`/${project}/-/blame/main/src/may.ts`);
      await note(page).getByText('in 5 places').waitFor();
      assert.deepEqual(await marks(), expected);
      await look(page, 'hidden-characters-blame');
      await page.goto(`/${project}/-/commit/${commit.id}`);
      await note(page).getByText('in 5 places').waitFor();
      assert.deepEqual(await marks(), expected);
      await look(page, 'hidden-characters-diff');
      await page.getByText('Split', { exact: true }).click();
      await holds(page, "document.querySelector('table[data-look=Split] [data-hidden]') !== null");
      assert.deepEqual(await marks(), expected);
      await page.getByText('Unified', { exact: true }).click();
      const dark = await openWindow(browser, url, { dark: true, width: 390 });
      await signIn(dark.page, { login: 'root', password: rootPassword });
      await dark.page.goto(`/${project}/-/blob/main/src/may.ts`);
      await note(dark.page).waitFor();
      await look(dark.page, 'hidden-characters-dark');
      await dark.close();
    },
  );
  await suite.step('hidden characters are left alone where the project says so', async () => {
    await page.goto(`/${project}/-/settings?part=features`);
    await headed(page, 'Features', 2);
    await page.getByLabel('Warn about hidden Unicode characters').uncheck();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    for (const address of ['blob/main/src/may.ts', 'blame/main/src/may.ts', `commit/${commit.id}`]) {
      await page.goto(`/${project}/-/${address}`);
      await page.getByText('only for admins').first().waitFor();
      assert.deepEqual([address, await marks(), await note(page).count()], [address, [], 0]);
    }
  });
}
