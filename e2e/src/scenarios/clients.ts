/** Unmodified clients of the API as their users run them: @gitbeaker/rest, and python-gitlab where the machine has it. */
import assert from 'node:assert/strict';
import { Gitlab } from '@gitbeaker/rest';
import { api, until } from '../support/api.ts';
import { type Instance, rootToken } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';
import { issueClients } from './issue-clients.ts';
import { pythonClients } from './python-clients.ts';

/** What the clients leave for those after them. */
export interface ClientProject {
  readonly id: number;
  readonly path: string;
}

const config = 'stages: [check]\ncheck:\n  stage: check\n  script: [echo "$GREETING"]\n';
const manualConfig = `${config}deploy:\n  stage: check\n  when: manual\n  script: [echo deployed]\n`;

export async function clients(suite: Suite, instance: Instance): Promise<void> {
  const root = api(instance.url, rootToken);
  let token = '';
  await suite.required('an account for the clients', async () => {
    const account = await root.expect<{ id: number }>(201, 'POST', '/users', {
      username: 'clara',
      name: 'Clara',
      email: 'clara@example.com',
      password: 'nanosecond-wire-1952',
      skip_confirmation: true,
    });
    const path = `/users/${account.id}/personal_access_tokens`;
    const made = await root.expect<{ token: string }>(201, 'POST', path, { name: 'clients', scopes: ['api'] });
    token = made.token;
  });
  const admin = new Gitlab({ host: instance.url, token: rootToken });
  const clara = new Gitlab({ host: instance.url, token });
  const found: { group?: number; project?: ClientProject; user?: number; pipeline?: number } = {};
  const group = () => found.group ?? assert.fail('no group');
  const project = () => found.project?.id ?? assert.fail('no project');
  const user = () => found.user ?? assert.fail('no user');

  await suite.required('gitbeaker: users [1/authentication/3 PRIVATE-TOKEN]', async () => {
    const me = await clara.Users.showCurrentUser();
    assert.equal(me.username, 'clara');
    const made = await admin.Users.create({
      username: 'grace',
      name: 'Grace',
      email: 'grace@example.com',
      password: 'nanosecond-wire-1952',
      skipConfirmation: true,
    });
    found.user = made.id;
    assert.deepEqual(
      (await clara.Users.all({ username: 'grace' })).map((each) => each.id),
      [made.id],
    );
    assert.equal((await clara.Users.show(made.id)).username, 'grace');
    await assert.rejects(
      new Gitlab({ host: instance.url, token: 'glpat-wrong' }).Users.showCurrentUser(),
      (error: { cause?: { response?: { status?: number } } }) => error.cause?.response?.status === 401,
    );
  });

  await suite.required('gitbeaker: groups and subgroups', async () => {
    const made = await clara.Groups.create('Clients', 'clients', { visibility: 'private' });
    found.group = made.id;
    const child = await clara.Groups.create('Inner', 'inner', { parentId: made.id });
    assert.equal((await clara.Groups.show('clients/inner')).id, child.id);
    assert.equal((await clara.Groups.edit(made.id, { description: 'Ünïcode & more' })).description, 'Ünïcode & more');
    assert.deepEqual(
      (await clara.Groups.allSubgroups(made.id)).map((each) => each.id),
      [child.id],
    );
    assert.ok((await clara.Groups.all({ owned: true, search: 'Clients' })).some((each) => each.id === made.id));
  });

  await suite.required('gitbeaker: projects', async () => {
    const made = await clara.Projects.create({
      name: 'Tour',
      path: 'tour',
      namespaceId: group(),
      initializeWithReadme: true,
      topics: ['one', 'two'],
    });
    found.project = { id: made.id, path: String(made.path_with_namespace) };
    assert.equal((await clara.Projects.show('clients/tour')).id, made.id);
    const edited = await clara.Projects.edit(made.id, { description: 'A tour', topics: ['three'] });
    assert.deepEqual([edited.description, edited.topics], ['A tour', ['three']]);
    assert.deepEqual(
      (await clara.Groups.allProjects(group())).map((each) => each.id),
      [made.id],
    );
    assert.ok((await clara.Projects.all({ membership: true })).some((each) => each.id === made.id));
  });

  await suite.step('gitbeaker: members of projects and groups', async () => {
    const member = await clara.ProjectMembers.add(project(), 30, { userId: user() });
    assert.deepEqual([member.id, member.access_level], [user(), 30]);
    assert.equal((await clara.ProjectMembers.edit(project(), user(), 40)).access_level, 40);
    assert.equal((await clara.ProjectMembers.show(project(), user())).username, 'grace');
    const all = await clara.ProjectMembers.all(project(), { includeInherited: true });
    assert.deepEqual(all.map((each) => each.username).sort(), ['clara', 'grace']);
    await clara.ProjectMembers.remove(project(), user());
    await clara.GroupMembers.add(group(), 20, { userId: user() });
    assert.equal((await clara.ProjectMembers.show(project(), user(), { includeInherited: true })).access_level, 20);
    await clara.GroupMembers.remove(group(), user());
  });

  await suite.required('gitbeaker: commits with actions, files, tree [2/api.commits/2 actions]', async () => {
    const actions = Array.from({ length: 45 }, (_, at) => ({
      action: 'create' as const,
      filePath: `notes/note ${String(at).padStart(2, '0')}.txt`,
      content: `note ${at}\n`,
    }));
    const commit = await clara.Commits.create(project(), 'main', 'Many notes', [
      ...actions,
      {
        action: 'create',
        filePath: 'bytes.bin',
        content: Buffer.from([0, 255, 1]).toString('base64'),
        encoding: 'base64',
      },
    ]);
    const [newest] = await clara.Commits.all(project(), { refName: 'main' });
    assert.equal(newest?.id, commit.id);
    assert.equal((await clara.Commits.show(project(), 'main', { stats: true })).title, 'Many notes');
    assert.equal((await clara.Commits.showDiff(project(), commit.id)).length, 46);
    assert.ok((await clara.Commits.allReferences(project(), commit.id)).some((each) => each.name === 'main'));
    const file = await clara.RepositoryFiles.show(project(), 'notes/note 07.txt', 'main');
    assert.equal(Buffer.from(file.content, 'base64').toString(), 'note 7\n');
    assert.equal(await clara.RepositoryFiles.showRaw(project(), 'notes/note 07.txt', 'main'), 'note 7\n');
    // By keyset, as this client walks trees: over the links of the server.
    const tree = await clara.Repositories.allRepositoryTrees(project(), { path: 'notes', perPage: 20 });
    assert.equal(new Set(tree.map((each) => each.path)).size, 45);
  });

  await suite.step('gitbeaker: branches, tags, compare', async () => {
    const branch = await clara.Branches.create(project(), 'feature/ünicode', 'main');
    assert.equal((await clara.Branches.show(project(), 'feature/ünicode')).commit.id, branch.commit.id);
    await clara.Commits.create(project(), 'feature/ünicode', 'On the branch', [
      { action: 'update', filePath: 'notes/note 01.txt', content: 'changed\n' },
      { action: 'move', filePath: 'moved.txt', previousPath: 'notes/note 02.txt' },
    ]);
    const compared = await clara.Repositories.compare(project(), 'main', 'feature/ünicode');
    assert.deepEqual([compared.commits?.length, compared.diffs?.length], [1, 2]);
    const names = (await clara.Branches.all(project(), { search: 'feature' })).map((each) => each.name);
    assert.deepEqual(names, ['feature/ünicode']);
    const tag = await clara.Tags.create(project(), 'v1.0.0', 'main', { message: 'First' });
    assert.equal((await clara.Tags.show(project(), 'v1.0.0')).message, 'First');
    assert.equal((await clara.Tags.all(project()))[0]?.target, tag.target);
    await clara.Tags.remove(project(), 'v1.0.0');
    await clara.Branches.remove(project(), 'feature/ünicode');
    assert.deepEqual(
      (await clara.Branches.all(project())).map((each) => each.name),
      ['main'],
    );
  });

  await suite.step('gitbeaker: templates, whose addresses it ends with a slash', async () => {
    const [first] = await clara.GitignoreTemplates.all();
    assert.ok(first);
    assert.equal((await clara.GitignoreTemplates.show(String(first.key))).name, first.name);
  });

  await suite.step('gitbeaker: lists are walked to their end, by offset [1/limits.pagination/3]', async () => {
    for (let at = 0; at < 5; at += 1) await clara.Branches.create(project(), `page-${at}`, 'main');
    const paged = await clara.Branches.all(project(), { perPage: 2, maxPages: 10 });
    assert.equal(paged.length, 6);
    const two = await clara.Branches.all(project(), { perPage: 2, page: 2, showExpanded: true });
    assert.deepEqual(
      [two.data.length, two.paginationInfo.total, two.paginationInfo.current, two.paginationInfo.next],
      [2, 6, 2, 3],
    );
    const keyed = await clara.Branches.all(project(), { pagination: 'keyset', perPage: 2 });
    assert.deepEqual(
      keyed.map((each) => each.name),
      paged.map((each) => each.name),
    );
    for (let at = 0; at < 5; at += 1) await clara.Branches.remove(project(), `page-${at}`);
  });

  await suite.step(
    'gitbeaker: users are walked by the links of the server [1/limits.pagination/1 /users]',
    async () => {
      const names = (await admin.Users.all({ perPage: 1 })).map((each) => each.username);
      for (const name of ['clara', 'grace', 'root']) assert.equal(names.filter((each) => each === name).length, 1);
      const named = await admin.Users.all({ pagination: 'keyset', orderBy: 'username', sort: 'asc', perPage: 1 });
      assert.deepEqual(
        named.map((each) => each.username),
        [...names].sort(),
      );
    },
  );

  await suite.step('gitbeaker: lists are walked to their end, by keyset [1/limits.pagination/3]', async () => {
    for (let at = 0; at < 4; at += 1) await clara.Projects.create({ name: `Key ${at}`, namespaceId: group() });
    const all = await clara.Projects.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 2, owned: true });
    const keyed = all.filter((each) => String(each.name).startsWith('Key '));
    assert.equal(keyed.length, 4);
    for (const each of keyed) await clara.Projects.remove(each.id);
  });

  await suite.step('gitbeaker: variables of projects and groups, by environment', async () => {
    const made = await clara.ProjectVariables.create(project(), 'GREETING', 'hello', { variableType: 'env_var' });
    assert.deepEqual([made.key, made.value, made.environment_scope], ['GREETING', 'hello', '*']);
    await clara.ProjectVariables.create(project(), 'GREETING', 'hi', { environmentScope: 'live' });
    const live = await clara.ProjectVariables.show(project(), 'GREETING', { filter: { environment_scope: 'live' } });
    assert.equal(live.value, 'hi');
    await clara.ProjectVariables.edit(project(), 'GREETING', 'hej', { filter: { environment_scope: 'live' } });
    await clara.ProjectVariables.remove(project(), 'GREETING', { filter: { environment_scope: 'live' } });
    assert.deepEqual(
      (await clara.ProjectVariables.all(project())).map((each) => each.value),
      ['hello'],
    );
    await clara.GroupVariables.create(group(), 'SHARED', 'yes', { masked: false, protected: true });
    assert.equal((await clara.GroupVariables.show(group(), 'SHARED')).protected, true);
    await clara.GroupVariables.remove(group(), 'SHARED');
  });

  await suite.step('gitbeaker: pipelines and jobs [2/api.jobs/1]', async () => {
    await clara.Commits.create(project(), 'main', 'Check', [
      { action: 'create', filePath: '.gitlab-ci.yml', content: manualConfig },
    ]);
    await until(
      'the pipeline of the push',
      120,
      async () => (await clara.Pipelines.all(project(), { ref: 'main' })).length > 0,
    );
    const pipeline = await clara.Pipelines.create(project(), 'main', {
      variables: [{ key: 'GREETING', value: 'from the client' }],
    });
    found.pipeline = pipeline.id;
    const sent = await clara.Pipelines.allVariables(project(), pipeline.id);
    assert.deepEqual(
      sent.map((each) => [each.key, each.value]),
      [['GREETING', 'from the client']],
    );
    await until(
      'the pipeline',
      120,
      async () => (await clara.Pipelines.show(project(), pipeline.id)).status === 'success',
    );
    const jobs = await clara.Jobs.all(project(), { pipelineId: pipeline.id });
    assert.deepEqual(jobs.map((each) => each.name).sort(), ['check', 'deploy']);
    const check = jobs.find((each) => each.name === 'check') ?? assert.fail('no job');
    const manual = jobs.find((each) => each.name === 'deploy') ?? assert.fail('no manual job');
    assert.match(await clara.Jobs.showLog(project(), check.id), /from the client/);
    assert.ok(['pending', 'running'].includes((await clara.Jobs.play(project(), manual.id)).status));
    await until('the played job', 180, async () => (await clara.Jobs.show(project(), manual.id)).status === 'success');
    const again = await clara.Jobs.retry(project(), check.id);
    await until('the retried job', 180, async () => (await clara.Jobs.show(project(), again.id)).status === 'success');
    const everyJob = await clara.Jobs.all(project(), { perPage: 1 });
    const keyed = await clara.Jobs.all(project(), { pagination: 'keyset', orderBy: 'id', sort: 'desc', perPage: 1 });
    assert.ok(keyed.length > 2);
    assert.deepEqual(
      keyed.map((each) => each.id),
      everyJob.map((each) => each.id),
    );
    const succeeded = await clara.Jobs.all(project(), { scope: 'success' });
    assert.ok(succeeded.some((each) => each.id === again.id));
    assert.ok((await clara.Pipelines.all(project(), { ref: 'main' })).some((each) => each.id === pipeline.id));
    assert.equal((await clara.Pipelines.showLatest(project(), { ref: 'main' })).id, pipeline.id);
  });

  await suite.step('gitbeaker: a merge request is made, read and merged', async () => {
    await clara.Commits.create(
      project(),
      'change',
      'Change',
      [{ action: 'update', filePath: 'notes/note 03.txt', content: 'three\n' }],
      { startBranch: 'main' },
    );
    const made = await clara.MergeRequests.create(project(), 'change', 'main', 'A change', {
      description: 'Why',
      removeSourceBranch: true,
    });
    assert.equal((await clara.MergeRequests.allDiffs(project(), made.iid)).length, 1);
    assert.equal((await clara.MergeRequests.allCommits(project(), made.iid)).length, 1);
    assert.equal(
      (await clara.MergeRequests.edit(project(), made.iid, { title: 'A better one' })).title,
      'A better one',
    );
    const open = await clara.MergeRequests.all({ projectId: project(), state: 'opened' });
    assert.deepEqual(
      open.map((each) => each.iid),
      [made.iid],
    );
    await until('its pipeline', 180, async () => {
      const [pipeline] = await clara.MergeRequests.allPipelines(project(), made.iid);
      return pipeline?.status === 'success';
    });
    const merged = await clara.MergeRequests.merge(project(), made.iid, { squash: true });
    assert.equal(merged.state, 'merged');
    const file = await clara.RepositoryFiles.show(project(), 'notes/note 03.txt', 'main');
    assert.equal(Buffer.from(file.content, 'base64').toString(), 'three\n');
  });

  await issueClients(suite, clara, project);

  await suite.step('gitbeaker: runners', async () => {
    const made = await admin.Users.createCIRunner('instance_type', {
      description: 'spare',
      tagList: ['one', 'two'],
      paused: true,
    });
    assert.match(made.token, /^glrt-/);
    const shown = await admin.Runners.show(Number(made.id));
    assert.deepEqual([shown.description, shown.tag_list, shown.paused], ['spare', ['one', 'two'], true]);
    assert.ok((await admin.Runners.all()).some((each) => String(each.id) === String(made.id)));
    await admin.Runners.edit(Number(made.id), { description: 'still spare', tagList: ['three'] });
    assert.deepEqual((await admin.Runners.show(Number(made.id))).tag_list, ['three']);
    await admin.Runners.remove({ runnerId: Number(made.id) });
  });

  await pythonClients(suite, instance, { token, rootToken, project: found.project });
}
