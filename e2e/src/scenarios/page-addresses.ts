/** Addresses of pages as the ecosystem writes them, those that the API returns, the check of configurations, and links to lines. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { counted, headed, look, openWindow, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'post-office/sorting';
const id = encodeURIComponent(project);
const configuration = `include: /lint.yml
sort:
  script: [echo sorted]
`;

interface Made {
  readonly sha: string;
  readonly pipeline: number;
  readonly job: number;
  readonly snippet: number;
  /** Addresses that the API returned, each with the heading of its page. */
  readonly returned: readonly Visit[];
}
/** An address, the heading of its page, and the address of that page where it is another one. */
type Visit = readonly [address: string, heading: string, leads?: string];

async function populated(call: Api): Promise<Made> {
  const make = <T = { id: number; web_url: string }>(path: string, body: object) =>
    call.expect<T>(201, 'POST', path, body);
  const group = await make('/groups', { name: 'Post office', path: 'post-office' });
  const made = await make('/projects', { name: 'Sorting', path: 'sorting', namespace_id: group.id });
  const commit = await make<{ id: string; web_url: string }>(`/projects/${id}/repository/commits`, {
    ...{ branch: 'main', commit_message: 'Sort letters' },
    actions: [
      { action: 'create', file_path: '.gitlab-ci.yml', content: configuration },
      { action: 'create', file_path: 'lint.yml', content: 'weigh:\n  script: [echo weighed]\n' },
      { action: 'create', file_path: 'src/sort.ts', content: `${'const letter = 1;\n'.repeat(30)}` },
    ],
  });
  await make(`/projects/${id}/repository/commits`, {
    ...{ branch: 'stamps', start_branch: 'main', commit_message: 'Add stamps' },
    actions: [{ action: 'create', file_path: 'stamps.txt', content: 'a\n' }],
  });
  const branch = await call.expect<{ web_url: string }>(200, 'GET', `/projects/${id}/repository/branches/stamps`);
  await make(`/projects/${id}/repository/tags`, { tag_name: 'v1', ref: 'main' });
  const request = await make(`/projects/${id}/merge_requests`, {
    ...{ source_branch: 'stamps', target_branch: 'main', title: 'Add stamps' },
  });
  const issue = await make(`/projects/${id}/issues`, { title: 'A letter is lost' });
  const milestone = await make(`/projects/${id}/milestones`, { title: 'Christmas' });
  const release = await make<{ _links: { self: string } }>(`/projects/${id}/releases`, {
    tag_name: 'v1',
    name: 'First',
  });
  const snippet = await make(`/projects/${id}/snippets`, {
    ...{ title: 'Postmark', visibility: 'private', files: [{ file_path: 'a.txt', content: 'a\n' }] },
  });
  await make(`/projects/${id}/wikis`, { title: 'home', content: 'Letters' });
  const pipeline = await until('a pipeline', 60, async () => {
    const [first] = await call.expect<{ id: number; web_url: string }[]>(
      ...([200, 'GET', `/projects/${id}/pipelines?ref=main`] as const),
    );
    return first;
  });
  const jobs = await call.expect<{ id: number; name: string; web_url: string }[]>(
    ...([200, 'GET', `/projects/${id}/pipelines/${pipeline.id}/jobs`] as const),
  );
  const job = jobs.find(({ name }) => name === 'sort') ?? assert.fail('no job');
  const user = await call.expect<{ web_url: string }>(200, 'GET', '/user');
  const path = (url: string) => url.slice(call.url.length);
  return {
    ...{ sha: commit.id, pipeline: pipeline.id, job: job.id, snippet: snippet.id },
    returned: [
      [path(group.web_url), 'Post office'],
      [path(made.web_url), 'Sorting'],
      [path(user.web_url), 'Administrator'],
      [path(commit.web_url), 'Sort letters'],
      [path(branch.web_url), 'Files'],
      [path(request.web_url), 'Add stamps'],
      [path(issue.web_url), 'A letter is lost'],
      [path(milestone.web_url), 'Christmas'],
      [path(release._links.self), 'First'],
      [path(snippet.web_url), 'Postmark'],
      [path(pipeline.web_url), `Pipeline #${pipeline.id}`],
      [path(job.web_url), 'sort'],
    ],
  };
}

