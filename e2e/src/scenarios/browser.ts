/** The main job in a real browser: sign in, make a project, watch a pipeline, merge by clicking. Looks at every page too. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { sweepsOf } from '../../../scripts/lib/sweeps.ts';
import {
  accessible,
  counted,
  forms,
  holds,
  openWindow,
  type Person,
  screenshot,
  showAs,
  trafficOf,
  valued,
  withBrowser,
} from '../support/browser.ts';
import { git, withToken } from '../support/git.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';
import { commentsOnCommit } from './commit-comments.ts';

export interface BrowserInstance {
  readonly url: string;
  readonly token: string;
  readonly login: string;
  readonly password: string;
}

const readme = `# Tide clock

Shows the tide of a harbour. See [the guide](docs/guide.md) and run \`node src/clock.ts\`.

- [x] reads the table
- [ ] draws the moon

| Harbour | Offset |
| --- | --- |
| Brest | 0 min |
| Cuxhaven | 42 min |

<script>window.stolen = true</script><img src="src/clock.ts" onerror="window.stolen = true">
[press](javascript:window.stolen=true)
`;
const code = `/** Height of the tide. */
export interface Harbour {
  readonly name: string;
  readonly offsetMinutes: number;
}

const period = 12.42 * 60;

/** Metres above the chart's zero at a minute of the day. */
export function height(harbour: Harbour, minute: number): number {
  const phase = ((minute - harbour.offsetMinutes) / period) * 2 * Math.PI;
  return 3.2 + 2.8 * Math.cos(phase);
}

for (let hour = 0; hour < 24; hour++) {
  console.log(hour, height({ name: 'Brest', offsetMinutes: 0 }, hour * 60).toFixed(2));
}
`;
const pipeline = `stages: [check, build, publish]

lint:
  stage: check
  script:
    - printf '\\033[32mno findings\\033[0m\\n'

test:
  stage: check
  script:
    - printf 'section_start:%s:numbers[collapsed=true]\\r\\033[0KCounting\\n' "$(date +%s)"
    - for n in 1 2 3 4 5 6; do echo "line $n"; sleep 0.3; done
    - printf 'section_end:%s:numbers\\r\\033[0K\\n' "$(date +%s)"
    - printf '\\033[1;33mwarning\\033[0m about nothing\\n'
    - echo report > report.txt
  artifacts:
    paths: [report.txt]

package:
  stage: build
  needs: [test]
  script: [echo packed]

docs:
  stage: build
  script: [echo written]

release:
  stage: publish
  when: manual
  script: [echo released]
