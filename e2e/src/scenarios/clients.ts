/** Unmodified clients of the API as their users run them: @gitbeaker/rest, and python-gitlab where the machine has it. */
import assert from 'node:assert/strict';
import { Gitlab } from '@gitbeaker/rest';
import { until } from '../support/api.ts';
import type { Instance } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';
import type { World } from './journey.ts';
import { pythonClients } from './python-clients.ts';

/** What the clients leave for those after them. */
export interface ClientProject {
  readonly id: number;
  readonly path: string;
}

const config = 'stages: [check]\ncheck:\n  stage: check\n  script: [echo "$GREETING"]\n';
const manualConfig = `${config}deploy:\n  stage: check\n  when: manual\n  script: [echo deployed]\n`;

export async function clients(suite: Suite, instance: Instance, world: Pick<World, 'root' | 'ada'>): Promise<void> {
  const admin = new Gitlab({ host: instance.url, token: world.root.token });
  const ada = new Gitlab({ host: instance.url, token: world.ada.token });
  const found: { group?: number; project?: ClientProject; user?: number; pipeline?: number } = {};
  const group = () => found.group ?? assert.fail('no group');
  const project = () => found.project?.id ?? assert.fail('no project');
  const user = () => found.user ?? assert.fail('no user');

  await suite.required('gitbeaker: users [2/api.users/1] [1/authentication/3 PRIVATE-TOKEN]', async () => {
    const me = await ada.Users.showCurrentUser();
    assert.equal(me.username, 'ada');
    const made = await admin.Users.create({
      username: 'grace',
      name: 'Grace',
      email: 'grace@example.com',
      password: 'nanosecond-wire-1952',
      skipConfirmation: true,
    });
    found.user = made.id;
    assert.deepEqual(
      (await ada.Users.all({ username: 'grace' })).map((each) => each.id),
      [made.id],
    );
    assert.equal((await ada.Users.show(made.id)).username, 'grace');
    await assert.rejects(
      new Gitlab({ host: instance.url, token: 'glpat-wrong' }).Users.showCurrentUser(),
      (error: { cause?: { response?: { status?: number } } }) => error.cause?.response?.status === 401,
    );
  });

  await suite.required('gitbeaker: groups and subgroups [2/api.groups/1]', async () => {
    const made = await ada.Groups.create('Clients', 'clients', { visibility: 'private' });
    found.group = made.id;
    const child = await ada.Groups.create('Inner', 'inner', { parentId: made.id });
    assert.equal((await ada.Groups.show('clients/inner')).id, child.id);
    assert.equal((await ada.Groups.edit(made.id, { description: 'Ünïcode & more' })).description, 'Ünïcode & more');
    assert.deepEqual(
      (await ada.Groups.allSubgroups(made.id)).map((each) => each.id),
      [child.id],
    );
    assert.ok((await ada.Groups.all({ owned: true, search: 'Clients' })).some((each) => each.id === made.id));
  });

  await suite.required('gitbeaker: projects [2/api.projects/1]', async () => {
    const made = await ada.Projects.create({
      name: 'Tour',
      path: 'tour',
      namespaceId: group(),
      initializeWithReadme: true,
      topics: ['one', 'two'],
    });
    found.project = { id: made.id, path: String(made.path_with_namespace) };
    assert.equal((await ada.Projects.show('clients/tour')).id, made.id);
    const edited = await ada.Projects.edit(made.id, { description: 'A tour', topics: ['three'] });
    assert.deepEqual([edited.description, edited.topics], ['A tour', ['three']]);
    assert.deepEqual(
      (await ada.Groups.allProjects(group())).map((each) => each.id),
      [made.id],
    );
    assert.ok((await ada.Projects.all({ membership: true })).some((each) => each.id === made.id));
  });

  await suite.step('gitbeaker: members of projects and groups [2/api.members/1]', async () => {
    const member = await ada.ProjectMembers.add(project(), 30, { userId: user() });
    assert.deepEqual([member.id, member.access_level], [user(), 30]);
    assert.equal((await ada.ProjectMembers.edit(project(), user(), 40)).access_level, 40);
    assert.equal((await ada.ProjectMembers.show(project(), user())).username, 'grace');
    const all = await ada.ProjectMembers.all(project(), { includeInherited: true });
    assert.deepEqual(all.map((each) => each.username).sort(), ['ada', 'grace']);
    await ada.ProjectMembers.remove(project(), user());
    await ada.GroupMembers.add(group(), 20, { userId: user() });
    assert.equal((await ada.ProjectMembers.show(project(), user(), { includeInherited: true })).access_level, 20);
    await ada.GroupMembers.remove(group(), user());
  });

  await suite.required('gitbeaker: commits with actions, files, tree [2/api.commits/2 actions[]]', async () => {
    const actions = Array.from({ length: 45 }, (_, at) => ({
      action: 'create' as const,
      filePath: `notes/note ${String(at).padStart(2, '0')}.txt`,
      content: `note ${at}\n`,
    }));
    const commit = await ada.Commits.create(project(), 'main', 'Many notes', [
      ...actions,
      {
        action: 'create',
        filePath: 'bytes.bin',
        content: Buffer.from([0, 255, 1]).toString('base64'),
        encoding: 'base64',
      },
    ]);
    const [newest] = await ada.Commits.all(project(), { refName: 'main' });
    assert.equal(newest?.id, commit.id);
    assert.equal((await ada.Commits.show(project(), 'main', { stats: true })).title, 'Many notes');
    assert.equal((await ada.Commits.showDiff(project(), commit.id)).length, 46);
    assert.ok((await ada.Commits.allReferences(project(), commit.id)).some((each) => each.name === 'main'));
    const file = await ada.RepositoryFiles.show(project(), 'notes/note 07.txt', 'main');
    assert.equal(Buffer.from(file.content, 'base64').toString(), 'note 7\n');
    assert.equal(await ada.RepositoryFiles.showRaw(project(), 'notes/note 07.txt', 'main'), 'note 7\n');
    // By keyset, as this client walks trees: over the links of the server.
    const tree = await ada.Repositories.allRepositoryTrees(project(), { path: 'notes', perPage: 20 });
    assert.equal(new Set(tree.map((each) => each.path)).size, 45);
  });

  await suite.step('gitbeaker: branches, tags, compare [2/api.branches/1] [2/api.tags/1]', async () => {
    const branch = await ada.Branches.create(project(), 'feature/ünicode', 'main');
    assert.equal((await ada.Branches.show(project(), 'feature/ünicode')).commit.id, branch.commit.id);
    await ada.Commits.create(project(), 'feature/ünicode', 'On the branch', [
      { action: 'update', filePath: 'notes/note 01.txt', content: 'changed\n' },
      { action: 'move', filePath: 'moved.txt', previousPath: 'notes/note 02.txt' },
    ]);
    const compared = await ada.Repositories.compare(project(), 'main', 'feature/ünicode');
    assert.deepEqual([compared.commits?.length, compared.diffs?.length], [1, 2]);
    const names = (await ada.Branches.all(project(), { search: 'feature' })).map((each) => each.name);
    assert.deepEqual(names, ['feature/ünicode']);
    const tag = await ada.Tags.create(project(), 'v1.0.0', 'main', { message: 'First' });
    assert.equal((await ada.Tags.show(project(), 'v1.0.0')).message, 'First');
    assert.equal((await ada.Tags.all(project()))[0]?.target, tag.target);
    await ada.Tags.remove(project(), 'v1.0.0');
    await ada.Branches.remove(project(), 'feature/ünicode');
    assert.deepEqual(
      (await ada.Branches.all(project())).map((each) => each.name),
      ['main'],
    );
  });

  await suite.step('gitbeaker: lists are walked to their end, by offset [1/limits.pagination/3]', async () => {
    for (let at = 0; at < 5; at += 1) await ada.Branches.create(project(), `page-${at}`, 'main');
    const paged = await ada.Branches.all(project(), { perPage: 2, maxPages: 10 });
    assert.equal(paged.length, 6);
    const two = await ada.Branches.all(project(), { perPage: 2, page: 2, showExpanded: true });
    assert.deepEqual(
      [two.data.length, two.paginationInfo.total, two.paginationInfo.current, two.paginationInfo.next],
      [2, 6, 2, 3],
    );
    for (let at = 0; at < 5; at += 1) await ada.Branches.remove(project(), `page-${at}`);
  });

  await suite.step('gitbeaker: lists are walked to their end, by keyset [1/limits.pagination/3]', async () => {
    for (let at = 0; at < 4; at += 1) await ada.Projects.create({ name: `Key ${at}`, namespaceId: group() });
    const all = await ada.Projects.all({ pagination: 'keyset', orderBy: 'id', sort: 'asc', perPage: 2, owned: true });
    const keyed = all.filter((each) => String(each.name).startsWith('Key '));
    assert.equal(keyed.length, 4);
    for (const each of keyed) await ada.Projects.remove(each.id);
  });

  await suite.step(
    'gitbeaker: variables of projects and groups, by environment [2/api.project-variables/1]',
    async () => {
      const made = await ada.ProjectVariables.create(project(), 'GREETING', 'hello', { variableType: 'env_var' });
      assert.deepEqual([made.key, made.value, made.environment_scope], ['GREETING', 'hello', '*']);
      await ada.ProjectVariables.create(project(), 'GREETING', 'hi', { environmentScope: 'live' });
      const live = await ada.ProjectVariables.show(project(), 'GREETING', { filter: { environment_scope: 'live' } });
      assert.equal(live.value, 'hi');
      await ada.ProjectVariables.edit(project(), 'GREETING', 'hej', { filter: { environment_scope: 'live' } });
      await ada.ProjectVariables.remove(project(), 'GREETING', { filter: { environment_scope: 'live' } });
      assert.deepEqual(
        (await ada.ProjectVariables.all(project())).map((each) => each.value),
        ['hello'],
      );
      await ada.GroupVariables.create(group(), 'SHARED', 'yes', { masked: false, protected: true });
      assert.equal((await ada.GroupVariables.show(group(), 'SHARED')).protected, true);
      await ada.GroupVariables.remove(group(), 'SHARED');
    },
  );

  await suite.step('gitbeaker: pipelines and jobs [2/api.pipelines/1] [2/api.jobs/1]', async () => {
    await ada.Commits.create(project(), 'main', 'Check', [
      { action: 'create', filePath: '.gitlab-ci.yml', content: manualConfig },
    ]);
    await until(
      'the pipeline of the push',
      20,
      async () => (await ada.Pipelines.all(project(), { ref: 'main' })).length > 0,
    );
    const pipeline = await ada.Pipelines.create(project(), 'main', {
      variables: [{ key: 'GREETING', value: 'from the client' }],
    });
    found.pipeline = pipeline.id;
    const sent = await ada.Pipelines.allVariables(project(), pipeline.id);
    assert.deepEqual(
      sent.map((each) => [each.key, each.value]),
      [['GREETING', 'from the client']],
    );
    await until(
      'the pipeline',
      60,
      async () => (await ada.Pipelines.show(project(), pipeline.id)).status === 'success',
    );
    const jobs = await ada.Jobs.all(project(), { pipelineId: pipeline.id });
    assert.deepEqual(jobs.map((each) => each.name).sort(), ['check', 'deploy']);
    const check = jobs.find((each) => each.name === 'check') ?? assert.fail('no job');
    const manual = jobs.find((each) => each.name === 'deploy') ?? assert.fail('no manual job');
    assert.match(await ada.Jobs.showLog(project(), check.id), /from the client/);
    assert.ok(['pending', 'running'].includes((await ada.Jobs.play(project(), manual.id)).status));
    await until('the played job', 60, async () => (await ada.Jobs.show(project(), manual.id)).status === 'success');
    const again = await ada.Jobs.retry(project(), check.id);
    await until('the retried job', 60, async () => (await ada.Jobs.show(project(), again.id)).status === 'success');
    const succeeded = await ada.Jobs.all(project(), { scope: 'success' });
    assert.ok(succeeded.some((each) => each.id === again.id));
    assert.ok((await ada.Pipelines.all(project(), { ref: 'main' })).some((each) => each.id === pipeline.id));
    assert.equal((await ada.Pipelines.showLatest(project(), { ref: 'main' })).id, pipeline.id);
  });

  await suite.step('gitbeaker: a merge request is made, read and merged [2/api.merge-requests/1]', async () => {
    await ada.Commits.create(
      project(),
      'change',
      'Change',
      [{ action: 'update', filePath: 'notes/note 03.txt', content: 'three\n' }],
      { startBranch: 'main' },
    );
    const made = await ada.MergeRequests.create(project(), 'change', 'main', 'A change', {
      description: 'Why',
      removeSourceBranch: true,
    });
    assert.equal((await ada.MergeRequests.allDiffs(project(), made.iid)).length, 1);
    assert.equal((await ada.MergeRequests.allCommits(project(), made.iid)).length, 1);
    assert.equal((await ada.MergeRequests.edit(project(), made.iid, { title: 'A better one' })).title, 'A better one');
    const open = await ada.MergeRequests.all({ projectId: project(), state: 'opened' });
    assert.deepEqual(
      open.map((each) => each.iid),
      [made.iid],
    );
    await until('its pipeline', 60, async () => {
      const [pipeline] = await ada.MergeRequests.allPipelines(project(), made.iid);
      return pipeline?.status === 'success';
    });
    const merged = await ada.MergeRequests.merge(project(), made.iid, { squash: true });
    assert.equal(merged.state, 'merged');
    const file = await ada.RepositoryFiles.show(project(), 'notes/note 03.txt', 'main');
    assert.equal(Buffer.from(file.content, 'base64').toString(), 'three\n');
  });

  await suite.step('gitbeaker: runners [2/api.runners/1]', async () => {
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

  await pythonClients(suite, instance, { token: world.ada.token, rootToken: world.root.token, project: found.project });
}
