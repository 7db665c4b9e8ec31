/** Tags, comparisons, and commits that are applied elsewhere, in a real browser. Slow: each of them by clicking, and more than a hundred branches are made. */
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, api, until } from '../support/api.ts';
import { headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'harbour/charts';
const base = `/projects/${encodeURIComponent(project)}`;

async function populated(call: Api): Promise<void> {
  const { id } = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Harbour', path: 'harbour' });
  const json = { name: 'Charts', path: 'charts', namespace_id: id, initialize_with_readme: true };
  await call.expect(201, 'POST', '/projects', json);
  const commit = (branch: string, message: string, path: string, content: string, start?: string) =>
    call.expect(201, 'POST', `${base}/repository/commits`, {
      branch,
      commit_message: message,
      actions: [{ action: start || path !== 'depths.txt' ? 'create' : 'update', file_path: path, content }],
      ...(start ? { start_branch: start } : {}),
    });
  await commit('main', 'Add buoys', 'buoys.txt', 'north\nsouth\n');
  await commit('survey', 'Measure the depths', 'depths.txt', '12 m\n', 'main');
  await commit('survey', 'Correct the depths', 'depths.txt', '11 m\n');
}

export async function historyJourney(suite: Suite): Promise<void> {
  const keys = mkdtempSync(join(tmpdir(), 'mr-e2e-keys-'));
  const signing = join(keys, 'signing');
  const { privateKey } = generateKeyPairSync('ed25519');
  writeFileSync(signing, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off', MILLRACE_COMMIT_SIGNING_KEY: signing } });
  try {
    const call = api(instance.url, rootToken);
    await populated(call);
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      await signIn(page, { login: 'root', password: rootPassword });
      await suite.step('a tag with a message is made, found, downloaded and deleted', async () => {
        await page.goto(`/${project}/-/tree/main`);
        await page.getByRole('button', { name: 'Repository', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Tags', exact: true }).click();
        await headed(page, 'Tags');
        await page.getByText('No tags yet').waitFor();
        for (const [name, message] of [
          ['v1.0', 'First edition\n\nWith buoys'],
          ['v1.1', ''],
        ] as const) {
          await page.getByRole('button', { name: 'New tag' }).click();
          await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
          await page.getByRole('textbox', { name: 'Message' }).fill(message);
          if (name === 'v1.0') await look(page, 'tag-new');
          await page.getByRole('button', { name: 'Create tag' }).click();
          await page.getByRole('link', { name, exact: true }).waitFor();
        }
        await page.getByText('First edition').waitFor();
        await look(page, 'tags');
        await page.getByLabel('Filter by name').fill('v1.1');
        await page.getByRole('link', { name: 'v1.0', exact: true }).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Download v1.1' }).click();
        const download = page.waitForEvent('download');
        await page.getByRole('menuitem', { name: 'tar.gz', exact: true }).click();
        assert.match((await download).suggestedFilename(), /^charts-.*v1\.1.*\.tar\.gz$/);
        await page.getByRole('button', { name: 'Delete v1.1' }).click();
        await page.getByRole('textbox', { name: 'Type v1.1 to confirm' }).fill('v1.1');
        await page.getByRole('button', { name: 'Delete tag' }).click();
        await page.getByText('No tags match your filter').waitFor();
        const left = await call.expect<{ name: string; message: string }[]>(200, 'GET', `${base}/repository/tags`);
        assert.deepEqual(
          left.map(({ name, message }) => [name, message]),
          [['v1.0', 'First edition\n\nWith buoys']],
        );
      });
      await suite.step('a release is made with its tag, read, changed and deleted', async () => {
        await page.goto(`/${project}/-/tree/main`);
        await page.getByRole('button', { name: 'Repository', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Releases', exact: true }).click();
        await headed(page, 'Releases');
        await page.getByText('No releases yet').waitFor();
        await page.getByRole('link', { name: 'New release' }).click();
        await headed(page, 'New release');
        await page.getByRole('textbox', { name: 'Tag', exact: true }).fill('edition/2');
        await page.getByLabel('Title').fill('Second edition');
        await page.getByLabel('Notes').fill('With **all** buoys.');
        await page.getByRole('button', { name: 'Add a link' }).click();
        await page.getByLabel('Name of link 1').fill('Chart');
        await page.getByLabel('URL of link 1').fill('https://files.example/chart.pdf');
        await look(page, 'release-new');
        await page.getByRole('button', { name: 'Create release' }).click();
        await headed(page, 'Second edition');
        await page.getByRole('link', { name: 'Chart', exact: true }).waitFor();
        await page.getByRole('link', { name: 'Source code (zip)' }).waitFor();
        await look(page, 'release');
        await page.getByRole('link', { name: 'Edit', exact: true }).click();
        await headed(page, 'Edit Second edition');
        await page.getByLabel('Title').fill('Second, corrected');
        await page.getByRole('button', { name: 'Remove link 1' }).click();
        await page.getByRole('button', { name: 'Add a link' }).click();
        await page.getByLabel('Name of link 1').fill('Poster');
        await page.getByLabel('URL of link 1').fill('https://files.example/poster.pdf');
        await page.getByLabel('Type of link 1').selectOption('image');
        await page.getByRole('button', { name: 'Save changes' }).click();
        await headed(page, 'Second, corrected');
        await page.getByRole('link', { name: 'Poster' }).waitFor();
        type Links = { assets: { links: { name: string; link_type: string }[] } };
        const kept = await call.expect<Links>(200, 'GET', `${base}/releases/edition%2F2`);
        assert.deepEqual(
          kept.assets.links.map((link) => [link.name, link.link_type]),
          [['Poster', 'image']],
        );
        await page.goto(`/${project}/-/releases`);
        await page.getByRole('link', { name: 'Second, corrected' }).waitFor();
        await page.getByRole('button', { name: 'Subscribe to feed' }).click();
        await page.waitForURL(/releases\.atom\?feed_token=glft-/);
        assert.match(await (await fetch(page.url())).text(), /<title>Second, corrected<\/title>/);
        await page.goto(`/${project}/-/releases`);
        await look(page, 'releases');
        await page.getByRole('link', { name: 'Second, corrected' }).click();
        await headed(page, 'Second, corrected');
        await page.getByRole('button', { name: 'Delete', exact: true }).click();
        await page.getByRole('dialog').getByRole('textbox').fill('edition/2');
        await page.getByRole('button', { name: 'Delete release' }).click();
        await page.getByText('No releases yet').waitFor();
        await call.expect(204, 'DELETE', `${base}/repository/tags/edition%2F2`);
      });
      await suite.step('two branches are compared, turned round, and become a merge request', async () => {
        await page.goto(`/${project}/-/compare/main...survey`);
        await headed(page, 'Compare');
        await headed(page, '2 commits', 2);
        await page.getByText('depths.txt').first().waitFor();
        await look(page, 'compare');
        await page.getByRole('button', { name: 'Swap' }).click();
        await page.getByText('Nothing to compare').waitFor();
        assert.equal(new URL(page.url()).pathname, `/${project}/-/compare/survey...main`);
        await page.getByText('Direct comparison', { exact: true }).click();
        await page.getByText('depths.txt').first().waitFor();
        await page.getByRole('button', { name: 'Swap' }).click();
        await headed(page, '2 commits', 2);
        await page.getByRole('link', { name: 'Create merge request', exact: true }).click();
        await headed(page, 'New merge request');
        await page.getByRole('button', { name: 'Source branch: survey' }).waitFor();
      });
      await suite.step('a commit of the instance is verified; a merge request names what conflicts', async () => {
        await page.goto(`/${project}/-/commit/survey`);
        await headed(page, 'Correct the depths');
        await page.getByText('Verified', { exact: false }).first().waitFor();
        await page.getByText('Millrace committed').waitFor();
        await look(page, 'commit-verified');
        const change = (branch: string, content: string, start: object) =>
          call.expect(201, 'POST', `${base}/repository/commits`, {
            ...{ branch, commit_message: `Turn the ${content}`, ...start },
            actions: [{ action: 'update', file_path: 'buoys.txt', content: `${content}\nsouth\n` }],
          });
        await change('east', 'east', { start_branch: 'main' });
        await change('west', 'west', { start_branch: 'main' });
        const request = { source_branch: 'east', target_branch: 'west', title: 'Turn it' };
        const { iid } = await call.expect<{ iid: number }>(201, 'POST', `${base}/merge_requests`, request);
        await page.goto(`/${project}/-/merge_requests/${iid}`);
        await page.getByRole('list', { name: 'Conflicts' }).getByText('buoys.txt').waitFor();
        await page.getByText('changed differently on both sides').waitFor();
        await look(page, 'merge-request-conflicts');
        for (const branch of ['east', 'west'])
          await call.expect(204, 'DELETE', `${base}/repository/branches/${branch}`);
      });
      await suite.step('a commit is tried before it is put on another branch, or taken back', async () => {
        const [last, first] = await call.expect<{ id: string; short_id: string }[]>(
          200,
          'GET',
          `${base}/repository/commits?ref_name=survey`,
        );
        assert(last && first);
        // Without the commit before it, the correction has nothing to correct.
        await page.goto(`/${project}/-/commit/${last.id}`);
        await headed(page, 'Correct the depths');
        await page.getByRole('main').getByRole('link', { name: 'survey', exact: true }).waitFor();
        await page.getByRole('button', { name: 'Cherry-pick …' }).click();
        await page.getByRole('alert').waitFor();
        assert.equal(await page.getByRole('button', { name: 'Cherry-pick', exact: true }).isDisabled(), true);
        await look(page, 'cherry-pick-conflict');
        await page.goto(`/${project}/-/commit/${first.id}`);
        await headed(page, 'Measure the depths');
        await page.getByRole('button', { name: 'Cherry-pick …' }).click();
        await page.getByText('No conflicts.').waitFor();
        await look(page, 'cherry-pick');
        // What fails after the branch was made leaves no branch behind: the second try makes it again.
        const replayed = new RegExp(`/commits/${first.id}/cherry_pick$`);
        let cut = true;
        await page.route(replayed, (route) => {
          // Trials are asked for again when the window comes to the front: they are not what is cut off.
          if (!cut || route.request().postData()?.includes('dry_run')) return route.continue();
          cut = false;
          return route.abort();
        });
        await page.getByRole('button', { name: 'Cherry-pick', exact: true }).click();
        await page.getByText('The server cannot be reached').waitFor();
        const branch = `${base}/repository/branches/cherry-pick-${first.short_id}`;
        await call.expect(404, 'GET', branch);
        await page.getByRole('button', { name: 'Cherry-pick', exact: true }).click();
        await headed(page, 'New merge request');
        await page.getByRole('button', { name: `Source branch: cherry-pick-${first.short_id}` }).waitFor();
        await page.getByText('Measure the depths').first().waitFor();
        await page.goto(`/${project}/-/commit/${last.id}`);
        await headed(page, 'Correct the depths');
        await page.getByRole('button', { name: 'Revert …' }).click();
        await page.getByRole('button', { name: 'Branch: main' }).click();
        await page.getByRole('option', { name: 'survey', exact: true }).click();
        await page.getByText('No conflicts.').waitFor();
        await page.getByLabel('Create a new branch and a merge request').uncheck();
        await page.getByRole('button', { name: 'Revert', exact: true }).click();
        await page.getByRole('link', { name: /Revert "Correct the depths"/ }).waitFor();
        const file = await call.expect<{ content: string }>(
          200,
          'GET',
          `${base}/repository/files/depths.txt?ref=survey`,
        );
        assert.equal(Buffer.from(file.content, 'base64').toString(), '12 m\n');
      });
      await suite.step('the history is drawn with its branches and merges', async () => {
        const request = await call.expect<{ iid: number }>(201, 'POST', `${base}/merge_requests`, {
          source_branch: 'survey',
          target_branch: 'main',
          title: 'Survey',
        });
        await until('it can be merged', 60, async () => {
          const { detailed_merge_status: status } = await call.expect<{ detailed_merge_status: string }>(
            200,
            'GET',
            `${base}/merge_requests/${request.iid}`,
          );
          return status === 'mergeable';
        });
        await call.expect(200, 'PUT', `${base}/merge_requests/${request.iid}/merge`);
        await page.goto(`/${project}/-/commits/main`);
        await page.getByRole('button', { name: 'Repository', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Graph', exact: true }).click();
        await headed(page, 'Graph');
        const rows = page.getByRole('list', { name: 'Commits' }).getByRole('listitem');
        await rows.first().waitFor();
        assert.match((await rows.first().textContent()) ?? '', /Merge branch 'survey' into 'main'/);
        const before = await rows.count();
        await look(page, 'graph');
        await page.getByRole('switch', { name: 'All branches and tags' }).click();
        await page.waitForURL(/all=true/);
        await rows.getByText('v1.0', { exact: true }).waitFor();
        await rows.nth(before).waitFor();
        await look(page, 'graph-all');
      });
      await suite.step('more than a hundred branches are listed to the last one, and found by name', async () => {
        const many = Array.from({ length: 120 }, (_, index) => `sounding-${String(index + 1).padStart(3, '0')}`);
        for (const branch of many)
          await call.expect(201, 'POST', `${base}/repository/branches?branch=${branch}&ref=main`);
        await page.goto(`/${project}/-/branches`);
        const rows = page.getByRole('list', { name: 'Branches' }).getByRole('listitem');
        await rows.first().getByRole('link', { name: 'main', exact: true }).waitFor();
        const more = page.getByRole('button', { name: 'Show more' });
        for (const shown of [51, 101]) {
          await rows.nth(shown - 2).waitFor();
          await more.click();
          await rows.nth(shown).waitFor();
        }
        await more.waitFor({ state: 'detached' });
        for (const branch of many) await rows.getByRole('link', { name: branch, exact: true }).waitFor();
        await look(page, 'branches-many');
        await page.goto(`/${project}/-/tree/main`);
        await page.getByRole('button', { name: 'Branch or tag: main' }).click();
        await page.getByRole('textbox', { name: 'Find a branch or tag' }).fill('sounding-117');
        await page.getByRole('option', { name: 'sounding-117' }).click();
        await page.waitForURL(/tree\/sounding-117/);
      });
      await person.close();
    });
  } finally {
    await instance.stop();
    rmSync(keys, { recursive: true, force: true });
    instance.remove();
  }
}
