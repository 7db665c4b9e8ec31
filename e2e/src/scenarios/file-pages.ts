/** Pages of files in a real browser: made, edited, uploaded, replaced, deleted, blamed and found. Slow: every change is a commit, and its page is opened. */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import { type Api, api, until } from '../support/api.ts';
import { headed, holds, look, openWindow, ticked, valued, withBrowser } from '../support/browser.ts';
import { rootPassword, rootToken, startInstance } from '../support/instance.ts';
import { signIn } from '../support/signing-in.ts';
import type { Suite } from '../support/suite.ts';
import { hiddenCharacters } from './hidden-characters.ts';
import { requestTemplates } from './request-templates.ts';

const project = 'mill/wheel';
const id = encodeURIComponent(project);
const repository = `/projects/${id}/repository`;
const miller = { login: 'miller', password: 'grinds-4-sacks-at-dawn' };

const filed = (call: Api, path: string, ref = 'main') =>
  call.expect<string>(200, 'GET', `${repository}/files/${encodeURIComponent(path)}/raw?ref=${encodeURIComponent(ref)}`);
const arrived = (page: Page, address: string) => page.waitForURL((url) => url.pathname === `/${project}/-/${address}`);

async function populated(call: Api): Promise<void> {
  const group = await call.expect<{ id: number }>(201, 'POST', '/groups', { name: 'Mill', path: 'mill' });
  const made = await call.expect<{ id: number }>(201, 'POST', '/projects', { name: 'Wheel', namespace_id: group.id });
  const person = { username: miller.login, name: 'Miller', email: 'miller@example.com', password: miller.password };
  const user = await call.expect<{ id: number }>(201, 'POST', '/users', { ...person, skip_confirmation: true });
  await call.expect(201, 'POST', `/projects/${made.id}/members`, { user_id: user.id, access_level: 30 });
}

const drive = `import { mesh } from './cogs/mesh.ts';

export class Drive {
  turn() {
    return mesh(3);
  }
}
export const idle = () => null;
`;

/** A branch with code in two languages. */
async function branchWithSymbols(call: Api): Promise<void> {
  const create = (file_path: string, content: string) => ({ action: 'create', file_path, content });
  await call.expect(201, 'POST', `${repository}/commits`, {
    ...{ branch: 'outline', start_branch: 'main', commit_message: 'Add a drive' },
    actions: [create('src/drive.ts', drive), create('src/cogs/mesh.py', 'def mesh(teeth):\n    return teeth\n')],
  });
}

async function additions(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.required('an empty repository gets its first file', async () => {
    await page.goto(`/${project}`);
    await page.getByText('This repository is empty').waitFor();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('menuitem', { name: 'New file' }).click();
    await headed(page, 'New file');
    await page.getByLabel('File', { exact: false }).first().fill('src/wheel.ts');
    await page.getByLabel('Contents of src/wheel.ts').fill('export const paddles = 12;\nexport const turns = 3;\n');
    await look(page, 'file-new');
    await page.getByRole('button', { name: 'Commit changes' }).click();
    await arrived(page, 'blob/main/src/wheel.ts');
    await page.getByText('2 lines').waitFor();
    assert.equal(await filed(call, 'src/wheel.ts'), 'export const paddles = 12;\nexport const turns = 3;\n');
  });
  await suite.step('a link fills in a new file, its text and the message of its commit', async () => {
    const text = '---\n\n---\n\nTurn faster\n';
    const query = new URLSearchParams({ file_name: '.changeset/calm-wheel.md', file: text, commit_message: 'Say it' });
    await page.goto(`/${project}/-/new/main?${query}`);
    await headed(page, 'New file');
    await valued(page.getByLabel('File', { exact: false }).first(), '.changeset/calm-wheel.md');
    await valued(page.getByLabel('Commit message'), 'Say it');
    await page.getByRole('button', { name: 'Commit changes' }).click();
    await arrived(page, 'blob/main/.changeset/calm-wheel.md');
    assert.equal(await filed(call, '.changeset/calm-wheel.md'), text);
    const [last] = await call.expect<{ title: string }[]>(200, 'GET', `${repository}/commits?per_page=1`);
    assert.equal(last?.title, 'Say it');
  });
  await suite.step('several files are uploaded, and a directory is made', async () => {
    await page.goto(`/${project}`);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Upload files' }).click();
    const files = [
      { name: 'a.bin', mimeType: 'application/octet-stream', buffer: Buffer.from([0, 1, 2, 255]) },
      { name: 'b.txt', mimeType: 'text/plain', buffer: Buffer.from('b\n') },
    ];
    await page.locator('input[type=file]').setInputFiles(files);
    await look(page, 'file-upload');
    await page.getByRole('button', { name: 'Upload', exact: true }).click();
    await page.getByRole('link', { name: 'a.bin' }).waitFor();
    const bin = await call.expect<{ content: string }>(200, 'GET', `${repository}/files/a.bin?ref=main`);
    assert.equal(bin.content, 'AAEC/w==');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('menuitem', { name: 'New directory' }).click();
    await page.getByLabel('Name of the directory').fill('gears');
    await page.getByRole('button', { name: 'Create directory' }).click();
    await arrived(page, 'tree/main/gears');
    await page.getByRole('link', { name: '.gitkeep' }).waitFor();
  });
}

