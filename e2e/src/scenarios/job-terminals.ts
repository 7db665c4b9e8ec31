/** Jobs of the built-in runner: a terminal on the page and from the command line, a log that is read in parts, caches. Slow: a log of many megabytes is written and read. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { root, rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'workshop/lathe';
const id = encodeURIComponent(project);
/** About 3 MB in long lines: the page reads 1 MiB of a log at once. */
const logLines = 7_000;
const filling = 'x'.repeat(400);
const config = `turn:
  script:
    - while [ ! -e done ]; do sleep 0.1; done
    - cat done
  variables: {MATERIAL: brass}
  rules: [{if: '$CI_COMMIT_MESSAGE == "Turn"'}]
write:
  script:
    - mkdir -p chips && head -c 300000 /dev/urandom > chips/brass
    - seq -f 'shaving %.0f of a long log ${filling}' 1 ${logLines}
    - seq 1 3 | grep 4 || echo done
  cache: {key: chips, paths: [chips/]}
  rules: [{if: '$CI_COMMIT_MESSAGE == "Write"'}]
`;

type Job = { id: number; status: string; terminal?: boolean };

async function runningJob(call: Api): Promise<Job> {
  const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Workshop', path: 'workshop' });
  await call.expect(201, 'POST', '/projects', { name: 'Lathe', path: 'lathe', namespace_id: group.id });
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Turn' },
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }],
  });
  return await until('the job', 60, async () => {
    const [job] = await call.expect<Job[]>(200, 'GET', `/projects/${id}/jobs?scope=running`);
    if (!job) return null;
    const log = await call.expect<string>(200, 'GET', `/projects/${id}/jobs/${job.id}/trace`);
    return String(log).includes('while [') && job;
  });
}

const screen = (page: Page, text: string) => page.locator('.xterm-accessibility').getByText(text).first().waitFor();

