/** Reports over projects in a real browser: vulnerabilities of a project, a group and the instance, and runners, also narrow and dark. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { counted, headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { takeJob } from '../support/runner.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const tag = 'scanner';
const config = `scan: {script: [scan], tags: [${tag}], artifacts: {reports: {sast: gl-sast-report.json}}}\n`;

const weakness = (name: string, line: number, severity: string) => ({
  id: `${name}-${line}`,
  category: 'sast',
  name,
  description: `${name} in the lock gate controller`,
  severity,
  identifiers: [{ type: 'cwe', name: `CWE-${line}`, value: String(line) }],
  location: { file: 'src/gate.ts', start_line: line },
});

/** A pipeline of the project whose job found these. */
async function scanned(call: Api, url: string, project: number, found: readonly object[]): Promise<void> {
  const actions = [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }];
  const commit = { branch: 'main', commit_message: 'Scan the code', actions };
  await call.expect(201, 'POST', `/projects/${project}/repository/commits`, commit);
  const job = await takeJob(call, url, { projectId: project, tag });
  const scan = { type: 'sast', scanner: { id: 'lint', name: 'Lint', version: '1', vendor: { name: 'Vendor' } } };
  await job.upload('sast', JSON.stringify({ version: '15.0.7', scan, vulnerabilities: found }));
  await job.end('success');
  await until('the vulnerabilities', 60, async () => {
    const list = await call.expect<unknown[]>(200, 'GET', `/projects/${project}/vulnerabilities`);
    return list.length === found.length;
  });
}

const rows = (page: Page) => page.getByRole('list', { name: 'Vulnerabilities' }).getByRole('listitem');

