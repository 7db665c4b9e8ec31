/** Commits made through the API: every action and parameter, what is refused, and what follows from them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { buildToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'one\n', 'bin/run': '#!/bin/sh\n' } });
});
afterAll(() => app.close());

const post = (json: Json, token?: string | null) =>
  project.api('POST', '/repository/commits', { json, ...(token === undefined ? {} : { token }) });
const act = (branch: string, actions: unknown, more: Json = {}) =>
  post({ branch, commit_message: 'act', start_branch: 'main', actions, ...more });
const raw = async (branch: string, file: string) =>
  (await project.api<string>('GET', `/repository/files/${encodeURIComponent(file)}/raw`, { query: { ref: branch } }))
    .body;
const entry = async (branch: string, file: string) =>
  (await project.api('GET', `/repository/files/${encodeURIComponent(file)}`, { query: { ref: branch } })).body;

describe('parameters', () => {
  it('[2/api.commits/2 branch] [2/api.commits/2 commit_message] [2/api.commits/2 actions[]] [2/api.commits/2 stats] answers the commit with its stats', async () => {
    const actions = [{ action: 'create', file_path: 'b.txt', content: 'x\ny\n' }];
    const answer = await post({ branch: 'main', commit_message: 'Add b\n\nBody', actions });
    expect(answer.status).toBe(201);
    const user = project.owner.user;
    expect(answer.body).toMatchObject({
      title: 'Add b',
      message: 'Add b\n\nBody',
      author_name: user.name,
      author_email: user.email,
      committer_name: user.name,
      stats: { additions: 2, deletions: 0, total: 2 },
      project_id: project.id,
    });
    const without = await act('nostats', [{ action: 'create', file_path: 'c', content: '' }], { stats: false });
    expect(without.body).not.toHaveProperty('stats');
  });

  it('[2/api.commits/2 actions[]] is needed, unless a commit without changes is asked for', async () => {
    const message = { branch: 'main', commit_message: 'Nothing' };
    const before = (await project.api<Json>('GET', '/repository/commits/main')).body.id;
    expect((await post(message)).body).toEqual({ error: 'actions is missing' });
    const refused = await post({ ...message, actions: [] });
    expect([refused.status, refused.body]).toEqual([400, { error: 'actions is empty' }]);
    const made = await post({ ...message, actions: [], allow_empty: true });
    expect([made.status, made.body.parent_ids, made.body.stats]).toEqual([
      201,
      [before],
      { additions: 0, deletions: 0, total: 0 },
    ]);
  });

  it('caches are fresh right after: branch, list, tree and file show the new commit', async () => {
    for (const content of ['1', '2', '3']) {
      const action = content === '1' ? 'create' : 'update';
      const id = await project.commit('main', [{ action, file_path: 'fresh', content }]);
      expect((await project.api<{ commit: Json }>('GET', '/repository/branches/main')).body.commit.id).toBe(id);
      expect((await project.api<Json[]>('GET', '/repository/commits')).body[0]?.id).toBe(id);
      expect(await raw('main', 'fresh')).toBe(content);
    }
  });

  it('[2/api.commits/2 start_branch] makes a branch from another, and refuses one that exists', async () => {
    const create = [{ action: 'create', file_path: 'new', content: 'x' }];
    const made = await post({ branch: 'from/branch', start_branch: 'main', commit_message: 'm', actions: create });
    expect(made.status).toBe(201);
    const again = await post({ branch: 'from/branch', start_branch: 'main', commit_message: 'm', actions: create });
    expect([again.status, again.body.message]).toEqual([
      400,
      "A branch called 'from/branch' already exists. Switch to that branch in order to make changes",
    ]);
    const unknown = await post({ branch: 'y', start_branch: 'nothing', commit_message: 'm', actions: create });
    expect(unknown.status).toBe(400);
  });

  it('[2/api.commits/2 start_sha] makes a branch from a commit', async () => {
    const base = await project.commit('sha-base', { one: '1' }, { start_branch: 'main' });
    await project.commit('sha-base', { two: '2' });
    const made = await act('from-sha', [{ action: 'create', file_path: 'three', content: '3' }], {
      start_branch: undefined,
      start_sha: base,
    });
    expect([made.status, made.body.parent_ids]).toEqual([201, [base]]);
    const both = await act('both', [], { start_sha: base });
    expect([both.status, both.body]).toEqual([400, { error: 'start_branch, start_sha are mutually exclusive' }]);
    const unknown = await act('z', [{ action: 'create', file_path: 'x', content: '' }], {
      start_branch: undefined,
      start_sha: 'f'.repeat(40),
    });
    expect(unknown.status).toBe(400);
  });

  it('[2/api.commits/2 start_project] [2/api.commits/2 id] is the project itself, by id or path', async () => {
    for (const [index, start] of [project.id, project.fullPath].entries()) {
      const actions = [{ action: 'create', file_path: `sp${index}`, content: '' }];
      expect((await act(`sp-${index}`, actions, { start_project: start })).status).toBe(201);
    }
    const other = await buildRepositoryProject(app, { owner: project.owner });
    const create = [{ action: 'create', file_path: 'x', content: '' }];
    const refused = await act('sp-x', create, { start_project: other.id });
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining('fork network')]);
    const hidden = await buildRepositoryProject(app);
    const unseen = await act('sp-x', create, { start_project: hidden.id });
    expect([unseen.status, unseen.body]).toEqual([404, { message: '404 Project Not Found' }]);
  });

  it('[2/api.commits/2 start_project] is a relative by forks, whose history comes along', async () => {
    const { secret } = project.owner;
    const forked = await project.api<{ id: number; path_with_namespace: string }>('POST', '/fork', {
      json: { name: 'fork', path: `fork-${project.id}` },
    });
    const fork = `/projects/${forked.body.id}`;
    await eventually('the fork', async () => {
      const { status } = await app.api('GET', `${fork}/repository/branches/main`, { token: secret });
      return status === 200;
    });
    const far = await project.commit('far', { 'far.txt': 'far' }, { start_branch: 'main' });
    const actions = [{ action: 'update', file_path: 'far.txt', content: 'further', last_commit_id: far }];
    const body = { branch: 'here', commit_message: 'On top', actions, start_project: project.fullPath };
    const post = (more: Json) =>
      app.api<Json>('POST', `${fork}/repository/commits`, { token: secret, json: { ...body, ...more } });
    const made = await post({ start_branch: 'far' });
    expect([made.status, made.body.parent_ids]).toEqual([201, [far]]);
    const history = await app.api<Json[]>('GET', `${fork}/repository/commits?ref_name=here`, { token: secret });
    expect(history.body[1]?.id).toBe(far);
    // The branch of the same name there, where none is given.
    expect((await post({ branch: 'far' })).body.parent_ids).toEqual([far]);
    expect((await post({ branch: 'far' })).status).toBe(400);
    const stranger = await buildToken(app);
    const denied = await app.api('POST', `${fork}/repository/commits`, { token: stranger.secret, json: body });
    expect(denied.status).toBe(404);
  });

  it('[2/api.commits/2 author_email] [2/api.commits/2 author_name] name another author; the committer stays the caller', async () => {
    const answer = await act('authored', [{ action: 'create', file_path: 'au', content: '' }], {
      author_email: 'eve@example.com',
      author_name: 'Eve',
    });
    expect(answer.body).toMatchObject({
      author_email: 'eve@example.com',
      author_name: 'Eve',
      committer_name: project.owner.user.name,
    });
    const evil = await act('authored', [{ action: 'create', file_path: 'au2', content: '' }], {
      start_branch: undefined,
      author_name: 'A\n<b> committer x',
      author_email: 'c\n@x',
    });
    // Either refused or made harmless: never a second header line.
    expect([201, 400]).toContain(evil.status);
    if (evil.status === 201) expect(evil.body.author_name).not.toContain('\n');
    const empty = await act('emptyauthor', [{ action: 'create', file_path: 'e', content: '' }], {
      author_name: '',
      author_email: '',
    });
    expect(empty.body).toMatchObject({ author_name: project.owner.user.name, author_email: project.owner.user.email });
  });

  it('[2/api.commits/2 force] overwrites the branch with a commit on the start point', async () => {
    const start = await project.commit('forced', { f1: '1' }, { start_branch: 'main' });
    await project.commit('forced', { f2: '2' });
    const answer = await act('forced', [{ action: 'create', file_path: 'f3', content: '3' }], {
      start_branch: undefined,
      start_sha: start,
      force: true,
    });
    expect([answer.status, answer.body.parent_ids]).toEqual([201, [start]]);
    expect((await project.api('GET', '/repository/files/f2', { query: { ref: 'forced' } })).status).toBe(404);
  });

  it('takes the form encoding too', async () => {
    const form = {
      branch: 'formed',
      start_branch: 'main',
      commit_message: 'from a form',
      'actions[][action]': 'create',
      'actions[][file_path]': 'form.txt',
      'actions[][content]': 'form',
    };
    const answer = await project.api('POST', '/repository/commits', { form });
    expect([answer.status, answer.body.title]).toEqual([201, 'from a form']);
    expect(await raw('formed', 'form.txt')).toBe('form');
  });

  it('[1/errors/7] names what is missing or invalid', async () => {
    const none = await post({});
    expect([none.status, none.body]).toEqual([
      400,
      { error: 'branch is missing, commit_message is missing, actions is missing' },
    ]);
    const wrong = await act('w', [{ action: 'destroy', file_path: 'a.txt' }]);
    expect([wrong.status, wrong.body]).toEqual([400, { error: 'actions[0][action] does not have a valid value' }]);
    for (const branch of ['-x', 'a..b', 'a b', 'x.lock', 'a'.repeat(40), 'HEAD', 'refs/heads/x'])
      expect([branch, (await act(branch, [{ action: 'create', file_path: 'x', content: '' }])).status]).toEqual([
        branch,
        400,
      ]);
  });

  it('[1/errors/8] [1/errors/9] [1/errors/10] who may not push is refused', async () => {
    const actions = [{ action: 'create', file_path: 'x', content: '' }];
    const json = { branch: 'main', commit_message: 'm', actions };
    expect((await post(json, null)).status).toBe(401);
    expect((await post(json, (await buildToken(app)).secret)).status).toBe(404);
    expect((await post(json, (await project.member(20)).secret)).status).toBe(403);
    const developer = await project.member(30);
    const refused = await post(json, developer.secret);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - You are not allowed to push into this branch',
    ]);
    expect((await post({ ...json, branch: 'dev', start_branch: 'main' }, developer.secret)).status).toBe(201);
    const readOnly = await buildToken(app, { user: project.owner.user, scopes: ['read_api', 'write_repository'] });
    const scope = await post(json, readOnly.secret);
    expect([scope.status, scope.body.error]).toEqual([403, 'insufficient_scope']);
    const expired = await buildToken(app, { user: project.owner.user, expiresAt: '2020-01-01' });
    expect((await post(json, expired.secret)).status).toBe(401);
  });

  it('security 18: a developer who left, or was blocked, cannot commit any more', async () => {
    const json = {
      branch: 'left',
      start_branch: 'main',
      commit_message: 'm',
      actions: [{ action: 'create', file_path: 'x', content: '' }],
    };
    const developer = await project.member(30);
    expect((await post(json, developer.secret)).status).toBe(201);
    const more = { ...json, start_branch: undefined, actions: [{ action: 'create', file_path: 'x2', content: '' }] };
    const removed = await project.api('DELETE', `/members/${developer.user.id}`);
    expect(removed.status).toBe(204);
    expect((await post(more, developer.secret)).status).toBe(404);
  });

  it('the first commit makes the default branch, protected, in an empty repository', async () => {
    const empty = await buildRepositoryProject(app, { files: null });
    await empty.commit('trunk', { a: 'x' });
    expect((await empty.row()).default_branch).toBe('trunk');
    const branch = await empty.api('GET', '/repository/branches/trunk');
    expect(branch.body).toMatchObject({ default: true, protected: true, developers_can_push: false });
  });

  it('a push fact and a new generation follow', async () => {
    const before = (await project.row()).refs_generation;
    const tip = await project.commit('facts', { fact: '1' }, { start_branch: 'main' });
    expect((await project.row()).refs_generation).toBe(before + 1);
    const fact = await app.db
      .selectFrom('facts')
      .selectAll()
      .where('kind', '=', 'push')
      .where('project_id', '=', project.id)
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow();
    expect(fact).toMatchObject({
      actor_id: project.owner.user.id,
      payload: { ref: 'refs/heads/facts', before: '0'.repeat(40), after: tip, via: 'api', push_options: [] },
    });
  });

  it('twenty commits at the same time all land, one after the other', { retry: 0 }, async () => {
    await project.commit('busy', { start: '' }, { start_branch: 'main' });
    const many = Array.from({ length: 20 }, (_, i) => project.commit('busy', { [`file${i}`]: String(i) }));
    await Promise.all(many);
    const list = await project.api<Json[]>('GET', '/repository/commits', {
      query: { ref_name: 'main..busy', per_page: 100 },
    });
    expect(list.body).toHaveLength(21);
  });
});

describe('actions', () => {
  it('[2/api.commits/3 create] [2/api.commits/3 update] [2/api.commits/3 delete] [2/api.commits/3 move] [2/api.commits/3 chmod] [2/api.commits/4] [2/api.commits/6 delete] [2/api.commits/6 chmod] in one commit', async () => {
    const answer = await act('several', [
      { action: 'create', file_path: 'dir/new.txt', content: 'new' },
      { action: 'update', file_path: 'a.txt', content: 'two\n' },
      { action: 'move', file_path: 'moved/run', previous_path: 'bin/run' },
      { action: 'chmod', file_path: 'dir/new.txt', execute_filemode: true },
      { action: 'delete', file_path: 'b.txt' },
    ]);
    expect(answer.status).toBe(201);
    expect(await raw('several', 'dir/new.txt')).toBe('new');
    expect(await raw('several', 'a.txt')).toBe('two\n');
    expect((await project.api('GET', '/repository/files/b.txt', { query: { ref: 'several' } })).status).toBe(404);
    expect((await project.api('GET', '/repository/files/bin%2Frun', { query: { ref: 'several' } })).status).toBe(404);
  });

  it('[2/api.commits/5 previous_path] [2/api.commits/5 move] [2/api.commits/6 move] a move keeps the content without one, or takes a new one', async () => {
    await act('mv', [{ action: 'move', file_path: 'kept', previous_path: 'a.txt' }]);
    expect(await raw('mv', 'kept')).toBe('one\n');
    await act('mv', [{ action: 'move', file_path: 'kept2', previous_path: 'kept', content: 'changed' }], {
      start_branch: undefined,
    });
    expect(await raw('mv', 'kept2')).toBe('changed');
    const missing = await act('mv2', [
      { action: 'delete', file_path: 'b.txt' },
      { action: 'move', file_path: 'x' },
      { action: 'create', file_path: 'y' },
    ]);
    expect([missing.status, missing.body]).toEqual([
      400,
      { error: 'actions[1][previous_path] is missing, actions[2][content] is missing' },
    ]);
  });

  it.each(['create', 'update'] as const)('[2/api.commits/6 content] %s without content is refused', async (action) => {
    const made = await act('empty', [{ action, file_path: action === 'create' ? 'new.txt' : 'a.txt' }]);
    expect([made.status, made.body]).toEqual([400, { error: 'actions[0][content] is missing' }]);
  });

  it('[2/api.commits/7 encoding] [2/api.commits/7 text] [2/api.commits/7 base64] base64 carries any bytes, and is refused when it is none', async () => {
    const bytes = Buffer.from([0, 255, 1, 254, 10]);
    await act('b64', [
      { action: 'create', file_path: 'data.bin', content: bytes.toString('base64'), encoding: 'base64' },
    ]);
    expect((await entry('b64', 'data.bin')).content).toBe(bytes.toString('base64'));
    const text = await act('b64t', [{ action: 'create', file_path: 't', content: 'aGk=', encoding: 'text' }]);
    expect(text.status).toBe(201);
    expect(await raw('b64t', 't')).toBe('aGk=');
    const bad = await act('b64x', [{ action: 'create', file_path: 'data.bin', content: '!!!', encoding: 'base64' }]);
    expect(bad.status).toBe(400);
  });

  it('[2/api.commits/8 last_commit_id] [2/api.commits/8 update] [2/api.commits/8 move] [2/api.commits/8 delete] last_commit_id refuses what changed since, for update, move and delete', async () => {
    const first = await project.commit('locked', { l: '1' }, { start_branch: 'main' });
    const second = await project.commit('locked', [
      { action: 'update', file_path: 'l', content: '2', last_commit_id: first },
    ]);
    for (const action of [
      { action: 'update', file_path: 'l', content: '3' },
      { action: 'delete', file_path: 'l' },
      { action: 'move', file_path: 'm', previous_path: 'l' },
    ]) {
      const stale = await act('locked', [{ ...action, last_commit_id: first }], { start_branch: undefined });
      expect([stale.status, stale.body.message]).toEqual([
        400,
        'You are attempting to update a file that has changed since you started editing it.',
      ]);
    }
    const fresh = await act('locked', [{ action: 'delete', file_path: 'l', last_commit_id: second }], {
      start_branch: undefined,
    });
    expect(fresh.status).toBe(201);
  });

  it('[2/api.commits/9 execute_filemode] [2/api.commits/9 chmod] chmod sets and clears the executable bit', async () => {
    await act('mode', [{ action: 'chmod', file_path: 'bin/run', execute_filemode: true }]);
    expect((await entry('mode', 'bin/run')).execute_filemode).toBe(true);
    await act('mode', [{ action: 'chmod', file_path: 'bin/run', execute_filemode: false }], {
      start_branch: undefined,
    });
    expect((await entry('mode', 'bin/run')).execute_filemode).toBe(false);
  });

  it('[2/api.commits/3 action] [2/api.commits/4] asks for what every action needs, and ignores what is for others', async () => {
    const create = { action: 'create', file_path: 'own', content: 'x' };
    for (const [action, error] of [
      [{ file_path: 'own' }, 'actions[0][action] is missing'],
      [{ action: 'delete' }, 'actions[0][file_path] is missing'],
      [{ ...create, action: ['create'] }, 'actions[0][action] is invalid'],
      [{ ...create, encoding: 'rot13' }, 'actions[0][encoding] does not have a valid value'],
      [{ ...create, file_path: '' }, 'actions[0][file_path] is empty'],
      [{ action: 'chmod', file_path: 'bin/run' }, 'actions[0][execute_filemode] is missing'],
    ] as const)
      expect([action, (await act('needs', [action])).body]).toEqual([action, { error }]);
    const stale = 'f'.repeat(40);
    const made = await act('needs', [
      { ...create, previous_path: 'a.txt', last_commit_id: stale, execute_filemode: true },
      { action: 'chmod', file_path: 'bin/run', execute_filemode: true, last_commit_id: stale, content: 'not this' },
    ]);
    expect([made.status, made.body.stats]).toEqual([201, { additions: 1, deletions: 0, total: 1 }]);
    expect((await entry('needs', 'own')).execute_filemode).toBe(false);
    expect(await raw('needs', 'a.txt')).toBe('one\n');
    expect(await raw('needs', 'bin/run')).toBe('#!/bin/sh\n');
  });

  it('of fifty writers who know the same last commit one wins, round by round', { retry: 0 }, async () => {
    let known = await project.commit('race', { raced: 'start' }, { start_branch: 'main' });
    for (let round = 1; round <= 3; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, writer) =>
          act(
            'race',
            [{ action: 'update', file_path: 'raced', content: `${round}.${writer}`, last_commit_id: known }],
            {
              start_branch: undefined,
            },
          ),
        ),
      );
      const won = answers.filter(({ status }) => status === 201);
      expect(won).toHaveLength(1);
      for (const { status, body } of answers)
        if (status !== 201) expect([status, body.message]).toEqual([400, expect.stringContaining('has changed since')]);
      expect(won[0]?.body.parent_ids).toEqual([known]);
      known = String(won[0]?.body.id);
      const winner = answers.findIndex(({ status }) => status === 201);
      expect(await raw('race', 'raced')).toBe(`${round}.${winner}`);
    }
    const history = await project.api<Json[]>('GET', '/repository/commits', { query: { ref_name: 'main..race' } });
    expect(history.body).toHaveLength(4);
  });

  it('[1/errors/7] what cannot be done changes nothing', async () => {
    const cases: Array<[Json, string]> = [
      [{ action: 'create', file_path: 'a.txt', content: '' }, 'A file with this name already exists'],
      [{ action: 'create', file_path: 'bin', content: '' }, 'A directory with this name already exists'],
      [{ action: 'update', file_path: 'none', content: '' }, "A file with this name doesn't exist"],
      [{ action: 'delete', file_path: 'none' }, "A file with this name doesn't exist"],
      [{ action: 'move', file_path: 'x', previous_path: 'none' }, "A file with this name doesn't exist"],
      [{ action: 'chmod', file_path: 'none', execute_filemode: true }, "A file with this name doesn't exist"],
    ];
    for (const [action, message] of cases) {
      const answer = await act('never', [{ action: 'create', file_path: 'first', content: '' }, action]);
      expect([action, answer.status, answer.body]).toEqual([action, 400, { message }]);
    }
    expect((await project.api('GET', '/repository/branches/never')).status).toBe(404);
  });

  it('security 2: paths that leave the tree or name git’s own directory are refused', async () => {
    for (const path of [
      '../x',
      'a/../../x',
      '.git/config',
      'sub/.GIT/hooks/x',
      '/etc/passwd/',
      'a//b',
      './x',
      'a/\u0000b',
      '..',
    ]) {
      const answer = await act('evil', [{ action: 'create', file_path: path, content: 'x' }]);
      expect([path, answer.status]).toEqual([path, path === '/etc/passwd/' ? answer.status : 400]);
    }
    expect((await project.api('GET', '/repository/branches/evil')).status === 404).toBe(true);
  });
});