async function onThePage(page: Page, job: Job): Promise<void> {
  await page.goto(`/${project}/-/jobs/${job.id}`);
  await page.getByRole('link', { name: 'Open terminal' }).click();
  await headed(page, 'Terminal: turn');
  await page.getByRole('status').getByText('Connected').waitFor();
  await page.keyboard.type('echo "$MATERIAL-$((6*7))"; pwd\n');
  await screen(page, 'brass-42');
  await look(page, 'job-terminal');
  await page.setViewportSize({ width: 390, height: 900 });
  await page.keyboard.type('stty size\n');
  await look(page, 'job-terminal-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.keyboard.type('exit\n');
  await page.getByText('Terminal closed').waitFor();
  await page.getByRole('button', { name: 'Reconnect' }).click();
  await page.getByRole('status').getByText('Connected').waitFor();
}

/** `millrace job shell`, with pipes in place of a keyboard and a screen. */
async function fromTheCommandLine(url: string, job: Job): Promise<void> {
  const child = spawn(
    process.execPath,
    [join(root, 'dist/millrace.mjs'), 'job', 'shell', project, String(job.id), '--url', url],
    { env: { PATH: process.env.PATH ?? '', MILLRACE_TOKEN: rootToken }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.write('echo "from-$((1+1))"; echo finished > done; exit\n');
  assert.equal(await ended, 0, said);
  assert.match(said, /from-2/);
}

/** A job that wrote a long log and saved a cache. */
async function writtenJob(call: Api): Promise<Job> {
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Write' },
    actions: [{ action: 'create', file_path: 'README.md', content: 'Lathe' }],
  });
  return await until('the job that writes', 60, async () => {
    const jobs = await call.expect<(Job & { name: string })[]>(200, 'GET', `/projects/${id}/jobs?scope=success`);
    return jobs.find(({ name }) => name === 'write') ?? null;
  });
}

async function longLog(page: Page, { id: number }: Job): Promise<void> {
  let loaded = 0;
  page.on('response', async (response) => {
    if (response.url().endsWith(`/jobs/${number}/trace`)) loaded += Number(response.headers()['content-length'] ?? 0);
  });
  await page.goto(`/${project}/-/jobs/${number}`);
  const log = page.getByRole('log');
  const parts = page.getByRole('navigation', { name: 'Parts of the log' });
  await log.getByText(`shaving ${logLines} of`).waitFor();
  assert.ok(loaded < 1_200_000, `${loaded} bytes were read for the first view`);
  assert.equal(await log.getByText('shaving 1 of').count(), 0);
  await page.getByRole('button', { name: 'Wrap lines' }).click();
  await look(page, 'job-log-parts');
  await parts.getByRole('button', { name: 'First' }).click();
  await log.getByText('shaving 1 of').waitFor();
  await parts.getByText(/^Lines 1 to /).waitFor();
  await parts.getByRole('button', { name: 'Next' }).click();
  await log.getByText('shaving 1 of').waitFor({ state: 'detached' });
  // Search looks through all of the log, and shows the part that holds a match.
  const search = page.getByRole('textbox', { name: 'Search in the log' });
  await search.fill('SHAVING 3123 of');
  await page.getByText('1 lines').waitFor();
  await search.press('Enter');
  await log.getByText('shaving 3123 of').waitFor();
  const line = new URL(page.url()).hash;
  assert.match(line, /^#L31\d\d$/);
  // The address of the line opens its part, and the number is the same in the whole log.
  await page.goto('about:blank');
  await page.goto(`/${project}/-/jobs/${number}${line}`);
  await log.locator('[data-chosen]', { hasText: 'shaving 3123 of' }).waitFor();
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'job-log-parts-390');
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function caches(page: Page): Promise<void> {
  await page.goto(`/${project}/-/settings?part=storage`);
  const table = page.getByRole('table', { name: 'Job caches' });
  await table.getByText('chips').waitFor();
  await table.scrollIntoViewIfNeeded();
  await look(page, 'job-caches');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'job-caches-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await table.getByRole('button').first().click();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /Delete/ })
    .click();
  await page.getByText('No caches yet').waitFor();
}

export async function jobTerminalsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'shell' } });
  try {
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const call = api(instance.url, rootToken);
      let job: Job | undefined;
      await suite.step('a job runs on the built-in runner', async () => {
        await signIn(person.page, { login: 'root', password: rootPassword });
        job = await runningJob(call);
      });
      await suite.step('its page opens a terminal in it', async () => {
        assert.ok(job);
        await onThePage(person.page, job);
        assert.deepEqual(person.problems(), []);
        const dark = await openWindow(browser, instance.url, { dark: true });
        await signIn(dark.page, { login: 'root', password: rootPassword });
        await dark.page.goto(`/${project}/-/jobs/${job.id}/terminal`);
        await dark.page.getByRole('status').getByText('Connected').waitFor();
        await look(dark.page, 'job-terminal-dark');
        await dark.close();
      });
      await suite.step('so does the command line; the job ends when the terminals are closed', async () => {
        assert.ok(job);
        await fromTheCommandLine(instance.url, job);
        await person.page.goto(`/${project}/-/jobs/${job.id}`);
        const { id: number } = job;
        await until('the end of the job', 60, async () => {
          const now = await call.expect<Job>(200, 'GET', `/projects/${id}/jobs/${number}`);
          return now.status === 'success';
        });
        const log = await call.expect<string>(200, 'GET', `/projects/${id}/jobs/${number}/trace`);
        assert.match(String(log), /\nfinished\n/);
      });
      await suite.step('a long log is read in parts: line links and search cover all of it', async () => {
        const written = await writtenJob(call);
        await longLog(person.page, written);
        assert.deepEqual(person.problems(), []);
      });
      await suite.step('the caches of the project are listed, and deleted', async () => {
        await caches(person.page);
        assert.deepEqual(person.problems(), []);
      });
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