export async function adminReportsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Canal', path: 'canal' });
    const projects: number[] = [];
    for (const name of ['Lock gates', 'Weir with a name that is rather long for a small screen']) {
      const body = { name, namespace_id: group.id, path: name.split(' ')[0]?.toLowerCase() };
      projects.push((await call.expect<{ id: number }>(201, 'POST', '/projects', body)).id);
    }
    const [gates = 0, weir = 0] = projects;
    await scanned(call, instance.url, gates, [
      weakness('SQL injection', 89, 'Critical'),
      weakness('Weak hash', 327, 'Low'),
      weakness('Path traversal through an unchecked name of an uploaded drawing', 22, 'High'),
    ]);
    await scanned(call, instance.url, weir, [weakness('Cross-site scripting', 79, 'Medium')]);
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const { page } = person;
      await signIn(page, { login: 'root', password: rootPassword });
      const titles = () => rows(page).allInnerTexts();

      await suite.step('browser: the vulnerabilities of a project are decided about', async () => {
        await page.goto('/canal/lock/-/security/vulnerability_report');
        await headed(page, 'Vulnerabilities');
        await rows(page).nth(2).waitFor();
        assert.match((await titles())[0] ?? '', /SQL injection/);
        await look(page, 'vulnerabilities-project');
        await page.getByRole('button', { name: 'Dismiss Weak hash' }).click();
        await rows(page).filter({ hasText: 'Weak hash' }).waitFor({ state: 'detached' });
      });
      await suite.step(
        'browser: an issue is created from a vulnerability, another linked, and both show it',
        async () => {
          await call.expect(201, 'POST', `/projects/${gates}/issues`, { title: 'Review all queries' });
          await rows(page).getByRole('link', { name: 'SQL injection' }).click();
          await headed(page, 'SQL injection');
          await page.getByRole('link', { name: 'src/gate.ts:89' }).waitFor();
          await page.getByRole('link', { name: 'Create issue' }).click();
          await page.getByRole('button', { name: 'Create issue' }).click();
          await headed(page, 'Investigate vulnerability: SQL injection');
          await page.getByText('Confidential').first().waitFor();
          const shown = page.getByRole('list', { name: 'Related vulnerabilities' });
          await shown.getByRole('link', { name: 'SQL injection' }).click();
          await headed(page, 'SQL injection');
          const linked = page.getByRole('list', { name: 'Linked issues' }).getByRole('listitem');
          await linked.filter({ hasText: 'created from this vulnerability' }).waitFor();
          assert.equal(await page.getByRole('link', { name: 'Create issue' }).count(), 0);
          await page.getByRole('textbox', { name: 'Issue' }).fill('#1');
          await page.getByRole('button', { name: 'Link issue' }).click();
          await linked.filter({ hasText: 'Review all queries' }).waitFor();
          await look(page, 'vulnerability');
          await page.getByRole('button', { name: 'Remove the link to #1', exact: true }).click();
          await page.getByRole('dialog').getByRole('button', { name: 'Remove link' }).click();
          await linked.filter({ hasText: 'Review all queries' }).waitFor({ state: 'detached' });
          await counted(linked, 1);
        },
      );
      await suite.step('browser: a group reports those of all its projects, one project, and as a file', async () => {
        await page.goto('/groups/canal');
        await page.getByRole('navigation', { name: 'Group' }).getByRole('link', { name: 'Vulnerabilities' }).click();
        await page.waitForURL(/\/groups\/canal\/-\/security\/vulnerability_report$/);
        await rows(page).nth(2).waitFor();
        assert.deepEqual(
          (await titles()).map((text) => text.split('\n')[0]),
          ['SQL injection', 'Path traversal through an unchecked name of an uploaded drawing', 'Cross-site scripting'],
        );
        await look(page, 'vulnerabilities-group');
        await page.getByRole('combobox', { name: 'Project' }).fill('weir');
        await page.getByRole('option', { name: 'canal/weir' }).click();
        await page.waitForURL(/project_id=\d+/);
        await page.getByText('SQL injection').waitFor({ state: 'detached' });
        const downloading = page.waitForEvent('download');
        await page.getByRole('link', { name: 'Export as CSV' }).click();
        const file = await (await downloading).path();
        const lines = (await readFile(file, 'utf8')).trim().split('\n');
        assert.equal(lines.length, 2);
        assert.match(lines[1] ?? '', /Cross-site scripting.*src\/gate\.ts:79/);
        await page.goto('/groups/canal/-/security/vulnerability_report');
        await rows(page).nth(2).waitFor();
      });
      await suite.step('browser: administrators see those of the instance and confirm one', async () => {
        await page.goto('/admin/vulnerability_report');
        await headed(page, 'Vulnerabilities', 2);
        await page.getByRole('button', { name: 'Confirm Cross-site scripting' }).click();
        await rows(page).filter({ hasText: 'Cross-site scripting' }).getByText('Confirmed').waitFor();
        await page.getByLabel('Severity').selectOption('critical');
        await page.waitForURL(/severity=critical/);
        await page.getByText('Cross-site scripting').waitFor({ state: 'detached' });
        await counted(rows(page), 1);
        await look(page, 'vulnerabilities-instance');
      });
      await suite.step('browser: the reports and the runner fleet on a narrow dark screen', async () => {
        const narrow = await openWindow(browser, instance.url, { width: 390, dark: true });
        await signIn(narrow.page, { login: 'root', password: rootPassword });
        for (const [name, address, wait] of [
          ['project', '/canal/lock/-/security/vulnerability_report', 'SQL injection'],
          ['group', '/groups/canal/-/security/vulnerability_report', 'Cross-site scripting'],
          ['instance', '/admin/vulnerability_report', 'Cross-site scripting'],
        ] as const) {
          await narrow.page.goto(address);
          await rows(narrow.page).filter({ hasText: wait }).waitFor();
          const wide = await narrow.page.evaluate('document.documentElement.scrollWidth > innerWidth');
          assert.equal(wide, false, `${address} is wider than the screen`);
          await look(narrow.page, `vulnerabilities-${name}-narrow-dark`);
        }
        const [first] = await call.expect<{ id: number }[]>(
          200,
          'GET',
          `/projects/${gates}/vulnerabilities?severity=critical`,
        );
        await narrow.page.goto(`/canal/lock/-/security/vulnerabilities/${first?.id}`);
        await headed(narrow.page, 'SQL injection');
        await look(narrow.page, 'vulnerability-narrow-dark');
        await narrow.page.goto('/admin/runner_fleet');
        await headed(narrow.page, 'Runner fleet', 2);
        await look(narrow.page, 'runner-fleet-narrow-dark');
        assert.deepEqual([...person.problems(), ...narrow.problems()], []);
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
