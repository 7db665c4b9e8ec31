/** Every page of a repository in dark mode and on a telephone: nothing wider than the window, nothing that axe refuses. Slow: there are many. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { type Api, api } from '../support/api.ts';
import { look, openWindow, showAs, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';

const project = 'cartographers/atlas-of-the-northern-sea';
const id = encodeURIComponent(project);
const repository = `/projects/${id}/repository`;
/** Names that have no place to break. */
const long = 'measure-the-depths-between-the-skerries-and-the-mainland-again';
const folder = 'charts/northern-archipelago/between-the-skerries-and-the-mainland';

const code = `/** ${'A comment that goes on and on. '.repeat(8)} */
export const soundings: ReadonlyMap<string, readonly number[]> = new Map([['${long}', [12, 11, 9, 14, 20, 33, 41, 27]]]);
export const fathoms = (metres: number): number => metres / 1.8288;
`;
const readme = `# Atlas of the northern sea

| Chart | Surveyed | By | Scale | Printed | Corrected | Remarks |
| --- | --- | --- | --- | --- | --- | --- |
| ${long} | 1871 | Lund | 1:50000 | 1880 | 2026 | aTableThatIsWiderThanAnyTelephone |

\`\`\`ts
${code}\`\`\`

https://example.com/${long}/${long}
`;

interface Made {
  readonly sha: string;
  readonly hook: number;
}

async function populated(call: Api): Promise<Made> {
  const group = { name: 'Cartographers', path: 'cartographers' };
  const { id: namespace } = await call.expect<{ id: number }>(201, 'POST', '/groups', group);
  const made = { name: 'Atlas of the northern sea', namespace_id: namespace, description: `Soundings. ${long}` };
  await call.expect(201, 'POST', '/projects', made);
  const commit = (branch: string, message: string, actions: object[], start?: string) =>
    call.expect<{ id: string }>(201, 'POST', `${repository}/commits`, {
      ...{ branch, commit_message: message, actions },
      ...(start ? { start_branch: start } : {}),
    });
  const create = (file_path: string, content: string) => ({ action: 'create', file_path, content });
  await commit('main', 'Begin the atlas', [
    create('README.md', readme),
    create(`${folder}/soundings.ts`, code),
    create('table.csv', `${'column,'.repeat(20)}last\n${'12,'.repeat(20)}13\n`),
  ]);
  const changed = [
    { action: 'update', file_path: `${folder}/soundings.ts`, content: code.replace('12, 11', '13, 11') },
    create(`notes/${long}.md`, '# Notes\n'),
  ];
  const { id: sha } = await commit(long, `Measure ${long} ${'again '.repeat(12)}\n\nBy boat.`, changed, 'main');
  await commit('main', 'Name the buoys', [create('buoys.txt', 'north\nsouth\n')]);
  await call.expect(201, 'POST', `${repository}/commits/${sha}/comments`, {
    ...{ note: `Looks right: \`${long}\``, path: `${folder}/soundings.ts`, line: 2, line_type: 'new' },
  });
  for (const tag_name of ['v1.0', `v2.0-${long}`])
    await call.expect(201, 'POST', `${repository}/tags`, { tag_name, ref: 'main', message: `Edition ${tag_name}` });
  const release = { tag_name: 'v1.0', name: 'First edition', description: readme };
  await call.expect(201, 'POST', `/projects/${id}/releases`, {
    ...release,
    assets: { links: [{ name: long, url: `https://example.com/${long}` }] },
  });
  await call.expect(201, 'POST', `/projects/${id}/protected_branches`, { name: `release/${long}/*` });
  await call.expect(201, 'POST', `/projects/${id}/protected_tags`, { name: 'v*' });
  await call.expect(201, 'POST', `/projects/${id}/merge_requests`, {
    ...{ source_branch: long, target_branch: 'main', title: `Measure ${long}`, description: readme },
  });
  const hook = await call.expect<{ id: number }>(201, 'POST', `/projects/${id}/hooks`, {
    ...{ url: `https://example.com/${long}/${long}`, name: long, description: long, push_events: true },
  });
  return { sha, hook: hook.id };
}

