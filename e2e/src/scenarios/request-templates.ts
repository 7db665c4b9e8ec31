/** The texts that new merge requests start with: the project's own, files of the repository, and what a person wrote. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import type { Api } from '../support/api.ts';
import { headed, look, openPart, valued } from '../support/browser.ts';
import type { Suite } from '../support/suite.ts';

export async function requestTemplates(suite: Suite, page: Page, call: Api, project: string): Promise<void> {
  const id = encodeURIComponent(project);
  const folder = '.gitlab/merge_request_templates';
  const actions = [
    { action: 'create', file_path: `${folder}/Default.md`, content: '## What\n\n%{first_commit}\n' },
    { action: 'create', file_path: `${folder}/Repair.md`, content: '## Repair\n\nWhat broke?\n' },
  ];
  const body = { branch: 'main', commit_message: 'Add templates', actions };
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, body);
  const change = { branch: 'oil-it', start_branch: 'main', commit_message: 'Oil it\n\nIt creaked.' };
  const file = { action: 'create', file_path: 'oil.txt', content: 'oil\n' };
  await call.expect(201, 'POST', `/projects/${id}/repository/commits`, { ...change, actions: [file] });
  const form = `/${project}/-/merge_requests/new?merge_request%5Bsource_branch%5D=oil-it`;
  const description = page.getByLabel('Description');

  await suite.step(
    'a new merge request starts with the template, and what was typed is not replaced unasked',
    async () => {
      await page.goto(form);
      await headed(page, 'New merge request');
      await valued(page.getByLabel('Title'), 'Oil it');
      await valued(description, '## What\n\nOil it\n\nIt creaked.\n');
      await page.getByLabel('Template').selectOption('Repair');
      await valued(description, /What broke/);
      await description.fill('The hinge.');
      await page.getByLabel('Template').selectOption('');
      await look(page, 'merge-request-template');
      await page.getByRole('button', { name: 'Keep' }).click();
      await valued(description, 'The hinge.');
      await page.getByLabel('Template').selectOption('');
      await page.getByRole('button', { name: 'Replace' }).click();
      await valued(description, /It creaked/);
    },
  );
  await suite.step('a link fills in the title and the description of a new merge request', async () => {
    const given = { 'merge_request[title]': 'Oil it, twice', 'merge_request[description]': 'It still creaks.' };
    await page.goto(`${form}&${new URLSearchParams(given)}`);
    await valued(page.getByLabel('Title'), 'Oil it, twice');
    await valued(description, 'It still creaks.');
  });
  await suite.step('the description of the settings comes before the files, and is sent', async () => {
    await openPart(page, `/${project}/-/settings?part=merge`, 'Titles and messages');
    await page.getByLabel('Default description of new merge requests').fill('From %{source_branch}');
    await page.getByRole('button', { name: 'Save' }).last().click();
    await page.getByText('Saved.').waitFor();
    await page.goto(form);
    await valued(description, 'From oil-it');
    await page.getByRole('button', { name: 'Create merge request' }).click();
    await headed(page, 'Oil it');
    const [made] = await call.expect<{ description: string }[]>(200, 'GET', `/projects/${id}/merge_requests`);
    assert.equal(made?.description, 'From oil-it');
  });
}
