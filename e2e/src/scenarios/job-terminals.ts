/** Jobs of the built-in runner: a terminal on the page and from the command line, a log that is read in parts, caches. Slow: a log of many megabytes is written and read. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { headed, look, openWindow, withBrowser } from '../support/browser.ts';
import { root, rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'workshop/lathe';
const id = encodeURIComponent(project);
/** About 3 MB in long lines: the page reads 512 KiB of a log at once. */
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
    - mkdir report && echo '<style>h1{color:red}</style><h1>Sharp</h1><script>document.body.append("cut")</script>' > report/index.html
    - printf '# Shavings\\n\\n* brass\\n' > report/README.md
    - seq -f 'shaving %.0f of a long log ${filling}' 1 ${logLines}
    - seq 1 3 | grep 4 || echo done
  cache: {key: chips, paths: [chips/]}
  artifacts: {paths: [report/]}
  rules: [{if: '$CI_COMMIT_MESSAGE == "Write"'}]
`;

type Job = { id: number; status: string };

async function runningJob(call: Api): Promise<Job> {
  const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Workshop', path: 'workshop' });
  await call.expect(201, 'POST', '/projects', { name: 'Lathe', path: 'lathe', namespace_id: group.id });
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Turn' },
    actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: config }],
  });
  return await begun(call);
}

/** The job, once its script runs. */
async function begun(call: Api): Promise<Job> {
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
  // The shell follows the window, down to its last visible column.
  const columns = (test: string) => `until [ $(stty size | cut -d' ' -f2) ${test} ]; do sleep 0.05; done`;
  await page.keyboard.type(`${columns('-lt 50')}; echo "narrow-$((1+1))"\n`);
  await screen(page, 'narrow-2');
  const overflow = await page.locator('.xterm-screen').evaluate((element) => {
    const [inner, outer] = [element, element.closest('.xterm')?.parentElement].map((one) =>
      one?.getBoundingClientRect(),
    );
    return inner && outer ? Math.max(inner.right - outer.right, inner.bottom - outer.bottom) : Number.NaN;
  });
  assert.ok(overflow <= 0, `the terminal is ${overflow} pixels larger than its place`);
  await look(page, 'job-terminal-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.keyboard.type(`${columns('-gt 100')}; echo "wide-é$((1+1))"\n`);
  await screen(page, 'wide-é2');
  await page.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/plain', 'echo "pasted-日本-😀-$((1+1))"');
    const place = document.querySelector('.xterm-helper-textarea');
    place.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
  })()`);
  await page.keyboard.type('\n');
  await screen(page, 'pasted-日本-😀-2');
  await page.keyboard.type('exit\n');
  await page.getByText('Terminal closed').waitFor();
  await page.getByRole('button', { name: 'Reconnect' }).click();
  await page.getByRole('status').getByText('Connected').waitFor();
}

/** `millrace job shell`, with pipes in place of a keyboard and a screen. */
function commandLine(url: string, job: Job) {
  const child = spawn(
    process.execPath,
    [join(root, 'dist/millrace.mjs'), 'job', 'shell', project, String(job.id), '--url', url],
    { env: { PATH: process.env.PATH ?? '', MILLRACE_TOKEN: rootToken }, stdio: ['pipe', 'pipe', 'pipe'] },
  );
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { type: (text: string) => void child.stdin.write(text), said: () => said, ended };
}

async function fromTheCommandLine(url: string, job: Job): Promise<void> {
  const shell = commandLine(url, job);
  shell.type('echo "from-$((1+1))"; echo finished > done; exit\n');
  assert.equal(await shell.ended, 0, shell.said());
  assert.match(shell.said(), /from-2/);
}

/** The job is canceled while somebody works in it, here and on its page. */
async function canceled(page: Page, call: Api, url: string): Promise<void> {
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, {
    ...{ branch: 'other', start_branch: 'main', commit_message: 'Turn' },
    actions: [{ action: 'create', file_path: 'OTHER.md', content: 'Lathe' }],
  });
  const job = await begun(call);
  await page.goto(`/${project}/-/jobs/${job.id}/terminal`);
  await page.getByRole('status').getByText('Connected').waitFor();
  const shell = commandLine(url, job);
  shell.type('echo "from-$((1+1))"\n');
  await until('the shell', 60, async () => shell.said().includes('from-2'));
  await call.expect(201, 'POST', `/projects/${id}/jobs/${job.id}/cancel`);
  assert.equal(await shell.ended, 1, shell.said());
  assert.match(shell.said(), /millrace: The job was canceled\n$/);
  await page.getByText('The job was canceled.').waitFor();
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

