/** What new merge requests start with: the form asks for it, a push without words takes it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { firstDescription } from './messages.ts';

let app: TestApp;
let git: GitClient;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
});
afterAll(async () => {
  await git.close();
  await app.close();
});

const words = (project: RepositoryProject, source_branch: string, more: Record<string, string> = {}, token?: string) =>
  project.api('GET', '/merge_requests/new', { query: { source_branch, ...more }, ...(token ? { token } : {}) });
const single = (project: RepositoryProject, branch: string, message: string) =>
  project.commit(branch, { [unique('file')]: 'x' }, { start_branch: 'main', commit_message: message });

describe('without a template', () => {
  it('the only commit says title and description; more of them leave the name of the branch', async () => {
    const project = await buildRepositoryProject(app);
    await single(project, 'oil-the-hinge', 'Oil the hinge\n\nIt creaked.');
    expect((await words(project, 'oil-the-hinge')).body).toEqual({
      title: 'Oil the hinge',
      description: 'It creaked.',
    });
    await project.commit('oil-the-hinge', { [unique('file')]: 'y' }, { commit_message: 'More oil' });
    expect((await words(project, 'oil-the-hinge')).body).toEqual({ title: 'Oil the hinge', description: null });
    await single(project, 'fix/a_door', 'One');
    await project.commit('fix/a_door', { [unique('file')]: 'y' }, { commit_message: 'Two' });
    expect((await words(project, 'fix/a_door')).body).toEqual({ title: 'Fix a door', description: null });
  });
});

describe('templates', () => {
  it('[3/fields.project/1] the file Default of the default branch, in any spelling, comes before the commit', async () => {
    const files = { 'README.md': 'x', '.gitlab/merge_request_templates/dEfault.md': '## What\n\n%{first_commit}\n' };
    const project = await buildRepositoryProject(app, { files });
    await single(project, 'one', 'Oil it\n\nIt creaked.');
    expect((await words(project, 'one')).body.description).toBe('## What\n\nOil it\n\nIt creaked.\n');
    await project.commit('one', [
      { action: 'update', file_path: '.gitlab/merge_request_templates/dEfault.md', content: 'of the branch' },
    ]);
    expect((await words(project, 'one')).body.description).toMatch(/^## What/);
  });

  it('[3/fields.project/1] the text of the project comes before the file', async () => {
    const files = { 'README.md': 'x', '.gitlab/merge_request_templates/Default.md': 'of the file' };
    const settings = { merge_requests_template: '%{source_branch} > %{target_branch}' };
    const project = await buildRepositoryProject(app, { files, settings });
    await single(project, 'one', 'Oil it\n\nIt creaked.');
    expect((await words(project, 'one')).body.description).toBe('one > main');
    expect((await words(project, 'one', { target_branch: 'other' })).body.description).toBe('one > other');
    await project.api('PUT', '', { json: { merge_requests_template: ' ' } });
    expect((await words(project, 'one')).body.description).toBe('of the file');
  });

  it('a request that is made with words, or with none over the API, is left as it is', async () => {
    const project = await buildRepositoryProject(app, { settings: { merge_requests_template: 'What:' } });
    await single(project, 'one', 'Oil it');
    const json = { source_branch: 'one', target_branch: 'main', title: 'One' };
    const made = await project.api('POST', '/merge_requests', { json });
    expect([made.status, made.body.description]).toEqual([201, null]);
  });

  it('[3/fields.project/1] a push that makes a request without words takes it; its own words win', async () => {
    const project = await buildRepositoryProject(app, {
      settings: { merge_requests_template: 'What:\n%{all_commits}' },
    });
    const developer = await project.member(30);
    const clone = unique('clone');
    await git.run(['clone', '-q', project.remote(developer.secret), clone]);
    for (const [branch, option] of [
      ['a', []],
      ['b', ['-o', 'merge_request.description=mine']],
    ] as const) {
      await git.run(['checkout', '-q', '-B', branch, 'origin/main'], clone);
      await git.commit(clone, unique('file'), 'x', `Change ${branch}`);
      await git.run(['push', '-q', '-o', 'merge_request.create', ...option, 'origin', branch], clone);
    }
    const made = await project.api<Json[]>('GET', '/merge_requests', { query: { order_by: 'title', sort: 'asc' } });
    expect(made.body.map(({ title, description }) => [title, description])).toEqual([
      ['Change a', 'What:\n* Change a'],
      ['Change b', 'mine'],
    ]);
  });
});

describe('who asks', () => {
  it('from a fork: the words of the origin, which keeps nothing of it', async () => {
    const upstream = await buildRepositoryProject(app, {
      visibility: 'public',
      settings: { merge_requests_template: 'Thank you\n%{first_commit}' },
    });
    const bob = await buildToken(app);
    const api = (method: 'GET' | 'POST', path: string, parts: Json = {}) =>
      app.api<Json>(method, path, { token: bob.secret, ...parts });
    const { body: fork } = await api('POST', `/projects/${upstream.id}/fork`, { json: { path: unique('fork') } });
    await eventually(
      'the copy',
      async () => (await api('GET', `/projects/${fork.id}`)).body.import_status === 'finished',
    );
    // The origin went on: the fork does not have its last commit.
    await upstream.commit('main', { later: 'x' });
    const actions = [{ action: 'create', file_path: 'mine', content: 'x' }];
    const json = { branch: 'mine', start_branch: 'main', commit_message: 'Mine', actions };
    const commit = await api('POST', `/projects/${fork.id}/repository/commits`, { json });
    const query = { source_branch: 'mine', target_project_id: String(upstream.id) };
    const asked = await api('GET', `/projects/${fork.id}/merge_requests/new`, { query });
    expect(asked.body).toEqual({ title: 'Mine', description: 'Thank you\nMine' });
    expect((await upstream.api('GET', `/repository/commits/${commit.body.id}`)).status).toBe(404);
  });

  it('strangers, missing branches and projects that are no relatives are not found', async () => {
    const project = await buildRepositoryProject(app);
    const other = await buildRepositoryProject(app, { owner: project.owner });
    await single(project, 'one', 'One');
    const statuses = [
      await words(project, 'one', {}, (await buildToken(app)).secret),
      await words(project, 'none'),
      await words(project, 'one', { target_project_id: String(other.id) }),
      await words(project, 'one', { target_project_id: '999999999' }),
      await project.api('GET', '/merge_requests/new'),
    ].map(({ status }) => status);
    expect(statuses).toEqual([404, 404, 404, 404, 400]);
  });
});

describe('variables of a description', () => {
  const commit = (message: string, name: string, parents = 1) => ({
    message,
    author_name: name,
    author_email: `${name.toLowerCase()}@example.com`,
    parent_ids: Array.from({ length: parents }, () => 'p'),
  });
  const facts = {
    sourceBranch: 'one',
    targetBranch: 'main',
    title: 'Title',
    authorEmails: ['ada@example.com'],
    commits: [
      commit('First\n', 'Ada'),
      commit('Merge main', 'Ada', 2),
      commit('Second\n\nWith more.\n', 'Bob'),
      commit('x'.repeat(200_000), 'Bob'),
    ],
  };

  it('are the six of the ecosystem; others stay, and so do blank lines', () => {
    expect(firstDescription('%{all_commits}', facts)).toBe('* First\n\n* Second\n\nWith more.');
    expect(firstDescription('%{first_commit}|%{source_branch}|%{target_branch}', facts)).toBe('First|one|main');
    expect(firstDescription('%{first_multiline_commit}', facts)).toBe('Second\n\nWith more.');
    expect(firstDescription('%{first_multiline_commit}', { ...facts, commits: [] })).toBe('Title');
    expect(firstDescription('%{co_authored_by}', facts)).toBe('Co-authored-by: Bob <bob@example.com>');
    expect(firstDescription('a\n%{co_authored_by}\nb', { ...facts, commits: [] })).toBe('a\nb');
    expect(firstDescription('%{title}\n\n\n\n%{url}\n', facts)).toBe('%{title}\n\n\n\n%{url}\n');
  });
});