/** Addresses below the project, and something that stands on the page when it is there. */
const pages = ({ sha }: Made): ReadonlyArray<readonly [name: string, address: string, text: string]> => [
  ['project', '', 'buoys.txt'],
  ['folder', `/-/tree/main/${folder}`, 'soundings.ts'],
  ['blob', `/-/blob/main/${folder}/soundings.ts`, 'fathoms'],
  ['document', '/-/blob/main/README.md', 'Surveyed'],
  ['table', '/-/blob/main/table.csv', 'last'],
  ['blame', `/-/blame/${long}/${folder}/soundings.ts`, 'fathoms'],
  ['edit', `/-/edit/main/${folder}/soundings.ts`, 'Commit message'],
  ['new', `/-/new/main/${folder}`, 'Commit message'],
  ['finder', '/-/find_file/main', 'soundings.ts'],
  ['commits', `/-/commits/${long}`, 'Begin the atlas'],
  ['commit', `/-/commit/${sha}`, 'Looks right'],
  ['compare', `/-/compare/main...${long}`, '1 commit'],
  ['graph', `/-/network/${long}?all=true`, 'Name the buoys'],
  ['branches', '/-/branches', long],
  ['contributors', `/-/graphs/${long}`, 'Administrator'],
  ['forks', '/-/forks', 'No forks yet'],
  ['starrers', '/-/starrers', 'No stars yet'],
  ['tags', '/-/tags', 'v1.0'],
  ['releases', '/-/releases', 'First edition'],
  ['release', '/-/releases/v1.0', 'Source code (zip)'],
  ['release-edit', '/-/releases/v1.0/edit', 'Asset links'],
  ['locks', '/-/path_locks', 'No locked files'],
  ['members', '/-/project_members', 'Administrator'],
  ['merge-requests', '/-/merge_requests', `Measure ${long}`],
  ['merge-request', '/-/merge_requests/1', 'Surveyed'],
  ['merge-request-commits', '/-/merge_requests/1/commits', 'again again'],
  ['merge-request-diffs', '/-/merge_requests/1/diffs', 'fathoms'],
  ['merge-request-new', `/-/merge_requests/new?source=${long}`, 'Squash'],
  ['settings-branches', '/-/settings?part=protected-branches', 'Branch or pattern'],
  ['settings-tags', '/-/settings?part=protected-tags', 'v*'],
  ['settings-hooks', '/-/settings?part=hooks', 'Add a masked part'],
  ['settings-accounts', '/-/settings?part=service-accounts', 'New service account'],
  ['activity', '/-/activity', 'Administrator'],
];

/** Dialogs stand over the page that opens them. */
async function dialogs(page: Page, looked: (name: string) => Promise<void>): Promise<void> {
  const open = async (address: string, name: string, item: string) => {
    await page.goto(`/${project}${address}`);
    await page.getByRole('button', { name, exact: true }).click();
    await page.getByRole('menuitem', { name: item }).click();
    await page.getByRole('dialog').waitFor();
    await looked(item.split(' ')[0]?.toLowerCase() ?? '');
  };
  await open('', 'Add', 'Upload files');
  await open(`/-/blob/main/${folder}/soundings.ts`, 'More', 'Delete');
}

export async function allPagesJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const made = await populated(api(instance.url, rootToken));
    await withBrowser(async (browser) => {
      const { page, problems } = await openWindow(browser, instance.url);
      await signIn(page, { login: 'root', password: rootPassword });
      const looked = async (name: string) => {
        for (const form of ['dark', 'narrow'] as const) {
          await showAs(page, form);
          await look(page, `page-${form}-${name}`);
          const [is, may] = (await page.evaluate(
            '[document.documentElement.scrollWidth, window.innerWidth]',
          )) as number[];
          assert.equal(is, may, `${page.url()} is wider than the window`);
        }
      };
      for (const [name, address, text] of pages(made))
        await suite.step(`every page of a repository, dark and on a telephone: ${name}`, async () => {
          await page.goto(`/${project}${address}`);
          await page.getByRole('main').getByText(text).first().waitFor();
          await looked(name);
          assert.deepEqual(problems(), []);
        });
      await suite.step('every page of a repository, dark and on a telephone: dialogs', () => dialogs(page, looked));
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