async function builtInRunner(page: Page, call: Api): Promise<void> {
  const [runner] = await call.expect<{ id: number }[]>(200, 'GET', '/runners/all');
  await page.goto('/admin/runners');
  const list = page.getByRole('list', { name: 'Runners' });
  await list.getByText('Built-in', { exact: true }).waitFor();
  await list.getByRole('button', { name: /^Pause runner/ }).waitFor();
  assert.equal(await page.getByRole('button', { name: /^Delete runner/ }).count(), 0);
  await look(page, 'runners-built-in');
  await page.goto(`/admin/runners/${runner?.id}`);
  await page.getByText('The built-in runner cannot be deleted.').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Delete', exact: true }).count(), 0);
  await look(page, 'runner-built-in');
}

/** Files that the job left: a page without its scripts, and a document. */
async function previews(page: Page, { id: number }: Job): Promise<void> {
  await page.goto(`/${project}/-/jobs/${number}/artifacts/browse?path=report`);
  await page.getByRole('link', { name: 'index.html' }).click();
  const preview = page.getByRole('region', { name: 'Preview of index.html' });
  const frame = preview.frameLocator('iframe');
  await frame.getByRole('heading', { name: 'Sharp' }).waitFor();
  assert.equal(await frame.getByText('cut').count(), 0, 'scripts of artifacts do not run');
  await look(page, 'artifact-page');
  await preview.getByText('Source', { exact: true }).click();
  await preview.getByText('document.body.append').waitFor();
  await page.getByRole('link', { name: 'README.md' }).click();
  await page.getByRole('heading', { name: 'Shavings' }).waitFor();
  await look(page, 'artifact-document');
}

async function secureFiles(page: Page, call: Api): Promise<void> {
  await page.goto(`/${project}/-/settings?part=secure-files`);
  await page.getByText('No secure files yet').waitFor();
  const upload = async (file: string, name: string) => {
    await page.getByRole('button', { name: 'Upload file' }).click();
    const form = page.getByRole('form', { name: 'Upload secure file' });
    await form.locator('input[type=file]').setInputFiles({
      ...{ name: file, mimeType: 'application/octet-stream' },
      buffer: Buffer.from(`the content of ${file}`),
    });
    await form.getByLabel('Name', { exact: true }).fill(name);
    await form.getByRole('button', { name: 'Upload' }).click();
    return form;
  };
  await upload('lathe.jks', '');
  const list = page.getByRole('list', { name: 'Secure files' });
  await list.getByText('lathe.jks').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  // The server's reason is told beside the name.
  const form = await upload('other.jks', 'lathe.jks');
  await form.getByText(/has already been taken/i).waitFor();
  await form.getByLabel('Name', { exact: true }).fill('release');
  await form.getByRole('button', { name: 'Upload' }).click();
  await list.getByText('release').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const download = page.waitForEvent('download');
  await list.getByRole('link', { name: 'Download release' }).click();
  const path = await (await download).path();
  assert.equal(readFileSync(path, 'utf8'), 'the content of other.jks');
  await look(page, 'secure-files');
  await page.setViewportSize({ width: 390, height: 900 });
  await look(page, 'secure-files-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await list.getByRole('button', { name: 'Delete release' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await list.getByText('release').waitFor({ state: 'detached' });
  const left = await call.expect<{ name: string }[]>(200, 'GET', `/projects/${id}/secure_files`);
  assert.deepEqual(
    left.map(({ name }) => name),
    ['lathe.jks'],
  );
}

export async function jobTerminalsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'shell' } });
  try {
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      const call = api(instance.url, rootToken);
      let job: Job | undefined;
      let written: Job | undefined;
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
      await suite.step('a canceled job says so in its terminals', async () => {
        await canceled(person.page, call, instance.url);
        assert.deepEqual(person.problems(), []);
      });
      await suite.step('the built-in runner can be paused, and not deleted', async () => {
        await builtInRunner(person.page, call);
        assert.deepEqual(person.problems(), []);
      });
      await suite.step('a long log is read in parts: line links and search cover all of it', async () => {
        written = await writtenJob(call);
        await longLog(person.page, written);
        assert.deepEqual(person.problems(), []);
      });
      await suite.step('pages and documents among its artifacts are shown, without scripts', async () => {
        assert.ok(written);
        await previews(person.page, written);
        // The browser says of each script that it did not run it.
        assert.deepEqual(
          person.problems().filter((problem) => !/script|sandbox/i.test(problem)),
          [],
        );
      });
      await suite.step('secure files are uploaded, downloaded and deleted', async () => {
        await secureFiles(person.page, call);
        assert.deepEqual(
          person.problems().filter((problem) => !problem.includes('secure_files')),
          [],
        );
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
