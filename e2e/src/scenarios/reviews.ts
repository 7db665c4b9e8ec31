/** A merge request that needs an approval: what is missing is told, a second person gives it and takes it back. */
import assert from 'node:assert/strict';
import { type Api, api, until } from '../support/api.ts';
import { counted, headed, holds, look, openWindow, type Person, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'observatory/mirror';
const password = 'silvered-glass-and-sand-1668';

async function populated(call: Api): Promise<void> {
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', {
    ...{ name: 'Observatory', path: 'observatory' },
  });
  await call.expect(201, 'POST', '/projects', {
    ...{ name: 'Mirror', path: 'mirror', namespace_id: namespace, initialize_with_readme: true },
  });
  const base = `/projects/${encodeURIComponent(project)}`;
  const reviewer = await call.expect<{ id: number }>(201, 'POST', '/users', {
    ...{ username: 'caroline', name: 'Caroline Herschel', email: 'caroline@example.com', password },
    skip_confirmation: true,
  });
  await call.expect(201, 'POST', `${base}/members`, { user_id: reviewer.id, access_level: 30 });
  await call.expect(201, 'POST', `${base}/repository/files/grinding.md`, {
    ...{ branch: 'polish', start_branch: 'main', content: 'Finer sand\n', commit_message: 'Grind with finer sand' },
  });
  await call.expect(201, 'POST', `${base}/repository/files/.gitlab-ci.yml`, {
    ...{ branch: 'sand', start_branch: 'main', content: 'sieve: {stage: nowhere}\n', commit_message: 'Sieve the sand' },
  });
  await call.expect(201, 'POST', `${base}/approval_rules`, {
    ...{ name: 'Optics', approvals_required: 1, user_ids: [reviewer.id] },
  });
  await call.expect(201, 'POST', `${base}/merge_requests`, {
    ...{ source_branch: 'polish', target_branch: 'main', title: 'Grind finer', reviewer_ids: [reviewer.id] },
  });
}

/** A screen of each, so that all of them together are far more than what is kept. */
const files = 24;

async function largeChange(suite: Suite, { page }: Person, call: Api): Promise<void> {
  await suite.step('browser: of a change of many files only those near the window are kept', async () => {
    const base = `/projects/${encodeURIComponent(project)}`;
    const actions = Array.from({ length: files }, (_file, index) => ({
      ...{ action: 'create', file_path: `lens-${String(index).padStart(2, '0')}.txt` },
      content: `glass ${index}\n`.repeat(60),
    }));
    await call.expect(201, 'POST', `${base}/repository/commits`, {
      ...{ branch: 'lenses', start_branch: 'main', commit_message: 'Grind lenses', actions },
    });
    const { iid } = await call.expect<{ iid: number }>(201, 'POST', `${base}/merge_requests`, {
      ...{ source_branch: 'lenses', target_branch: 'main', title: 'Grind lenses' },
    });
    await page.goto(`/${project}/-/merge_requests/${iid}/diffs`);
    const diff = (index: number) =>
      page.getByRole('region', { name: `Diff of lens-${String(index).padStart(2, '0')}.txt`, exact: true });
    await diff(0).getByText('glass 0').first().waitFor();
    // The browser's own search finds what is not built, and says so before it marks it: the lines are there at once.
    const far = `document.querySelector('[id="file-lens-${files - 1}.txt"]')`;
    const hidden = `${far}.querySelector('[hidden=until-found]')`;
    await holds(page, `${hidden}?.textContent.includes('\\nglass ${files - 1}\\n') === true`);
    assert.equal(await diff(files - 1).count(), 0);
    const shown = await page.evaluate(
      `${hidden}.dispatchEvent(new Event('beforematch', { bubbles: true })) && [...${far}.querySelectorAll('td')].at(-1)?.textContent`,
    );
    assert.match(String(shown), new RegExp(`glass ${files - 1}$`));
    const height = 'document.documentElement.scrollHeight';
    for (let index = 0; index < files; index += 1) {
      await page.locator(`[id="file-lens-${String(index).padStart(2, '0')}.txt"]`).scrollIntoViewIfNeeded();
      await diff(index).waitFor();
    }
    await counted(diff(0), 0);
    const kept = await page.locator('[aria-label^="Diff of lens"]').count();
    assert.ok(kept < 10, `${kept} of ${files} files are kept`);
    // What has gone leaves its room: the page is as high as before, and nothing moves.
    const before = await page.evaluate(height);
    await page.evaluate('window.scrollTo(0, 0)');
    await diff(0).getByText('glass 0').first().waitFor();
    await counted(diff(files - 1), 0);
    assert.equal(await page.evaluate(height), before);
    // A form keeps its file wherever the page is scrolled to.
    await diff(0).getByRole('button', { name: 'Comment on line 3', exact: true }).press('Enter');
    await page.getByRole('textbox', { name: 'Comment on this line' }).fill('Which glass?');
    await page.evaluate('document.activeElement.blur()');
    await page.evaluate(`window.scrollTo(0, ${height})`);
    await diff(files - 1).waitFor();
    await page.evaluate('window.scrollTo(0, 0)');
    await holds(page, `document.querySelector('form textarea')?.value === 'Which glass?'`);
    await look(page, 'many-files');
  });
}

