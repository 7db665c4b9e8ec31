/** Git LFS as people use it: the page of a large file, and git-lfs itself where the machine has it. */
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, api } from '../support/api.ts';
import { look, openWindow, withBrowser } from '../support/browser.ts';
import { git, has, run, withToken } from '../support/git.ts';
import { type Instance, rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const place = 'root/mill-models';
const carverPassword = 'chisel-7-oak-beams';

export async function lfsJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off', MILLRACE_SSH_PORT: 'off' } });
  const directory = mkdtempSync(join(tmpdir(), 'mr-e2e-lfs-'));
  try {
    const root = api(instance.url, rootToken);
    await root.expect(201, 'POST', '/projects', {
      name: 'Mill models',
      path: 'mill-models',
      initialize_with_readme: true,
    });
    await looks(suite, root, instance);
    await locks(suite, root, instance);
    await pathLocks(suite, root, instance);
    if (has('git-lfs')) await speaks(suite, instance, directory);
    else console.log('  not run: git-lfs is not on this machine');
  } finally {
    await instance.stop();
    instance.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function looks(suite: Suite, root: Api, { url }: Instance): Promise<void> {
  const bytes = randomBytes(3_500_000);
  const oid = createHash('sha256').update(bytes).digest('hex');
  await suite.required('an object of LFS is sent, and its pointer committed', async () => {
    const sent = await fetch(`${url}/${place}.git/gitlab-lfs/objects/${oid}/${bytes.length}`, {
      method: 'PUT',
      headers: { Authorization: `Basic ${Buffer.from(`root:${rootToken}`).toString('base64')}` },
      body: bytes,
    });
    assert.equal(sent.status, 200, await sent.text());
    await root.expect(201, 'POST', `/projects/${encodeURIComponent(place)}/repository/files/wheel.stl`, {
      branch: 'main',
      commit_message: 'Add the model of the wheel',
      content: `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${bytes.length}\n`,
    });
  });
  await suite.step('browser: the page of a large file tells its size and downloads it', async () => {
    await withBrowser(async (browser) => {
      const { page, problems } = await openWindow(browser, url);
      await signIn(page, { login: 'root', password: rootPassword });
      await page.goto(`/${place}/-/blob/main/wheel.stl`);
      await page.getByRole('heading', { name: 'wheel.stl' }).waitFor();
      await page.getByText('Stored with Git LFS').first().waitFor();
      await look(page, 'file-in-lfs');
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Download', exact: true }).click(),
      ]);
      assert.equal(download.suggestedFilename(), 'wheel.stl');
      assert.ok(readFileSync(await download.path()).equals(bytes));
      assert.deepEqual(problems(), []);
    });
  });
}

