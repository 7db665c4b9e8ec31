/** A running job of the built-in runner: its terminal on the page and from the command line, and the caches of the project. */
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
const config = `turn:
  script:
    - while [ ! -e done ]; do sleep 0.1; done
    - cat done
  variables: {MATERIAL: brass}
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
  await page.getByText('The terminal is closed').waitFor();
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
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
