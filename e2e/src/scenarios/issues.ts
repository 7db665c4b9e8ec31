/** Issues on their pages: written, found by filters, discussed by two people, closed. Slow: two people, one on a phone in the dark. */
import assert from 'node:assert/strict';
import { type Api, api } from '../support/api.ts';
import { counted, headed, look, openWindow, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'printshop/press';
const password = 'ink-and-paper-and-lead-1450';

async function populated(call: Api): Promise<void> {
  const group = { name: 'Printshop', path: 'printshop' };
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', group);
  await call.expect(201, 'POST', '/projects', { name: 'Press', path: 'press', namespace_id: namespace });
  const id = encodeURIComponent(project);
  await call.expect(201, 'POST', `/projects/${id}/labels`, { name: 'defect', color: '#c0392b' });
  await call.expect(201, 'POST', `/projects/${id}/issues`, { title: 'Order more lead' });
  const folder = '.gitlab/issue_templates';
  const actions = [
    { action: 'create', file_path: `${folder}/Default.md`, content: '## What happens\n' },
    { action: 'create', file_path: `${folder}/Defect.md`, content: '## Steps\n\n/label ~defect\n' },
  ];
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Add templates of issues', actions },
  });
  const reader = await call.expect<{ id: number }>(201, 'POST', '/users', {
    ...{ username: 'reader', name: 'Rita Reader', email: 'rita@example.com', password, skip_confirmation: true },
  });
  await call.expect(201, 'POST', `/projects/${id}/members`, { user_id: reader.id, access_level: 10 });
}