async function edits(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('two files are edited in one commit, and what was typed survives a reload', async () => {
    await page.goto(`/${project}/-/blob/main/src/wheel.ts`);
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await headed(page, 'Edit wheel.ts');
    await page.getByLabel('Contents of src/wheel.ts').fill('export const paddles = 16;\nexport const turns = 3;\n');
    await page.reload();
    await headed(page, 'Edit wheel.ts');
    await valued(page.getByLabel('Contents of src/wheel.ts'), /= 16/);
    await page.getByRole('link', { name: 'Edit another file' }).click();
    await headed(page, 'Find a file');
    await page.getByLabel('Part of the path').fill('btxt');
    await page.getByRole('link', { name: 'b.txt' }).waitFor();
    await page.locator('mark', { hasText: 'txt' }).first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowUp');
    await look(page, 'finder-marked');
    await page.keyboard.press('Enter');
    await headed(page, 'Edit b.txt');
    await page.getByLabel('Contents of b.txt').fill('b\nc\n');
    await page.getByText('Also in this commit').waitFor();
    await look(page, 'file-edit');
    await page.getByText('Changes', { exact: true }).click();
    await page.getByLabel('Changes of b.txt').getByRole('insertion').filter({ hasText: 'c' }).waitFor();
    await look(page, 'file-edit-changes');
    await page.getByText('Edit', { exact: true }).click();
    // Tab indents, and after Escape it leaves the editor.
    const text = page.getByLabel('Contents of b.txt');
    await text.press('Control+End');
    await text.press('Tab');
    await valued(text, /c\n\s+$/);
    await text.press('Control+z');
    await valued(text, 'b\nc\n');
    await text.press('Escape');
    await text.press('Tab');
    await until('the focus outside the editor', 60, () =>
      text.evaluate((element) => !element.contains(element.ownerDocument.activeElement)),
    );
    await page.getByLabel('Commit message').fill('More paddles, more letters');
    await page.getByRole('button', { name: 'Commit changes' }).click();
    await arrived(page, 'blob/main/b.txt');
    assert.match(await filed(call, 'src/wheel.ts'), /= 16/);
    const [last] = await call.expect<{ title: string }[]>(200, 'GET', `${repository}/commits?path=b.txt`);
    assert.equal(last?.title, 'More paddles, more letters');
  });
  await suite.step(
    'the tree beside the editor leads to other files of the commit, and marks what is changed',
    async () => {
      await page.goto(`/${project}/-/edit/main/src/wheel.ts`);
      await headed(page, 'Edit wheel.ts');
      await page.getByRole('button', { name: 'File tree' }).click();
      const tree = page.getByRole('tree', { name: 'Files' });
      await page.getByLabel('Contents of src/wheel.ts').fill('export const paddles = 20;\n');
      await tree.getByRole('treeitem', { name: 'wheel.ts, changed' }).waitFor();
      await tree.getByRole('treeitem', { name: 'b.txt' }).getByRole('link').click();
      await headed(page, 'Edit b.txt');
      await page.getByLabel('Contents of b.txt').fill('b\nc\nd\n');
      await tree.getByRole('treeitem', { name: 'b.txt, changed' }).waitFor();
      await tree.getByRole('treeitem', { name: 'wheel.ts, changed' }).waitFor();
      await look(page, 'file-edit-tree');
      await page.getByRole('button', { name: 'Discard draft' }).click();
      await tree.getByRole('treeitem', { name: 'b.txt', exact: true }).waitFor();
      await page.getByRole('button', { name: 'File tree' }).click();
    },
  );
  await suite.step(
    'a file that somebody changed meanwhile is told with ways on, and nothing typed is lost',
    async () => {
      await page.goto(`/${project}/-/edit/main/b.txt`);
      await headed(page, 'Edit b.txt');
      await page.getByLabel('Contents of b.txt').fill('mine\n');
      const theirs = { branch: 'main', commit_message: 'Theirs', content: 'theirs\n' };
      await call.expect(200, 'PUT', `${repository}/files/b.txt`, theirs);
      await page.getByRole('button', { name: 'Commit changes' }).click();
      await page.getByText('This file has changed in the meantime').waitFor();
      await valued(page.getByLabel('Contents of b.txt'), 'mine\n');
      await look(page, 'file-edit-conflict');
      await page.getByRole('button', { name: 'Commit to a new branch' }).click();
      await page.getByLabel('Name of the new branch').fill('mine');
      await page.getByRole('button', { name: 'Commit changes' }).click();
      await headed(page, 'New merge request');
      assert.deepEqual([await filed(call, 'b.txt', 'mine'), await filed(call, 'b.txt')], ['mine\n', 'theirs\n']);
    },
  );
  await suite.step('a file is replaced and deleted', async () => {
    await page.goto(`/${project}/-/blob/main/a.bin`);
    await page.getByText('Binary file').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Replace' }).click();
    const file = { name: 'z', mimeType: 'application/octet-stream', buffer: Buffer.from('text now\n') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByRole('dialog').getByRole('button', { name: 'Replace', exact: true }).click();
    await page.getByText('text now').waitFor();
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await look(page, 'file-delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await arrived(page, 'tree/main');
    await call.expect(404, 'GET', `${repository}/files/a.bin?ref=main`);
  });
}

/** A second of silence: 8 kHz, one channel, eight bits. */
function silence(): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + 8000, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(8000, 24);
  head.writeUInt32LE(8000, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(8000, 40);
  return Buffer.concat([head, Buffer.alloc(8000, 128)]);
}

async function previews(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('tables, drawings and sounds are shown; what is too large says so', async () => {
    const drawing =
      '<svg xmlns="http://www.w3.org/2000/svg" width="60" height="30" onload="top.stolen=1"><script>top.stolen=1</script><circle cx="15" cy="15" r="15"/></svg>';
    const file = (file_path: string, content: string | Buffer) => ({
      ...{ action: 'create', file_path, encoding: 'base64' },
      content: Buffer.from(content).toString('base64'),
    });
    const actions = [
      file('media/loads.csv', 'Day,Sacks\n"Monday, early",12\nTuesday,<b>9</b>\n'),
      file('media/wheel.svg', drawing),
      file('media/creak.wav', silence()),
      file('media/long.txt', 'grain\n'.repeat(400_000)),
    ];
    const body = { branch: 'main', commit_message: 'Add media', actions };
    await call.expect(201, 'POST', `${repository}/commits`, body);
    await page.goto(`/${project}/-/blob/main/media/loads.csv`);
    await page.getByRole('columnheader', { name: 'Sacks' }).waitFor();
    await page.getByRole('cell', { name: 'Monday, early', exact: true }).waitFor();
    await page.getByRole('cell', { name: '<b>9</b>', exact: true }).waitFor();
    await look(page, 'file-table');
    await page.getByText('Source', { exact: true }).click();
    await page.getByRole('region', { name: 'Contents of loads.csv' }).waitFor();
    await page.goto(`/${project}/-/blob/main/media/wheel.svg`);
    await page.getByRole('img', { name: 'wheel.svg' }).waitFor();
    await holds(page, 'document.querySelector(\'img[alt="wheel.svg"]\').naturalWidth === 60');
    assert.equal(await page.evaluate('window.stolen'), undefined);
    await look(page, 'file-drawing');
    await page.goto(`/${project}/-/blob/main/media/creak.wav`);
    await page.getByRole('button', { name: 'Play creak.wav' }).click();
    await holds(page, "document.querySelector('audio')?.duration === 1");
    await look(page, 'file-sound');
    await page.goto(`/${project}/-/blob/main/media/long.txt`);
    await page.getByText('too much to show here').waitFor();
    await look(page, 'file-too-large');
  });
}

async function readings(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step('a folder shows the last commit of each entry', async () => {
    await page.goto(`/${project}`);
    const files = page.getByRole('list', { name: 'Files' });
    await files.getByRole('link', { name: 'More paddles, more letters' }).waitFor();
    await look(page, 'tree-last-commits');
  });
  await suite.step('the tree beside a file is walked by keys', async () => {
    await branchWithSymbols(call);
    await page.goto(`/${project}/-/blob/outline/src/drive.ts`);
    await page.getByRole('button', { name: 'File tree' }).click();
    const entry = (name: string) => page.getByRole('treeitem', { name, exact: true });
    const focused = (name: string) => page.locator(`[role=treeitem][aria-label="${name}"]:focus`).waitFor();
    await entry('drive.ts').focus();
    await page.keyboard.press('ArrowLeft');
    await focused('src');
    await page.keyboard.press('ArrowLeft');
    await entry('drive.ts').waitFor({ state: 'detached' });
    await page.keyboard.press('End');
    await page.keyboard.press('Home');
    await page.keyboard.press('s');
    await focused('src');
    await page.keyboard.press('ArrowRight');
    await entry('cogs').waitFor();
    await page.keyboard.press('ArrowRight');
    await focused('cogs');
    await page.keyboard.press('ArrowRight');
    await entry('mesh.py').waitFor();
    await page.keyboard.press('m');
    await focused('mesh.py');
    await look(page, 'file-tree');
    await page.keyboard.press('Enter');
    await arrived(page, 'blob/outline/src/cogs/mesh.py');
    await page.getByText('def mesh').waitFor();
    await focused('mesh.py');
    // Shown again beside the next file, until somebody hides it.
    await page.reload();
    await entry('mesh.py').waitFor();
    await page.getByRole('button', { name: 'File tree' }).click();
    await entry('mesh.py').waitFor({ state: 'detached' });
  });
  await suite.step('symbols that could not be loaded are loaded by another try', async () => {
    const failing = async (files: string, act: () => Promise<void>) => {
      await page.route(files, (route) => route.abort());
      await Promise.all([page.waitForEvent('requestfailed'), act()]);
      await page.getByText('The symbols could not be loaded.').waitFor();
      await page.unroute(files);
    };
    const again = page.getByRole('button', { name: 'Try again' });
    await page.goto(`/${project}/-/blob/outline/src/drive.ts`);
    await failing('**/symbols.worker-*', () => page.getByRole('button', { name: 'Symbols' }).click());
    await failing('**/web-tree-sitter-*.wasm', () => again.click());
    await failing('**/tree-sitter-typescript-*.wasm', () => again.click());
    await again.click();
    await page.getByRole('list', { name: 'Symbols of drive.ts' }).getByRole('link', { name: 'Drive' }).waitFor();
    await page.getByRole('button', { name: 'Symbols' }).click();
  });
  await suite.step(
    'an outline lists symbols, and names lead to their definitions in any file of the commit',
    async () => {
      await page.goto(`/${project}/-/blob/outline/src/drive.ts`);
      await page.getByRole('button', { name: 'Symbols' }).click();
      const outline = page.getByRole('list', { name: 'Symbols of drive.ts' });
      await outline.getByRole('link', { name: 'Drive' }).waitFor();
      assert.deepEqual(await outline.getByRole('link').allTextContents(), ['classDrive', 'methodturn', 'functionidle']);
      const field = page.getByLabel('Filter symbols');
      await field.fill('idl');
      await outline.getByRole('link', { name: 'Drive' }).waitFor({ state: 'detached' });
      await field.press('ArrowDown');
      await look(page, 'file-symbols');
      await page.keyboard.press('Enter');
      await page.waitForURL(/#L8$/);
      await page
        .getByText('mesh', { exact: true })
        .first()
        .click({ modifiers: ['ControlOrMeta'] });
      // There is one definition: the click leads to it, and back is where the name was.
      await arrived(page, 'blob/outline/src/cogs/mesh.py');
      await page.waitForURL(/#L1$/);
      await page.getByRole('list', { name: 'Symbols of mesh.py' }).waitFor();
      await page.goBack();
      await arrived(page, 'blob/outline/src/drive.ts');
      const elsewhere = page.getByRole('list', { name: 'Definitions in other files' });
      await elsewhere.getByRole('link', { name: 'src/cogs/mesh.py:1' }).click();
      await arrived(page, 'blob/outline/src/cogs/mesh.py');
      await page.getByLabel('Filter symbols').fill('paddle');
      await page.getByLabel('Filter symbols').press('Enter');
      await page.getByText('No definition of "paddle" found').waitFor();
      await page.getByRole('button', { name: 'Symbols' }).click();
    },
  );
  await suite.step('lines are blamed, files found by t, addresses made permanent by y', async () => {
    await page.goto(`/${project}/-/blob/main/src/wheel.ts#L1-2`);
    await page.getByText('2 lines').waitFor();
    await look(page, 'file-blob');
    await page.keyboard.press('y');
    await page.waitForURL(
      (url) => /\/-\/blob\/[0-9a-f]{40}\/src\/wheel\.ts$/.test(url.pathname) && url.hash === '#L1-2',
    );
    await page.goto(`/${project}/-/blame/main/src/wheel.ts`);
    await page.getByRole('link', { name: 'More paddles, more letters' }).waitFor();
    await look(page, 'file-blame');
    await page.keyboard.press('t');
    await headed(page, 'Find a file');
    await look(page, 'file-find');
  });
  await suite.step('what is typed before the field for it is there is in the field, and is no shortcut', async () => {
    const slowly = (route: Route) => setTimeout(700).then(() => route.continue().catch(() => {}));
    const search = page.getByRole('button', { name: 'Search or go to' });
    for (const [open, files, field] of [
      [() => page.keyboard.press('t'), '**/assets/FindFilePage*', 'Part of the path'],
      [() => page.keyboard.press('Control+k'), '**/assets/Palette*', 'Search projects, groups and pages'],
      [() => search.click(), '**/assets/Palette*', 'Search projects, groups and pages'],
    ] as const) {
      // Neither its code nor its data are there at once.
      await page.route(files, slowly);
      await page.route('**/api/**', slowly);
      await page.goto(`/${project}/-/tree/main/src`);
      await page.getByRole('link', { name: 'wheel.ts' }).waitFor();
      await open();
      await page.keyboard.type('whyeelx', { delay: 30 });
      await page.keyboard.press('Backspace');
      await valued(page.getByLabel(field), 'whyeel');
      await page.keyboard.type('.ts');
      await valued(page.getByLabel(field), 'whyeel.ts');
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
    await page.keyboard.press('Escape');
    // Nor does it go into the field that the search was opened from.
    await page.goto(`/${project}/-/branches`);
    const filter = page.getByPlaceholder('Filter by name');
    await filter.click();
    await page.route('**/assets/Palette*', slowly);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('wheel', { delay: 30 });
    await valued(page.getByLabel('Search projects, groups and pages'), 'wheel');
    await valued(filter, '');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.keyboard.press('Escape');
  });
}

/** What a developer may on a protected branch. */
async function developer(suite: Suite, page: Page, call: Api): Promise<void> {
  await suite.step(
    'who may not push to a branch is offered a new one, and archived projects have no buttons',
    async () => {
      await page.goto(`/${project}/-/edit/main/b.txt`);
      await headed(page, 'Edit b.txt');
      assert.equal(await page.getByLabel('Commit to main').isDisabled(), true);
      await ticked(page.getByLabel('Commit to a new branch'), true);
      await page.getByLabel('Contents of b.txt').fill('from a developer\n');
      await page.getByLabel('Name of the new branch').fill('from-miller');
      await look(page, 'file-edit-protected');
      await page.getByRole('button', { name: 'Commit changes' }).click();
      await headed(page, 'New merge request');
      assert.equal(await filed(call, 'b.txt', 'from-miller'), 'from a developer\n');
      await call.expect(201, 'POST', `/projects/${id}/archive`);
      await page.goto(`/${project}/-/blob/main/b.txt`);
      await page.getByRole('link', { name: 'Blame' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Edit', exact: true }).count(), 0);
    },
  );
}

export async function filePagesJourney(suite: Suite): Promise<void> {
  const instance = await startInstance({ env: { MILLRACE_RUNNER: 'off' } });
  try {
    const call = api(instance.url, rootToken);
    await populated(call);
    await withBrowser(async (browser) => {
      const person = await openWindow(browser, instance.url);
      await signIn(person.page, { login: 'root', password: rootPassword });
      await additions(suite, person.page, call);
      await edits(suite, person.page, call);
      await previews(suite, person.page, call);
      await readings(suite, person.page, call);
      await hiddenCharacters(suite, { page: person.page, call, project, browser, url: instance.url });
      await requestTemplates(suite, person.page, call, project);
      await person.close();
    });
    await withBrowser(async (browser) => {
      const other = await openWindow(browser, instance.url);
      await signIn(other.page, miller);
      await developer(suite, other.page, call);
      await other.close();
    });
  } finally {
    await instance.stop();
    instance.remove();
  }
}