const settings = (part?: string) => `/${project}/-/settings${part ? `?part=${part}` : ''}`;
const groupSettings = (part?: string) => `/groups/post-office/-/settings${part ? `?part=${part}` : ''}`;

/** Pages of the reference's routes, for what exists here. */
const visits = ({ sha, pipeline, job, snippet }: Made): readonly Visit[] => {
  const below: Visit[] = [
    ['edit', 'Settings', settings()],
    ['settings/ci_cd', 'Settings', settings('pipelines')],
    ['settings/repository', 'Settings', settings('protected-branches')],
    ['settings/merge_requests', 'Settings', settings('merge')],
    ['settings/integrations', 'Settings', settings('integrations')],
    ['settings/access_tokens', 'Settings', settings('access-tokens')],
    ['hooks', 'Settings', settings('hooks')],
    ['deploy_keys', 'Settings', settings('deploy-keys')],
    ['protected_branches', 'Settings', settings('protected-branches')],
    ['protected_tags', 'Settings', settings('protected-tags')],
    ['variables', 'Settings', settings('variables')],
    ['runners', 'Settings', settings('runners')],
    ['labels', 'Settings', settings('labels')],
    ['tree/main', 'Files'],
    ['tree/main/src', 'src'],
    ['blob/main/src/sort.ts', 'sort.ts'],
    ['blame/main/src/sort.ts', 'Blame of sort.ts'],
    ['find_file/main', 'Find a file'],
    ['new/main', 'New file'],
    ['edit/main/src/sort.ts', 'Edit sort.ts'],
    ['commits', 'Commits'],
    ['commits/main', 'Commits'],
    [`commit/${sha}`, 'Sort letters'],
    ['branches', 'Branches'],
    ['branches/all', 'Branches', `/${project}/-/branches`],
    ['branches/active', 'Branches', `/${project}/-/branches`],
    ['tags', 'Tags'],
    ['tags/v1', 'Tags', `/${project}/-/tags?search=v1`],
    ['compare', 'Compare'],
    ['compare/main...stamps', 'Compare'],
    ['network/main', 'Graph'],
    ['releases', 'Releases'],
    ['releases/v1', 'First'],
    ['merge_requests', 'Merge requests'],
    ['merge_requests/new', 'New merge request'],
    ['merge_requests/1', 'Add stamps'],
    ['merge_requests/1/commits', 'Add stamps'],
    ['merge_requests/1/diffs', 'Add stamps'],
    ['merge_requests/1/pipelines', 'Add stamps'],
    ['merge_trains', 'Merge train'],
    ['issues', 'Issues'],
    ['issues/new', 'New issue'],
    ['issues/1', 'A letter is lost'],
    ['milestones', 'Milestones'],
    ['milestones/1', 'Christmas'],
    ['pipelines', 'Pipelines'],
    ['pipelines/new', 'Run pipeline'],
    ['pipelines/latest', `Pipeline #${pipeline}`, `/${project}/-/pipelines/${pipeline}`],
    [`pipelines/${pipeline}`, `Pipeline #${pipeline}`],
    [`pipelines/${pipeline}/builds`, `Pipeline #${pipeline}`, `/${project}/-/pipelines/${pipeline}`],
    ['jobs', 'Jobs'],
    [`jobs/${job}`, 'sort'],
    [`builds/${job}`, 'sort', `/${project}/-/jobs/${job}`],
    ['ci/editor', 'Pipeline editor'],
    ['ci/lint', 'Pipeline editor', `/${project}/-/ci/editor`],
    ['environments', 'Environments'],
    ['environments/new', 'New environment'],
    ['feature_flags', 'Feature flags'],
    ['packages', 'Package registry'],
    ['environments/folders/review', 'Environments', `/${project}/-/environments?search=review%2F`],
    ['security/vulnerability_report', 'Vulnerabilities'],
    ['snippets', 'Snippets'],
    [`snippets/${snippet}`, 'Postmark'],
    ['wikis', 'home'],
    ['wikis/home', 'home'],
    ['project_members', 'Members'],
    ['audit_events', 'Audit events'],
    ['forks/new', 'Fork Sorting'],
    ['path_locks', 'Locked files'],
    ['activity', 'Activity'],
  ];
  return [
    ...below.map(([address, ...rest]): Visit => [`/${project}/-/${address}`, ...rest]),
    [`/${project}/activity`, 'Activity', `/${project}/-/activity`],
    [`/${project}/issues/1`, 'A letter is lost', `/${project}/-/issues/1`],
    [`/${project}/blob/main/src/sort.ts`, 'sort.ts', `/${project}/-/blob/main/src/sort.ts`],
    ['/groups/post-office', 'Post office'],
    ['/groups/post-office/-/edit', 'Settings', groupSettings()],
    ['/groups/post-office/-/labels', 'Settings', groupSettings('labels')],
    ['/groups/post-office/-/hooks', 'Settings', groupSettings('hooks')],
    ['/groups/post-office/-/settings/repository', 'Settings', groupSettings('protected-branches')],
    ['/groups/post-office/-/issues', 'Issues'],
    ['/groups/post-office/-/merge_requests', 'Merge requests'],
    ['/groups/post-office/-/group_members', 'Members'],
    ['/groups/post-office/-/runners', 'Settings', groupSettings('runners')],
    ['/groups/post-office/-/milestones', 'Milestones'],
    ['/groups/post-office/-/audit_events', 'Audit events'],
    ['/groups', 'Groups', '/dashboard/groups'],
    ['/groups/new', 'New group'],
    ['/projects', 'Projects', '/'],
    ['/projects/new', 'New project'],
    ['/import/history', 'Imports'],
    ['/import/new', 'Import from another server'],
    ['/dashboard', 'Projects', '/'],
    ['/dashboard/projects/starred', 'Projects', '/?list=starred'],
    ['/dashboard/groups', 'Groups'],
    ['/dashboard/todos', 'To-dos'],
    ['/dashboard/merge_requests', 'Your work', '/dashboard/work'],
    ['/dashboard/snippets', 'Snippets', '/-/snippets'],
    ['/explore', 'Projects', '/?list=all'],
    ['/explore/groups', 'Groups', '/dashboard/groups'],
    ['/explore/projects/topics', 'Topics'],
    ['/explore/catalog', 'CI/CD catalog'],
    ['/explore/snippets', 'Snippets', '/-/snippets?scope=public'],
    ['/search', 'Search'],
    ['/help', 'Help'],
    ['/help/user/index.md', 'Help', '/help'],
    ['/help/instance_configuration', 'Instance configuration'],
    ['/-/profile/personal_access_tokens', 'Access tokens', '/-/user_settings/personal_access_tokens'],
    ['/-/profile/keys', 'SSH keys', '/-/user_settings/ssh_keys'],
    ['/profile', 'Profile', '/-/user_settings/profile'],
    ['/-/profile/preferences', 'Preferences'],
    ['/users/root', 'Administrator', '/root'],
    ['/u/root', 'Administrator', '/root'],
    ['/users/root/starred', 'Administrator', '/root?tab=starred'],
    ['/admin', 'Overview'],
    ['/admin/users', 'Users'],
    ['/admin/projects', 'Projects'],
    ['/admin/groups', 'Groups'],
    ['/admin/background_jobs', 'Background jobs'],
    ['/admin/imports', 'Imports'],
    ['/admin/usage', 'Usage and limits'],
    ['/admin/runners', 'Runners'],
    ['/admin/runner_fleet', 'Runner fleet', '/admin/runner_fleet'],
    ['/admin/application_settings', 'Settings', '/admin/application_settings/general'],
    ['/admin/application_settings/network', 'Settings', '/admin/application_settings/general'],
  ];
};