export async function issuesJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const printer = await openWindow(browser, instance.url);
      const reader = await openWindow(browser, instance.url, { width: 390, dark: true });
      const { page } = printer;
      await signIn(page, { login: 'root', password: rootPassword });
      await signIn(reader.page, { login: 'reader', password });
      await suite.required('browser: an issue is written, with a label and Markdown', async () => {
        await page.goto(`/${project}`);
        await page.getByRole('link', { name: /^Issues( \d+)?$/ }).click();
        await page.getByRole('link', { name: 'Order more lead' }).waitFor();
        await page.getByRole('link', { name: 'New issue' }).click();
        // The list has a field named after titles as well.
        await headed(page, 'New issue');
        await page.getByLabel('Title').fill('The ink is too thin');
        const description = page.getByLabel('Description');
        await valued(description, '## What happens\n');
        await page.getByLabel('Template').selectOption('Defect');
        await valued(description, /## Steps/);
        await description.fill('It **runs** over the edge.');
        await page.getByRole('combobox', { name: 'Assignees' }).fill('root');
        await page.getByRole('option', { name: /@root/ }).click();
        await look(page, 'issue-new');
        await page.getByRole('combobox', { name: 'Labels' }).fill('defect');
        await page.keyboard.press('Enter');
        await page.getByRole('button', { name: 'Create issue' }).click();
        await headed(page, 'The ink is too thin');
        await page.locator('strong', { hasText: 'runs' }).waitFor();
        await page.getByRole('region', { name: 'Assignees' }).getByText('Administrator').waitFor();
        await look(page, 'issue');
      });
      await suite.step('browser: an address fills in the form of a new issue', async () => {
        const place = `/projects/${encodeURIComponent(project)}`;
        const form = `/${project}/-/issues/new`;
        await page.goto(`${form}?issue[title]=Smudges&issuable_template=defect`);
        await valued(page.getByLabel('Title'), 'Smudges');
        await valued(page.getByLabel('Description'), /## Steps/);
        await api(instance.url, rootToken).expect(200, 'PUT', place, { issues_template: 'Since when?' });
        await page.goto(`${form}?issue[description]=On+**all**+pages`);
        await valued(page.getByLabel('Description'), 'On **all** pages');
        await page.goto(form);
        await valued(page.getByLabel('Description'), 'Since when?');
      });
      await suite.step('browser: the list is filtered by words, label and state, in its address', async () => {
        await page.goto(`/${project}/-/issues?labels=defect`);
        await page.getByRole('link', { name: 'The ink is too thin' }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'Order more lead' }).count(), 0);
        await page.goto(`/${project}/-/issues?search=lead`);
        await page.getByRole('link', { name: 'Order more lead' }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'The ink is too thin' }).count(), 0);
        await page.goto(`/${project}/-/issues`);
        await look(page, 'issues');
      });
      await suite.step(
        'browser: the filter bar speaks the filters of the API, and remembers the last one',
        async () => {
          await page.goto(`/${project}/-/issues`);
          await page.getByText('Open 2').waitFor();
          await page.getByRole('combobox', { name: 'Labels' }).click();
          await page.getByRole('option', { name: 'not defect', exact: true }).click();
          await page.waitForURL(/not%5Blabels%5D=defect/);
          await page.getByRole('link', { name: 'The ink is too thin' }).waitFor({ state: 'detached' });
          await page.getByText('Open 1').waitFor();
          await page.keyboard.press('Escape');
          await look(page, 'issues-filtered');
          await page.goto(`/${project}`);
          await page.getByRole('link', { name: /^Issues( \d+)?$/ }).click();
          await page.waitForURL(/not%5Blabels%5D=defect/);
          await page.getByRole('button', { name: 'Clear filters' }).click();
          await page.getByRole('link', { name: 'The ink is too thin' }).waitFor();
        },
      );
      await suite.step('browser: several issues are changed at once', async () => {
        await page.getByRole('button', { name: 'Bulk edit' }).click();
        await page.getByRole('checkbox', { name: 'Select all on this page' }).check();
        const form = page.getByRole('form', { name: 'Edit issues' });
        await form.getByLabel('Add labels').fill('urgent');
        await page.keyboard.press('Enter');
        await look(page, 'issues-bulk');
        await form.getByRole('button', { name: 'Update 2 issues' }).click();
        await form.getByText('2 issues updated').waitFor();
        await counted(page.getByRole('list', { name: 'Issues' }).getByText('urgent'), 2);
        await form.getByRole('button', { name: 'Cancel' }).click();
      });
      await suite.step('browser: issues come out of a CSV file; without a mail server none is exported', async () => {
        await page.getByRole('button', { name: 'Actions' }).click();
        await page.getByRole('menuitem', { name: 'Export as CSV' }).click();
        const dialog = page.getByRole('dialog', { name: 'Export issues' });
        await dialog.getByText('2 issues that the list shows').waitFor();
        await dialog.getByRole('button', { name: 'Export issues' }).click();
        await dialog.getByText('no mail server is configured').waitFor();
        await look(page, 'issues-export');
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await page.getByRole('button', { name: 'Actions' }).click();
        await page.getByRole('menuitem', { name: 'Import CSV' }).click();
        const form = page.getByRole('form', { name: 'Import issues' });
        const [chooser] = await Promise.all([
          page.waitForEvent('filechooser'),
          form.getByRole('button', { name: 'CSV file' }).click(),
        ]);
        const buffer = Buffer.from('title,description\nOil the screw,"Every week\n/label ~defect"\n');
        await chooser.setFiles({ name: 'issues.csv', mimeType: 'text/csv', buffer });
        await look(page, 'issues-import');
        await form.getByRole('button', { name: 'Import issues' }).click();
        const done = page.getByRole('dialog', { name: 'Import issues' });
        await done.getByText('The import has started.').waitFor();
        await done.getByRole('button', { name: 'Close', exact: true }).last().click();
        await page.getByRole('link', { name: 'Oil the screw' }).waitFor();
      });
      await suite.step('browser: the list is a feed, whose token is created when first needed', async () => {
        await page.goto(`/${project}/-/issues?labels=defect`);
        await page.getByRole('button', { name: 'Actions' }).click();
        await page.getByRole('menuitem', { name: 'Subscribe to feed' }).click();
        await page.waitForURL(/issues\.atom\?labels=defect&feed_token=glft-/);
        const feed = await (await fetch(page.url())).text();
        assert.match(feed, /<title>The ink is too thin<\/title>/);
        assert.ok(!feed.includes('Order more lead'));
        await page.goto(`/${project}/-/issues`);
        await page.getByRole('button', { name: 'Actions' }).click();
        await page.locator('a[href*="/issues.ics?feed_token=glft-"]').waitFor();
        await page.keyboard.press('Escape');
      });
      await suite.step('browser: an incident shows pictures of its metrics', async () => {
        const title = 'The press stands still';
        const place = `/projects/${encodeURIComponent(project)}/issues`;
        const made = { title, issue_type: 'incident' };
        const { iid } = await api(instance.url, rootToken).expect<{ iid: number }>(201, 'POST', place, made);
        await page.goto(`/${project}/-/issues/${iid}`);
        await page.getByRole('button', { name: 'Add metric image' }).click();
        const form = page.getByRole('form', { name: 'Add metric image' });
        const [chooser] = await Promise.all([
          page.waitForEvent('filechooser'),
          form.getByRole('button', { name: 'Image', exact: true }).click(),
        ]);
        await chooser.setFiles({ name: 'cpu.png', mimeType: 'image/png', buffer: await page.screenshot() });
        await form.getByLabel('Text').fill('Load of the press');
        await form.getByRole('button', { name: 'Add image' }).click();
        const image = page.getByRole('img', { name: 'Load of the press' });
        await image.waitFor();
        assert.ok(await page.evaluate("document.querySelector('figure img').decode().then(() => true)"));
        await look(page, 'incident');
        await page.getByRole('button', { name: 'Delete cpu.png' }).click();
        await page.getByRole('button', { name: 'Delete image' }).click();
        await image.waitFor({ state: 'detached' });
        // The page of what is gone would ask for it in vain.
        await page.goto(`/${project}/-/issues`);
        await api(instance.url, rootToken).expect(204, 'DELETE', `${place}/${iid}`);
      });
      await suite.step('browser: an issue continues the threads of a merge request and resolves them', async () => {
        const call = api(instance.url, rootToken);
        const place = `/projects/${encodeURIComponent(project)}`;
        await call.expect(201, 'POST', `${place}/repository/commits`, {
          ...{ branch: 'type', start_branch: 'main', commit_message: 'Cast type' },
          actions: [{ action: 'create', file_path: 'type.txt', content: 'Garamond' }],
        });
        const request = { source_branch: 'type', target_branch: 'main', title: 'Cast new type' };
        const { iid } = await call.expect<{ iid: number }>(201, 'POST', `${place}/merge_requests`, request);
        const body = 'The **g** is too wide';
        await call.expect(201, 'POST', `${place}/merge_requests/${iid}/discussions`, { body });
        await page.goto(`/${project}/-/merge_requests/${iid}`);
        await page.getByRole('link', { name: 'Create issue to resolve thread' }).waitFor();
        await page.getByRole('link', { name: 'Create issue to resolve all threads' }).click();
        await page.getByText('Creating this issue will resolve 1 thread in').waitFor();
        await valued(page.getByLabel('Title'), 'Follow-up from "Cast new type"');
        await valued(page.getByLabel('Description'), /> The \*\*g\*\* is too wide$/);
        await look(page, 'issue-from-threads');
        await page.getByRole('button', { name: 'Create issue' }).click();
        await headed(page, 'Follow-up from "Cast new type"');
        await page.goto(`/${project}/-/merge_requests/${iid}`);
        await page.getByRole('button', { name: 'Reopen thread' }).waitFor();
        await page.getByText('to continue this discussion').waitFor();
        await counted(page.getByRole('link', { name: /Create issue to resolve/ }), 0);
      });
      await suite.step(
        'browser: an issue shows what it is linked with and how it is, a milestone its issues',
        async () => {
          const call = api(instance.url, rootToken);
          const place = `/projects/${encodeURIComponent(project)}`;
          const { id } = await call.expect<{ id: number }>(201, 'POST', `${place}/milestones`, { title: 'Spring' });
          const made = { title: 'New rollers', milestone_id: id };
          const { iid } = await call.expect<{ iid: number }>(201, 'POST', `${place}/issues`, made);
          const body = '/blocked_by #1\n/relate #2\n/health_status at_risk\n/lock\n/create_merge_request new-rollers';
          await call.expect(202, 'POST', `${place}/issues/${iid}/notes`, { body });
          await page.goto(`/${project}/-/issues/${iid}`);
          await page.getByRole('list', { name: 'Blocked by' }).getByRole('link', { name: 'Order more lead' }).waitFor();
          await page
            .getByRole('list', { name: 'Linked issues' })
            .getByRole('link', { name: /ink is too thin/ })
            .waitFor();
          const requests = page.getByRole('list', { name: 'Related merge requests' });
          await requests.getByRole('link', { name: /New rollers/ }).waitFor();
          await page.getByRole('region', { name: 'Health status' }).getByText('At risk').waitFor();
          await page.getByText('Locked', { exact: true }).waitFor();
          const form = page.getByRole('form', { name: 'New comment' });
          await form.getByRole('textbox').fill('They are expensive');
          await form.getByRole('checkbox', { name: 'Internal comment' }).check();
          await form.getByRole('button', { name: 'Comment', exact: true }).click();
          const said = page.getByRole('article').filter({ hasText: 'They are expensive' });
          await said.getByText('Internal comment').waitFor();
          await look(page, 'issue-relations');
          await page.getByRole('button', { name: 'Remove the link to Order more lead' }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Remove link' }).click();
          await page.getByRole('list', { name: 'Blocked by' }).waitFor({ state: 'detached' });
          await page.getByRole('button', { name: 'Link an issue' }).click();
          const link = page.getByRole('form', { name: 'Link an issue' });
          await link.getByRole('combobox', { name: 'Type' }).click();
          await page.getByRole('option', { name: 'Blocks', exact: true }).click();
          await link.getByRole('combobox', { name: 'Issue' }).fill(`${project}#1`);
          await page.getByRole('option', { name: '#1 Order more lead' }).click();
          await look(page, 'issue-link');
          await link.getByRole('button', { name: 'Add' }).click();
          await page.getByRole('list', { name: 'Blocks' }).getByRole('link', { name: 'Order more lead' }).waitFor();
          await page.getByRole('region', { name: '1 participant' }).waitFor();
          await reader.page.goto(`/${project}/-/issues/${iid}`);
          await reader.page.getByRole('list', { name: 'Linked issues' }).waitFor();
          await counted(reader.page.getByText('They are expensive'), 0);
          await counted(reader.page.getByRole('checkbox', { name: 'Internal comment' }), 0);
          await page.goto(`/${project}/-/milestones/1`);
          await page.getByRole('list', { name: 'Issues' }).getByRole('link', { name: 'New rollers' }).waitFor();
          await look(page, 'milestone-issues');
          await call.expect(204, 'DELETE', `${place}/issues/${iid}`);
        },
      );
      await suite.step('browser: two people talk about it, one of them on a telephone', async () => {
        await reader.page.goto(`/${project}/-/issues/2`);
        await reader.page.getByLabel('New comment').getByRole('textbox').fill('Warm it _first_.');
        await reader.page.getByRole('button', { name: 'Comment', exact: true }).click();
        await reader.page.locator('em', { hasText: 'first' }).waitFor();
        await look(reader.page, 'issue-narrow-dark');
        await page.goto(`/${project}/-/issues/2`);
        await page.locator('em', { hasText: 'first' }).waitFor();
        const comment = page.getByRole('article').filter({ hasText: 'Warm it first' });
        await comment.getByRole('button', { name: 'Add reaction' }).click();
        await comment.getByRole('button', { name: 'tada', exact: true }).click();
        await comment.getByRole('button', { name: 'tada, 1: Administrator', pressed: true }).waitFor();
        await reader.page.goto(`/${project}/-/issues/2`);
        await reader.page.getByRole('button', { name: 'tada, 1: Administrator', pressed: false }).click();
        await reader.page.getByRole('button', { name: 'tada, 2: Administrator, Rita Reader', pressed: true }).waitFor();
        await reader.page.getByRole('button', { name: 'Add reaction' }).first().click();
        await reader.page.getByRole('button', { name: 'heart', exact: true }).click();
        const heart = reader.page.getByRole('button', { name: 'heart, 1: Rita Reader' });
        await heart.click();
        await heart.waitFor({ state: 'detached' });
        await look(reader.page, 'issue-reactions');
        assert.equal(await reader.page.getByRole('button', { name: 'Close issue' }).count(), 0);
        // What became of quick actions is told below the comment that is kept.
        await page.getByLabel('New comment').getByRole('textbox').fill('Noted.\n/due someday\n/weight 2');
        await page.getByRole('button', { name: 'Comment', exact: true }).click();
        await page.getByRole('status').filter({ hasText: 'date format is invalid. Set weight to 2.' }).waitFor();
        await page.getByRole('article').filter({ hasText: 'Noted.' }).waitFor();
        await look(page, 'issue-told');
      });
      await suite.step(
        'browser: tracker and wiki elsewhere are in the navigation, and New issue leads there',
        async () => {
          const place = `/projects/${encodeURIComponent(project)}/integrations`;
          const call = api(instance.url, rootToken);
          const tracker = 'https://tracker.example';
          await call.expect(200, 'PUT', `${place}/custom-issue-tracker`, {
            ...{ project_url: `${tracker}/press`, issues_url: `${tracker}/press/:id`, new_issue_url: `${tracker}/new` },
          });
          await call.expect(200, 'PUT', `${place}/external-wiki`, { external_wiki_url: `${tracker}/pages` });
          await page.route(`${tracker}/**`, (route) =>
            route.fulfill({ contentType: 'text/html', body: `<h1>At ${new URL(route.request().url()).pathname}</h1>` }),
          );
          for (const [name, path] of [
            ['New issue', '/new'],
            ['Custom issue tracker', '/press'],
            ['External wiki', '/pages'],
          ] as const) {
            await page.goto(`/${project}/-/issues`);
            await page.getByRole('link', { name, exact: true }).click();
            await page.getByRole('heading', { name: `At ${path}`, exact: true }).waitFor();
          }
          await page.unroute(`${tracker}/**`);
          for (const slug of ['custom-issue-tracker', 'external-wiki'])
            await call.expect(204, 'DELETE', `${place}/${slug}`);
          await page.goto(`/${project}/-/issues/2`);
        },
      );
      await suite.step('browser: it is closed, and is no longer among the open ones', async () => {
        await page.getByRole('button', { name: 'Close issue' }).click();
        await page.getByRole('button', { name: 'Reopen issue' }).waitFor();
        await page.goto(`/${project}/-/issues`);
        await page.getByRole('link', { name: 'Order more lead' }).waitFor();
        assert.equal(await page.getByRole('link', { name: 'The ink is too thin' }).count(), 0);
        const call = api(instance.url, rootToken);
        const place = `/projects/${encodeURIComponent(project)}/issues`;
        const { iid } = await call.expect<{ iid: number }>(201, 'POST', place, { title: 'The ink is thin' });
        await call.expect(202, 'POST', `${place}/${iid}/notes`, { body: '/duplicate #2' });
        await page.goto(`/${project}/-/issues/${iid}`);
        const same = page.getByRole('paragraph').filter({ hasText: 'Duplicate of #2 The ink is too thin' });
        await same.getByRole('link').waitFor();
        await look(page, 'issue-duplicate');
        await same.getByRole('link').click();
        await page.getByRole('heading', { name: 'The ink is too thin' }).waitFor();
        // The export without a mail server was refused.
        const refused = 'the server responded with a status of 400 (Bad Request)';
        const problems = [...printer.problems(), ...reader.problems()];
        assert.deepEqual(
          problems.filter((line) => !line.includes(refused)),
          [],
        );
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
