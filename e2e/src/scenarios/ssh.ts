/** git over SSH as people use it: a key added in the browser, the host verified, OpenSSH's own client. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, api, until } from '../support/api.ts';
import { accessible, openWindow, type Person, screenshot, withBrowser } from '../support/browser.ts';
import { has, type Ran, run, runProgram } from '../support/git.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

interface Served {
  readonly user: string;
  readonly host: string;
  readonly port: number;
  readonly host_keys: readonly { readonly key: string; readonly fingerprint_sha256: string }[];
}

export async function sshJourney(suite: Suite): Promise<void> {
  if (!has('ssh') || !has('ssh-keygen')) {
    console.log('  -- git over SSH is left out: this machine has no OpenSSH client (ssh, ssh-keygen)');
    return;
  }
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off', MILLRACE_SSH_PORT: '0' } });
  const directory = mkdtempSync(join(tmpdir(), 'mr-e2e-ssh-'));
  try {
    const root = api(instance.url, rootToken);
    await root.expect(201, 'POST', '/projects', { name: 'Lock gates', path: 'lock-gates' });
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      await looks(suite, person, directory);
      await speaks(suite, root, person, directory);
      await offersNoMore(suite, root, person);
    });
  } finally {
    await instance.stop();
    instance.remove();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function keyPair(directory: string, name: string): Promise<string> {
  const made = await runProgram('ssh-keygen', directory, ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', name]);
  assert.equal(made.code, 0, made.stderr);
  return readFileSync(join(directory, `${name}.pub`), 'utf8');
}

async function looks(suite: Suite, { page, problems }: Person, directory: string): Promise<void> {
  await suite.required(
    'browser: an SSH key is added, the host is verified, an empty project says what to type',
    async () => {
      await signIn(page, { login: 'root', password: rootPassword });
      await page.goto('/-/user_settings/ssh_keys');
      await page.getByLabel('Public key').fill(await keyPair(directory, 'known'));
      await page.getByRole('button', { name: 'Add key' }).click();
      await page.getByRole('list', { name: 'SSH keys' }).getByText('never used').waitFor();
      await page.getByRole('link', { name: 'SSH host key fingerprints' }).click();
      await page.getByRole('heading', { name: 'Instance configuration' }).waitFor();
      await page.getByRole('cell', { name: 'ssh-ed25519', exact: true }).waitFor();
      await screenshot(page, 'instance-configuration');
      await accessible(page);
      await page.goto('/root/lock-gates');
      await page.getByText('git clone http').waitFor();
      await page.getByText('SSH', { exact: true }).click();
      await page.getByText('git clone ssh://').waitFor();
      await page.getByRole('button', { name: 'Clone', exact: true }).click();
      await page.getByRole('textbox', { name: 'SSH' }).waitFor();
      await screenshot(page, 'clone-ssh');
      await accessible(page);
      assert.deepEqual(problems(), []);
    },
  );
}

async function speaks(suite: Suite, root: Api, { page }: Person, directory: string): Promise<void> {
  const { ssh } = await root.expect<{ ssh: Served }>(200, 'GET', '/instance_configuration');
  const { ssh: address } = await root.expect<{ ssh: string }>(200, 'GET', '/projects/root%2Flock-gates/git_addresses');
  const hosts = (keys: readonly string[]) => keys.map((key) => `[${ssh.host}]:${ssh.port} ${key}\n`).join('');
  writeFileSync(join(directory, 'hosts'), hosts(ssh.host_keys.map(({ key }) => key)));
  const options = (key: string, known: string) => [
    ...['-F', 'none', '-i', join(directory, key), '-p', String(ssh.port)],
    ...['IdentitiesOnly=yes', 'BatchMode=yes', 'StrictHostKeyChecking=yes', 'GlobalKnownHostsFile=/dev/null']
      .concat(`UserKnownHostsFile=${join(directory, known)}`)
      .flatMap((option) => ['-o', option]),
  ];
  const greeting = (key: string, known: string): Promise<Ran> =>
    runProgram('ssh', directory, ['-T', ...options(key, known), `${ssh.user}@${ssh.host}`]);
  const env = { GIT_SSH_COMMAND: ['ssh', ...options('known', 'hosts')].join(' ') };
  const git = async (at: string, ...args: string[]): Promise<void> => {
    const ran = await run(at, args, env);
    assert.equal(ran.code, 0, `git ${args.join(' ')}\n${ran.stderr}`);
  };

  await suite.required('OpenSSH: the host keys of the API let it in, it is greeted, clones and pushes', async () => {
    const shown = await runProgram('ssh-keygen', directory, ['-l', '-f', 'hosts']);
    for (const { fingerprint_sha256 } of ssh.host_keys) assert.ok(shown.stdout.includes(fingerprint_sha256));
    const greeted = await greeting('known', 'hosts');
    assert.deepEqual([greeted.code, greeted.stdout], [0, 'Welcome to Millrace, @root!\n'], greeted.stderr);
    await git(directory, 'clone', '-q', address, 'first');
    const first = join(directory, 'first');
    writeFileSync(join(first, 'README.md'), '# Lock gates\n');
    await git(first, 'switch', '-q', '--create', 'main');
    await git(first, 'add', '.');
    await git(first, 'commit', '-q', '-m', 'Add README');
    await git(first, 'push', '-q', '--set-upstream', 'origin', 'main');
    await git(directory, 'clone', '-q', address, 'second');
    assert.equal(readFileSync(join(directory, 'second/README.md'), 'utf8'), '# Lock gates\n');
    await root.expect(200, 'GET', '/projects/root%2Flock-gates/repository/branches/main');
  });
  await suite.step('OpenSSH: an unknown key and another host key are refused', async () => {
    await keyPair(directory, 'unknown');
    const refused = await greeting('unknown', 'hosts');
    assert.deepEqual([refused.code, refused.stdout], [255, '']);
    assert.match(refused.stderr, /Permission denied \(publickey\)/);
    const other = readFileSync(join(directory, 'unknown.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
    writeFileSync(join(directory, 'others'), hosts([other]));
    const doubted = await greeting('known', 'others');
    assert.equal(doubted.code, 255);
    assert.match(doubted.stderr, /Host key verification failed/);
  });
  await suite.step('browser: the key of a clone was used', async () => {
    await page.goto('/-/user_settings/ssh_keys');
    await page.getByRole('heading', { name: 'SSH keys', exact: true }).waitFor();
    // Uses are written some seconds after they happened.
    await until('the use of the key', 60, async () => {
      await page.reload();
      await page.getByRole('list', { name: 'SSH keys' }).waitFor();
      return (await page.getByText('never used').count()) === 0;
    });
    await screenshot(page, 'ssh-keys-used');
    await accessible(page);
  });
}

async function offersNoMore(suite: Suite, root: Api, { page, problems }: Person): Promise<void> {
  await suite.step('browser: where git may only use HTTP, no page offers SSH', async () => {
    await root.expect(200, 'PUT', '/application/settings', { enabled_git_access_protocol: 'http' });
    await page.goto('/root/lock-gates');
    await page.getByRole('button', { name: 'Clone', exact: true }).click();
    await page.getByRole('textbox', { name: 'HTTP' }).waitFor();
    assert.equal(await page.getByRole('textbox', { name: 'SSH' }).count(), 0);
    await page.goto('/help/instance_configuration');
    await page.getByText('git over SSH is not available on this instance.').waitFor();
    assert.deepEqual(problems(), []);
  });
}