`;

function writeProject(folder: string): void {
  mkdirSync(join(folder, 'src'), { recursive: true });
  mkdirSync(join(folder, 'docs'), { recursive: true });
  writeFileSync(join(folder, 'README.md'), readme);
  writeFileSync(join(folder, 'src/clock.ts'), code);
  writeFileSync(join(folder, 'docs/guide.md'), '# Guide\n\nBack to [the start](../README.md).\n');
  writeFileSync(join(folder, '.gitlab-ci.yml'), pipeline);
  writeFileSync(join(folder, 'package.json'), '{\n  "name": "tide-clock",\n  "type": "module"\n}\n');
}

/** Waits until the page says what it is. */
async function settled(page: Page): Promise<void> {
  await page.getByRole('main').first().waitFor();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
}

/** The browser's part of the suite; `instance` is empty of the names that it uses. */
export async function browserJourney(suite: Suite, instance: BrowserInstance): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mr-browser-'));
  try {
    await withBrowser(async (browser) => walk(suite, instance, await openWindow(browser, instance.url), folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  await looks(suite, instance);
}

async function walk(suite: Suite, instance: BrowserInstance, person: Person, folder: string): Promise<void> {
  const { page } = person;
  const clean = () => assert.deepEqual(person.problems(), [], 'the page logged errors');

  await suite.required(
    'browser: a wrong password is refused in words, the right one signs in and goes back',
    async () => {
      await page.goto('/projects/new');
      await page.getByLabel('Username or email').fill(instance.login);
      await page.getByLabel(/^Password/).fill('not the password');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      // A refused sign-in is a failed request, which browsers log.
      person.problems();
      await page.getByLabel(/^Password/).fill(instance.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'New project' }).waitFor();
      clean();
    },
  );

  await suite.required('browser: a group, then a project in it, with the commands for a push', async () => {
    await page.goto('/groups/new');
    await page.getByLabel('Name').fill('Harbour');
    await page.getByRole('button', { name: 'Create group' }).click();
    await page.getByRole('heading', { name: 'Harbour' }).waitFor();
    await page.getByRole('link', { name: 'New project' }).click();
    await page.getByLabel('Name').fill('Tide clock');
    await page.keyboard.press('Control+Enter');
    await page.getByRole('heading', { name: 'This repository is empty' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/harbour/tide-clock');
    await page.getByText('git remote add origin').waitFor();
    await screenshot(page, 'empty-project');
    await accessible(page);
    clean();
  });

  await suite.required('browser: what is pushed appears by itself, with its README', async () => {
    writeProject(folder);
    await git(folder, 'init', '--quiet', '--initial-branch', 'main');
    await git(folder, 'add', '.');
    await git(folder, 'commit', '--quiet', '-m', 'Show the tide');
    await git(folder, 'push', '--quiet', withToken(`${instance.url}/harbour/tide-clock.git`, instance.token), 'main');
    await page.getByRole('link', { name: 'src', exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Tide clock', level: 1 }).last().waitFor();
    clean();
  });

  await suite.step('security 9: a README runs no script', async () => {
    await page.getByRole('cell', { name: 'Cuxhaven' }).waitFor();
    assert.equal(await page.evaluate('window.stolen'), undefined);
    assert.equal(await page.locator('a[href^="javascript:"], [onerror]').count(), 0);
  });

  await suite.step('browser: files, lines by address, history', async () => {
    await page.goto('/harbour/tide-clock/-/blob/main/src/clock.ts#L10-12');
    await page.getByRole('region', { name: 'Contents of clock.ts' }).waitFor();
    await counted(page.locator('[data-chosen]'), 3);
    await page.locator('[data-line="5"]').click();
    await page.waitForURL(/#L5$/);
    await page.goto('/harbour/tide-clock/-/commits/main');
    await page.getByRole('link', { name: 'Show the tide' }).click();
    await page.getByText('5 files changed').waitFor();
    clean();
  });

  await suite.step('browser: comments on a commit', async () => {
    await commentsOnCommit(page, '/harbour/tide-clock/-/commit/main');
    clean();
  });

  await suite.required('browser: a pipeline runs before one’s eyes, and so does the log of a job', async () => {
    await page.goto('/harbour/tide-clock/-/pipelines');
    await page
      .getByRole('link', { name: /Pipeline #/ })
      .first()
      .click();
    await page.getByRole('link', { name: /test/ }).click();
    await page
      .getByText('line 6')
      .or(page.getByRole('button', { name: 'Section numbers' }))
      .first()
      .waitFor({ timeout: 60_000 });
    await page.getByText('Job succeeded').waitFor({ timeout: 60_000 });
    await page.getByRole('button', { name: 'Section numbers' }).click();
    await page.getByText('line 6').waitFor();
    await page.getByRole('link', { name: 'artifacts.zip' }).waitFor();
    await page.getByText('Passed').first().waitFor();
    clean();
  });

  await suite.required('browser: a branch becomes a merge request and is merged by clicking', async () => {
    await git(folder, 'switch', '--quiet', '-c', 'fix/spring-tide');
    writeFileSync(
      join(folder, 'src/clock.ts'),
      code.replace('2.8', '3.1').replace('// ', '').replace('12.42', '12.4206'),
    );
    await git(folder, 'commit', '--quiet', '-am', 'Use the height of spring tides');
    await git(
      folder,
      'push',
      '--quiet',
      withToken(`${instance.url}/harbour/tide-clock.git`, instance.token),
      'fix/spring-tide',
    );
    await page.goto('/harbour/tide-clock/-/merge_requests/new?merge_request[source_branch]=fix/spring-tide');
    await page.getByRole('list', { name: 'Commits' }).waitFor();
    await valued(page.getByLabel('Title'), 'Use the height of spring tides');
    await page.getByLabel('Description').fill('The chart gives **3.1 m** for springs.');
    await page.getByRole('button', { name: 'Create merge request' }).click();
    await page.getByRole('heading', { name: 'Use the height of spring tides' }).waitFor();
    await page.getByRole('link', { name: 'Commits 1' }).waitFor();
    await page.getByRole('link', { name: 'Changes 1' }).click();
    await page.getByText('3.1 * Math.cos').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page
      .getByRole('button', { name: /^Merge/ })
      .first()
      .waitFor({ timeout: 60_000 });
    await screenshot(page, 'merge-box');
    await accessible(page);
    await page.getByRole('button', { name: /^Merge( now)?$/ }).click({ timeout: 60_000 });
    await page.getByText('Merged').first().waitFor();
    await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Merge requests' }).click();
    for (const tab of ['Open 0', 'Merged 1', 'All 1']) await page.getByText(tab, { exact: true }).waitFor();
    clean();
  });

  await suite.step('browser: the keyboard goes to tabs, the palette and the list', async () => {
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await page.waitForURL(/\/-\/pipelines$/);
    await page.getByRole('heading', { name: 'Pipelines', level: 1 }).waitFor();
    await page.locator('[data-entry]').first().waitFor();
    await page.keyboard.press('j');
    await holds(page, "document.activeElement?.hasAttribute('data-entry') === true");
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search projects, groups and pages').press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await page.getByLabel('Search projects, groups and pages').fill('tide');
    await page.getByRole('option', { name: 'Harbour / Tide clock', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/harbour\/tide-clock$/);
    clean();
  });
}

/** Name, address, and a text that says that it is there. */
const pages: readonly (readonly [name: string, path: string])[] = [
  ['projects', '/'],
  ['project', '/harbour/tide-clock'],
  ['blob', '/harbour/tide-clock/-/blob/main/src/clock.ts#L10-12'],
  ['commits', '/harbour/tide-clock/-/commits/main'],
  ['commit', '/harbour/tide-clock/-/commit/main'],
  ['branches', '/harbour/tide-clock/-/branches'],
  ['pipelines', '/harbour/tide-clock/-/pipelines'],
  ['pipeline', ''],
  ['job', ''],
  ['run-pipeline', '/harbour/tide-clock/-/pipelines/new'],
  ['merge-requests', '/harbour/tide-clock/-/merge_requests?state=all'],
  ['merge-request', '/harbour/tide-clock/-/merge_requests/1'],
  ['merge-request-diffs', '/harbour/tide-clock/-/merge_requests/1/diffs'],
  ['new-merge-request', '/harbour/tide-clock/-/merge_requests/new'],
  ['activity', '/harbour/tide-clock/-/activity'],
  ['members', '/harbour/tide-clock/-/project_members'],
  ['vulnerabilities', '/harbour/tide-clock/-/security/vulnerability_report'],
  ['settings', '/harbour/tide-clock/-/settings'],
  ['variables', '/harbour/tide-clock/-/settings?part=variables'],
  ['project-access-tokens', '/harbour/tide-clock/-/settings/access_tokens'],
  ['project-deploy-tokens', '/harbour/tide-clock/-/settings?part=deploy-tokens'],
  ['group', '/harbour'],
  ['group-access-tokens', '/groups/harbour/-/settings/access_tokens'],
  ['group-deploy-tokens', '/groups/harbour/-/settings?part=deploy-tokens'],
  ['new-project', '/projects/new'],
  ['imports', '/import/history'],
  ['remote-import', '/import/new'],
  ['admin-imports', '/admin/imports'],
  ['admin-usage', '/admin/usage'],
  ['admin-vulnerabilities', '/admin/vulnerability_report'],
  ['group-vulnerabilities', '/groups/harbour/-/security/vulnerability_report'],
  ['new-group', '/groups/new'],
  ['tokens', '/-/user_settings/personal_access_tokens'],
  ['profile', '/root'],
  ['profile-settings', '/-/user_settings/profile'],
  ['account', '/-/profile/account'],
  ['password', '/-/user_settings/password'],
  ['emails', '/-/profile/emails'],
  ['ssh-keys', '/-/user_settings/ssh_keys'],
  ['gpg-keys', '/-/user_settings/gpg_keys'],
  ['notifications', '/-/profile/notifications'],
  ['preferences', '/-/profile/preferences'],
  ['admin-users', '/admin/users'],
  ['admin-new-user', '/admin/users/new'],
  ['admin-user', '/admin/users/root'],
  ['admin-edit-user', '/admin/users/root/edit'],
  ['admin-runners', '/admin/runners'],
  ['admin-settings', '/admin/application_settings/general?search=password'],
  ['admin-settings-topics', '/admin/application_settings/general'],
  ['admin-settings-topic', '/admin/application_settings/general?topic=accounts'],
  ['admin-settings-changed', '/admin/application_settings/general?changed=true'],
  ['merge-settings', '/harbour/tide-clock/-/settings?part=merge'],
  ['missing', '/harbour/nothing-here'],
];

/** Pages before anybody is signed in. */
const openPages: readonly (readonly [name: string, path: string])[] = [
  ['sign-in', '/users/sign_in'],
  ['sign-up', '/users/sign_up'],
  ['forgotten-password', '/users/password/new'],
  ['new-password', '/users/password/edit?reset_password_token=x'],
  ['confirmation', '/users/confirmation?confirmation_token=x'],
  ['new-confirmation', '/users/confirmation/new'],
  ['help-instance-configuration', '/help/instance_configuration'],
];

/** Every page in light, dark and narrow (in a sampled run in one of them): pictures to look at, and no serious finding of axe. */
async function looks(suite: Suite, instance: BrowserInstance): Promise<void> {
  const { whole, seed } = sweepsOf(process.env, Date.now);
  const drawn = forms.filter((_form, index) => whole || index === seed % forms.length);
  await suite.step(`browser: every page is accessible: ${drawn.join(', ')}`, async () => {
    const found: string[] = [];
    await withBrowser(async (browser) => {
      const { page } = await openWindow(browser, instance.url);
      const traffic = trafficOf(page);
      // One load for all forms. The next page begins in the last of them, as on a telephone.
      const look = async (name: string) => {
        await settled(page);
        await traffic.quiet(100);
        await holds(page, "![...document.querySelectorAll('[aria-busy=true]')].some((part) => part.checkVisibility())");
        for (const form of drawn) {
          await showAs(page, form);
          const picture = form === 'light' ? name : `${name}-${form}`;
          await screenshot(page, picture);
          await accessible(page).catch((error: unknown) =>
            found.push(`${picture}: ${error instanceof Error ? error.message : String(error)}`),
          );
          const wide = await page.evaluate(
            'document.documentElement.scrollWidth > document.documentElement.clientWidth',
          );
          if (wide) found.push(`${picture}: wider than the window`);
        }
      };
      for (const [name, path] of openPages) {
        await page.goto(path);
        await look(name);
      }
      await signIn(page, instance);
      for (const [name, path] of pages) {
        if (name === 'pipeline') {
          await page.goto('/harbour/tide-clock/-/pipelines');
          await page
            .getByRole('link', { name: /Pipeline #/ })
            .last()
            .click();
          await page.getByRole('region', { name: 'Graph of jobs' }).waitFor();
        } else if (name === 'job') {
          await page.getByRole('link', { name: /test/ }).click();
          await page.getByText('Job succeeded').waitFor();
        } else await page.goto(path);
        await look(name);
      }
    });
    assert.deepEqual(found, []);
  });
}