/** Locks a file as git-lfs does. */
async function lockFile(url: string, path: string, login: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/${place}.git/info/lfs/locks`, {
    method: 'POST',
    headers: {
      Authorization: `Basic ${Buffer.from(`${login}:${token}`).toString('base64')}`,
      Accept: 'application/vnd.git-lfs+json',
      'Content-Type': 'application/vnd.git-lfs+json',
    },
    body: JSON.stringify({ path }),
  });
  assert.equal(answer.status, 201, await answer.text());
}

async function locks(suite: Suite, root: Api, { url }: Instance): Promise<void> {
  await suite.step(
    'browser: locked files are listed; own ones are unlocked at once, those of others when one is sure',
    async () => {
      const person = {
        username: 'carver',
        name: 'Carver',
        email: 'carver@example.com',
        password: carverPassword,
      };
      const { id } = await root.expect<{ id: number }>(201, 'POST', '/users', { ...person, skip_confirmation: true });
      const project = `/projects/${encodeURIComponent(place)}`;
      await root.expect(201, 'POST', `${project}/members`, { user_id: id, access_level: 30 });
      const { token } = await root.expect<{ token: string }>(201, 'POST', `/users/${id}/personal_access_tokens`, {
        ...{ name: 'lfs', scopes: ['write_repository'] },
      });
      await lockFile(url, 'wheel.stl', 'root', rootToken);
      await lockFile(url, 'models/axle.stl', 'carver', token);
      await withBrowser(async (browser) => {
        const { page } = await openWindow(browser, url);
        await signIn(page, { login: 'root', password: rootPassword });
        await page.goto(`/${place}`);
        await page.getByRole('button', { name: 'Repository', exact: true }).click();
        await page.getByRole('menuitem', { name: 'Locks', exact: true }).click();
        await page.getByRole('link', { name: 'models/axle.stl' }).waitFor();
        await look(page, 'locked-files');
        await page.getByRole('button', { name: 'Unlock wheel.stl' }).click();
        await page.getByRole('link', { name: 'wheel.stl', exact: true }).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: 'Unlock models/axle.stl' }).click();
        await page.getByLabel('to confirm').fill('models/axle.stl');
        await look(page, 'locked-file-of-another');
        await page.getByRole('dialog').getByRole('button', { name: 'Unlock', exact: true }).click();
        await page.getByText('No locked files').waitFor();
        await look(page, 'no-file-locked');
        assert.deepEqual(await root.expect(200, 'GET', `${project}/path_locks`), []);
      });
    },
  );
}

async function pathLocks(suite: Suite, root: Api, { url }: Instance): Promise<void> {
  await suite.step('browser: a folder is locked on its page, marked in the list, and kept from others', async () => {
    const project = `/projects/${encodeURIComponent(place)}`;
    const change = (action: string, content: string) => ({
      branch: 'main',
      commit_message: 'Plan the wheel',
      actions: [{ action, file_path: 'plans/wheel.txt', content }],
    });
    await root.expect(201, 'POST', `${project}/repository/commits`, change('create', 'one'));
    await withBrowser(async (browser) => {
      const { page, problems } = await openWindow(browser, url);
      await signIn(page, { login: 'carver', password: carverPassword });
      await page.goto(`/${place}/-/tree/main/plans`);
      await page.getByRole('button', { name: 'Lock', exact: true }).click();
      await page.getByRole('button', { name: 'Unlock', exact: true }).waitFor();
      await page.getByText('Locked by Carver').waitFor();
      await look(page, 'folder-locked');
      await page.getByRole('link', { name: 'wheel.txt', exact: true }).click();
      await page.getByText('Locked by Carver, with plans').waitFor();
      await look(page, 'file-in-locked-folder');
      await page.goto(`/${place}/-/tree/main`);
      await page.getByRole('img', { name: 'Locked by Carver' }).waitFor();
      await look(page, 'folder-with-lock');
      assert.deepEqual(problems(), []);
    });
    const refused = await root.call('POST', `${project}/repository/commits`, change('update', 'two'));
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(refused.body), /'plans\/wheel\.txt' is in 'plans', which is locked by @carver/);
    await withBrowser(async (browser) => {
      const { page, problems } = await openWindow(browser, url);
      await signIn(page, { login: 'root', password: rootPassword });
      await page.goto(`/${place}/-/path_locks`);
      // The address of a file leads to the folder.
      await page.getByRole('link', { name: 'plans', exact: true }).click();
      await page.waitForURL(`**/${place}/-/tree/main/plans`);
      await page.getByRole('button', { name: 'Unlock', exact: true }).click();
      await page.getByLabel('to confirm').fill('plans');
      await page.getByRole('dialog').getByRole('button', { name: 'Unlock', exact: true }).click();
      await page.getByRole('button', { name: 'Lock', exact: true }).waitFor();
      assert.deepEqual(await root.expect(200, 'GET', `${project}/path_locks`), []);
      await root.expect(201, 'POST', `${project}/repository/commits`, change('update', 'two'));
      await page.goto(`/${place}/-/blob/main/nowhere.txt`);
      await page.getByRole('heading', { name: 'Page not found' }).waitFor();
      assert.deepEqual(
        problems().filter((each) => !each.includes('404')),
        [],
      );
    });
  });
}

async function speaks(suite: Suite, { url }: Instance, directory: string): Promise<void> {
  const remote = withToken(`${url}/${place}.git`, rootToken);
  const bytes = randomBytes(1_000_000);
  await suite.step('git-lfs: a large file is pushed, cloned, locked and unlocked', async () => {
    await git(directory, 'lfs', 'install', '--skip-repo');
    await git(directory, 'clone', '-q', remote, 'first');
    const first = join(directory, 'first');
    const at = (where: string, ...args: string[]) => run(where, args, { HOME: directory });
    const right = async (where: string, ...args: string[]) => {
      const ran = await at(where, ...args);
      assert.equal(ran.code, 0, `git ${args.join(' ')}\n${ran.stderr}`);
      return ran.stdout;
    };
    await right(first, 'lfs', 'track', '*.obj');
    writeFileSync(join(first, 'gate.obj'), bytes);
    await right(first, 'add', '.');
    await right(first, 'commit', '-q', '-m', 'Add the gate');
    await right(first, 'push', '-q', 'origin', 'main');
    await right(directory, 'clone', '-q', remote, 'second');
    assert.ok(readFileSync(join(directory, 'second/gate.obj')).equals(bytes));
    await right(first, 'lfs', 'lock', 'gate.obj');
    assert.match(await right(first, 'lfs', 'locks'), /gate\.obj/);
    await right(first, 'lfs', 'unlock', 'gate.obj');
  });
}