/** Two proposals for one file, of the reviewer's hand as far as the page is concerned. */
async function suggestions(suite: Suite, { page }: Person, call: Api): Promise<void> {
  await suite.step('browser: two suggestions are applied together, in one commit', async () => {
    const base = `/projects/${encodeURIComponent(project)}`;
    const lines = ['Grind', 'Polish', 'Silver', 'Mount'];
    await call.expect(201, 'POST', `${base}/repository/files/steps.md`, {
      ...{ branch: 'steps', start_branch: 'main', content: `${lines.join('\n')}\n`, commit_message: 'Say the steps' },
    });
    const { iid } = await call.expect<{ iid: number }>(201, 'POST', `${base}/merge_requests`, {
      ...{ source_branch: 'steps', target_branch: 'main', title: 'Say the steps' },
    });
    const { diff_refs: refs } = await until('the changes', 60, async () => {
      const request = await call.expect<{ diff_refs: object | null; changes_count: string | null }>(
        ...([200, 'GET', `${base}/merge_requests/${iid}`] as const),
      );
      return request.changes_count && request.diff_refs ? request : undefined;
    });
    for (const new_line of [1, 4])
      await call.expect(201, 'POST', `${base}/merge_requests/${iid}/discussions`, {
        body: `\`\`\`suggestion:-0+0\n${lines[new_line - 1]} with care\n\`\`\``,
        position: { position_type: 'text', new_path: 'steps.md', old_path: 'steps.md', new_line, ...refs },
      });
    await page.goto(`/${project}/-/merge_requests/${iid}/diffs`);
    const proposed = page.getByRole('region', { name: 'Suggestion' });
    await counted(proposed, 2);
    await proposed.first().getByRole('button', { name: 'Add to batch' }).click();
    await proposed.last().getByRole('button', { name: 'Add to batch' }).click();
    // Each is shown once: as the change that it is.
    assert.equal(await page.getByText('Grind with care').filter({ visible: true }).count(), 1);
    await look(page, 'suggestions');
    await proposed.last().getByRole('button', { name: 'Apply 2 suggestions' }).click();
    await counted(proposed.getByText('Applied', { exact: true }), 2);
    await page.getByRole('link', { name: 'Commits 2' }).waitFor();
    await look(page, 'suggestions-applied');
    const text = await call.expect<string>(200, 'GET', `${base}/repository/files/steps.md/raw?ref=steps`);
    assert.equal(text, 'Grind with care\nPolish\nSilver\nMount with care\n');
  });
}

export async function reviewJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const author = await openWindow(browser, instance.url);
      const reviewer = await openWindow(browser, instance.url, { width: 390, dark: true });
      await signIn(author.page, { login: 'root', password: rootPassword });
      await signIn(reviewer.page, { login: 'caroline', password });
      const address = `/${project}/-/merge_requests/1`;
      const approvals = (person: typeof author) => person.page.getByRole('region', { name: 'Approvals' });
      await suite.step(
        'browser: what waits for a person is counted in the bar, and listed behind the count',
        async () => {
          const { page } = reviewer;
          await page.goto('/');
          await page.getByRole('link', { name: '1 merge request needs your review, 1 to-do' }).waitFor();
          await page.getByRole('link', { name: 'Your work, 1 waiting' }).click();
          await headed(page, 'Your work');
          await page.getByRole('list', { name: 'Needs your review' }).getByText('Grind finer').waitFor();
          await page.getByRole('list', { name: 'To-dos' }).getByRole('link', { name: 'Grind finer' }).waitFor();
          await look(page, 'your-work-narrow-dark');
          await author.page.goto('/dashboard/merge_requests');
          await headed(author.page, 'Your work');
          await author.page.getByRole('list', { name: 'Your open merge requests' }).getByText('Grind finer').waitFor();
          await author.page.getByRole('list', { name: 'Failed pipelines' }).getByText('sand').waitFor();
          await look(author.page, 'your-work');
          await author.page.getByRole('list', { name: 'Failed pipelines' }).getByRole('link').click();
          await author.page.getByText('nowhere').first().waitFor();
        },
      );
      await suite.required('browser: the merge box names the rule that is missing, and who can approve', async () => {
        await author.page.goto(address);
        await headed(author.page, 'Grind finer');
        await author.page.getByRole('region', { name: 'Reviewers' }).getByText('Caroline Herschel').waitFor();
        await approvals(author).getByText('1 approval is missing: Optics').waitFor();
        await approvals(author).getByText('can be given by Caroline Herschel').waitFor();
        await author.page.getByText('Approvals are missing').waitFor();
        assert.equal(await author.page.getByRole('button', { name: 'Approve', exact: true }).count(), 0);
        await look(author.page, 'approvals-missing');
      });
      await suite.step('browser: the reviewer approves on a telephone, and the author sees it at once', async () => {
        await reviewer.page.goto(address);
        await reviewer.page.getByRole('button', { name: 'Approve', exact: true }).click();
        await reviewer.page.getByRole('button', { name: 'Revoke approval' }).waitFor();
        await look(reviewer.page, 'approved-narrow-dark');
        await approvals(author).getByText('Approved', { exact: true }).waitFor();
        await author.page.getByText('Ready to be merged').waitFor();
      });
      await suite.step('browser: an approval is taken back', async () => {
        await reviewer.page.getByRole('button', { name: 'Revoke approval' }).click();
        await approvals(author).getByText('1 approval is missing: Optics').waitFor();
      });
      await suite.step('browser: the author asks for another review, and the reviewer is told at once', async () => {
        const [own, other] = [author, reviewer].map(({ page }) => page.getByRole('region', { name: 'Reviewers' }));
        await own?.getByText('Approval revoked').waitFor();
        await look(author.page, 'review-again');
        await own?.getByRole('button', { name: 'Ask Caroline Herschel for another review' }).click();
        await own?.getByText('Review requested').waitFor();
        await other?.getByText('Review requested').waitFor();
        assert.deepEqual([...author.problems(), ...reviewer.problems()], []);
      });
      await suggestions(suite, author, api(instance.url, rootToken));
      await largeChange(suite, author, api(instance.url, rootToken));
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