/** Goes to an address inside the application, as a link does: a whole load for each would take minutes. */
async function visit(page: Page, [address, heading, leads = address]: Visit): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(address)}); window.dispatchEvent(new PopStateEvent('popstate'))`,
  );
  const named = page.getByRole('main').getByRole('heading', { name: heading, exact: true });
  const lost = page.getByRole('heading', { name: /^(Page not found|Access denied|Something went wrong)$/ });
  await page.waitForURL((url) => url.pathname.replace(/(?<=.)\/$/, '') + url.search === leads);
  await named.or(lost).first().waitFor();
  assert.equal(await lost.count(), 0, `${address}: ${await lost.allTextContents()}`);
}

async function lints(page: Page): Promise<void> {
  await page.goto(`/${project}/-/ci/editor`);
  await headed(page, 'Pipeline editor');
  const text = page.getByLabel('Configuration');
  await valued(text, configuration);
  await page.getByRole('button', { name: 'Validate' }).click();
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('The configuration is valid.').waitFor();
  await counted(result.getByRole('list', { name: 'Jobs' }).locator('li'), 2);
  await result.getByRole('list', { name: 'Included files' }).getByText('lint.yml').waitFor();
  await result.getByRole('region', { name: 'Contents of merged.yml' }).getByText('echo weighed').waitFor();
  await look(page, 'ci-lint');
  await text.fill('sort:\n  script: 1\n  stage: nowhere\n');
  await text.press('Control+Enter');
  await result.getByText('The configuration is not valid').waitFor();
  await result.getByText(/stage/).first().waitFor();
  await look(page, 'ci-lint-errors');
}

/** Numbers of lines are links: the keyboard reaches and moves over them, and a browser can open or copy them. */
async function lineLinks(page: Page): Promise<void> {
  for (const kind of ['blob', 'blame']) {
    await page.goto(`/${project}/-/${kind}/main/src/sort.ts`);
    const line = (number: number) => page.getByRole('link', { name: `Line ${number}`, exact: true });
    await line(1).waitFor();
    assert.equal(await line(7).getAttribute('href'), '#L7');
    await line(1).focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/#L3$/);
    await line(5).click({ modifiers: ['Shift'] });
    await page.waitForURL(/#L3-5$/);
    await look(page, `line-links-${kind}`);
  }
  const heights = (await page.evaluate(
    `[...document.querySelectorAll('a[data-line]')].map((each) => Math.round(each.parentElement.getBoundingClientRect().height))`,
  )) as number[];
  assert.deepEqual([...new Set(heights)], [20], 'lines of a blame are as high as those of a file');
}

export async function pageAddressesJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const made = await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const { page, close } = await openWindow(browser, instance.url);
      page.setDefaultTimeout(20_000);
      await signIn(page, { login: 'root', password: rootPassword });
      const failures: string[] = [];
      const all = async (visited: readonly Visit[]) => {
        for (const each of visited)
          await visit(page, each).catch(async (error: Error) => {
            failures.push(`${each[0]}: ${error.message.split('\n', 1)[0]} at ${page.url()}`);
            await page.goto('/help');
          });
        assert.deepEqual(failures.splice(0), []);
      };
      await suite.step('addresses of the ecosystem lead to their pages', () => all(visits(made)));
      await suite.step('addresses that the API returns open their pages', () => all(made.returned));
      await suite.step('the server answers addresses of pages with the application', async () => {
        for (const [address] of [...made.returned, ...visits(made).slice(0, 5)]) {
          const answer = await fetch(instance.url + address, { headers: { Accept: 'text/html' } });
          assert.equal(answer.status, 200, address);
          assert.match(await answer.text(), /<div id="root">/, address);
        }
      });
      await suite.step('a configuration is checked on a page', () => lints(page));
      await suite.step('numbers of lines are links', () => lineLinks(page));
      await suite.step('filters of states have the words of badges', async () => {
        await page.goto(`/${project}/-/pipelines`);
        await page.getByLabel('Status').waitFor();
        const words = await page.getByLabel('Status').locator('option').allTextContents();
        assert.ok(words.includes('Passed') && words.includes('Pending') && !words.includes('success'), words.join());
        await page.getByLabel('Status').selectOption('Pending');
        await page.waitForURL(/status=pending/);
      });
      await close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
