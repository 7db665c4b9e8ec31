/** Options of `git push` about merge requests and pipelines, with the real git; and what the person reads. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, buildAdmin, buildToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let developer: BuiltToken;
let clone: string;
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  const ci = { 'README.md': '# Hello\n', '.gitlab-ci.yml': 'one: {script: [make]}\n' };
  project = await buildRepositoryProject(app, { files: ci });
  developer = await project.member(30);
  clone = unique('clone');
  await git.run(['clone', '-q', project.remote(developer.secret), clone]);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

/** Commits on a new branch from main, or on the one given, and pushes with options. */
async function push(branch: string, options: readonly string[], messages: readonly string[] = ['Change a thing']) {
  await git.run(['checkout', '-q', '-B', branch, messages.length > 0 ? 'origin/main' : branch], clone);
  for (const message of messages) {
    await git.commit(clone, unique('file'), 'x', message);
  }
  const { code, stderr } = await git.try(
    ['push', '-f', ...options.flatMap((option) => ['-o', option]), 'origin', branch],
    clone,
  );
  return { code, said: stderr.replaceAll(/\s*\nremote: ?/g, '\n').replaceAll(/ +\n/g, '\n') };
}
const requestsOf = async (branch: string) =>
  (await project.api<Json[]>('GET', '/merge_requests', { query: { source_branch: branch, state: 'all' } })).body;

describe('merge requests', () => {
  it('one is created with all that was asked for, and its address is printed', async () => {
    const other = (await project.member(30)).user;
    const { code, said } = await push('feature/one', [
      'merge_request.create',
      'merge_request.target=main',
      'merge_request.title=Made by a push',
      'merge_request.description=first\\nsecond',
      'merge_request.draft',
      'merge_request.squash',
      'merge_request.remove_source_branch',
      `merge_request.assign=${developer.user.username}`,
      `merge_request.reviewer=${other.id}`,
    ]);
    const [made, ...more] = await requestsOf('feature/one');
    expect([code, more]).toEqual([0, []]);
    expect(made).toMatchObject({
      title: 'Draft: Made by a push',
      description: 'first\nsecond',
      target_branch: 'main',
      squash: true,
      force_remove_source_branch: true,
      author: { id: developer.user.id },
      assignees: [{ id: developer.user.id }],
      reviewers: [{ id: other.id }],
    });
    expect(said).toContain(`View merge request for feature/one:\n  ${made?.web_url}`);
  });

  it('labels and a milestone are given, taken away, and missed without harm', async () => {
    await project.api('POST', '/milestones', { json: { title: 'v 1.0' } });
    const options = ['merge_request.create', 'mr.label=bug,first step', 'mr.label=late', 'mr.unlabel=late'];
    await push('planned', [...options, 'merge_request.milestone=v 1.0']);
    expect(await requestsOf('planned')).toMatchObject([
      { labels: ['bug', 'first step'], milestone: { title: 'v 1.0' } },
    ]);
    const wishes = ['mr.unlabel=bug', 'mr.label=new', 'mr.milestone=v2', 'mr.title=Still', 'mr.assign=nobody-here'];
    const { said } = await push('planned', wishes);
    expect(await requestsOf('planned')).toMatchObject([
      { title: 'Still', labels: ['first step', 'new'], milestone: { title: 'v 1.0' } },
    ]);
    expect(said).toContain("'mr.milestone=v2'");
    expect(said).toContain('There is no milestone v2');
    expect(said).toContain('There is no user nobody-here');
  });

  it('without a title it has that of its only commit, or the name of the branch', async () => {
    await push('single', ['mr.create'], ['Only one\n\nAnd why.']);
    expect((await requestsOf('single'))[0]).toMatchObject({ title: 'Only one', description: 'And why.' });
    await push('several-commits', ['mr.create'], ['one', 'two']);
    expect((await requestsOf('several-commits'))[0]).toMatchObject({ title: 'Several commits', description: null });
  });

  it('the next push changes it, follows its head and waits for the pipeline', async () => {
    const someone = await project.member(30);
    await push('grows', ['mr.create', `mr.assign=${someone.user.username}`, 'mr.draft']);
    const again = await push('grows', [
      'mr.create',
      'merge_request.title=Better',
      'merge_request.draft=false',
      `merge_request.unassign=${someone.user.username}`,
      `merge_request.assign=${developer.user.username}`,
    ]);
    expect(again.said).not.toContain('WARNINGS');
    const [row, ...more] = await requestsOf('grows');
    expect([row, more]).toMatchObject([{ title: 'Better', assignees: [{ id: developer.user.id }] }, []]);
    expect(row?.sha).toBe(await git.run(['rev-parse', 'grows'], clone));
    const refused = await push('grows', ['merge_request.auto_merge']);
    expect([refused.code, refused.said]).toEqual([0, expect.stringContaining('You may not merge into main')]);
    await git.run(['remote', 'set-url', 'origin', project.remote(project.owner.secret)], clone);
    await push('waits', ['mr.create', 'mr.merge_when_pipeline_succeeds']);
    await git.run(['remote', 'set-url', 'origin', project.remote(developer.secret)], clone);
    expect((await requestsOf('waits'))[0]).toMatchObject({ merge_when_pipeline_succeeds: true });
    await app.delivery.drain();
    expect((await requestsOf('waits'))[0]).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true });
  });

  it('what cannot be done is told and never fails the push', async () => {
    for (const [options, reason] of [
      [['mr.title=x'], 'A merge_request.create push option is required to create a merge request for branch refused'],
      [['mr.create', 'mr.target=nowhere'], `Target branch ${project.fullPath}:nowhere does not exist`],
      [['mr.create', 'mr.target=refused'], "You can't use same project/branch for source and target"],
      [
        ['mr.create', 'mr.target_project=else/where'],
        'There is no project else/where in the network of forks that you may see',
      ],
    ] as const) {
      const { code, said } = await push('refused', options);
      const written = options.map((option) => `'${option}'`).join(' ');
      expect([code, said]).toEqual([
        0,
        expect.stringContaining(`WARNINGS:\nError encountered with push options ${written}: ${reason}`),
      ]);
    }
    expect(await requestsOf('refused')).toEqual([]);
    const { said } = await push('odd', ['mr.create', 'merge_request.label', 'nonsense=1']);
    expect(said).toContain("WARNING: The push option 'merge_request.label' needs a value.");
    expect(said).toContain("WARNING: The push option 'nonsense=1' is not known.");
    expect(await requestsOf('odd')).toHaveLength(1);
  });

  it('hints: create one, see one, neither where the project does not want them', async () => {
    expect((await push('hinted', [])).said).toContain('To create a merge request for hinted, visit:');
    // What administrators tell everybody comes first.
    const announced = { message: 'Upgrade at noon', starts_at: new Date(0), ends_at: new Date(Date.now() + 3_600_000) };
    const looks = { broadcast_type: 'banner', theme: 'indigo', color: '#E75E40', font: '#FFFFFF' } as const;
    await app.db
      .insertInto('broadcast_messages')
      .values({ ...announced, ...looks })
      .execute();
    expect((await push('hinted-again', [])).said).toMatch(
      /={72}\n\nUpgrade at noon\n\n={72}[\s\S]*To create a merge request/,
    );
    await push('hinted', ['mr.create']);
    expect((await push('hinted', [])).said).toContain('View merge request for hinted:');
    const quiet = { json: { printing_merge_request_link_enabled: false } };
    expect((await project.api('PUT', '', quiet)).status).toBe(200);
    expect((await push('hinted', [])).said).not.toContain('merge request');
    await project.api('PUT', '', { json: { printing_merge_request_link_enabled: true } });
    const many = Array.from({ length: 11 }, (_, at) => `HEAD:refs/heads/many${at}`);
    const told = await git.try(['push', '-o', 'mr.create', 'origin', ...many], clone);
    expect([told.code, told.stderr]).toEqual([
      0,
      expect.stringContaining('Too many branches pushed (11 were pushed, limit is 10)'),
    ]);
    const several = ['one', 'two', 'three'].map((name) => `HEAD:refs/heads/several-${name}`);
    const { stderr } = await git.try(['push', 'origin', ...several], clone);
    expect(stderr.match(/merge request/g)).toHaveLength(1);
    expect(stderr).toContain('To view or create merge requests for these 3 branches, visit: ');
  });
});

describe('pipelines', () => {
  const pipelinesOf = async (branch: string) => {
    await app.delivery.drain();
    const sources = { query: { ref: branch } };
    return (await project.api<Json[]>('GET', '/pipelines', sources)).body.map(({ id, status, source }) => ({
      id,
      status,
      source,
    }));
  };
  it('of four branches at once, and of none of five, unless the project wants all (git_push_create_all_pipelines)', async () => {
    const admin = (await buildToken(app, { user: await buildAdmin(app) })).secret;
    const pushed = async (count: number) => {
      const names = Array.from({ length: count }, () => unique('many'));
      await git.run(['push', '-q', 'origin', ...names.map((name) => `HEAD:refs/heads/${name}`)], clone);
      return (await Promise.all(names.map(pipelinesOf))).flat().length;
    };
    expect([await pushed(4), await pushed(5)]).toEqual([4, 0]);
    const json = { value: true };
    expect((await app.api('POST', '/features/git_push_create_all_pipelines', { token: admin, json })).status).toBe(201);
    expect(await pushed(5)).toBe(5);
    await app.api('DELETE', '/features/git_push_create_all_pipelines', { token: admin });
    await app.settings.write({ git_push_pipeline_limit: 1 });
    expect([await pushed(1), await pushed(2)]).toEqual([1, 0]);
    await app.settings.write({ git_push_pipeline_limit: 4 });
  });

  it('ci.skip makes a skipped one, ci.no_pipeline none, ci.variable gives variables', async () => {
    await push('skips', ['ci.skip']);
    expect(await pipelinesOf('skips')).toMatchObject([{ status: 'skipped', source: 'push' }]);
    await push('none', ['ci.no_pipeline']);
    expect(await pipelinesOf('none')).toEqual([]);
    await push('given', ['ci.variable="GREETING=hello there"', 'ci.variable=N=1']);
    const [pipeline] = await pipelinesOf('given');
    expect((await project.api<Json[]>('GET', `/pipelines/${pipeline?.id}/variables`)).body).toMatchObject([
      { key: 'GREETING', value: 'hello there' },
      { key: 'N', value: '1' },
    ]);
  });

  it('ci.input gives values to the inputs of the configuration, in their types', async () => {
    const config =
      'spec:\n  inputs:\n    who:\n    count: {type: number, default: 1}\n---\n' +
      '"$[[ inputs.who ]]": {script: [x], parallel: $[[ inputs.count ]], tags: [nobody]}\n';
    await git.run(['checkout', '-q', '-B', 'with-inputs', 'origin/main'], clone);
    await git.commit(clone, '.gitlab-ci.yml', config);
    for (const branch of ['without-inputs', 'wrong-inputs']) await git.run(['branch', '-f', branch], clone);
    await push('with-inputs', ['ci.input=who=ada', 'ci.input="count=2"'], []);
    const [made] = await pipelinesOf('with-inputs');
    const jobs = (await project.api<Json[]>('GET', `/pipelines/${made?.id}/jobs`)).body.map(({ name }) => name);
    expect(jobs.sort()).toEqual(['ada 1/2', 'ada 2/2']);
    await push('without-inputs', [], []);
    const [failed] = await pipelinesOf('without-inputs');
    expect(failed).toMatchObject({ status: 'failed' });
    expect((await project.api<Json>('GET', `/pipelines/${failed?.id}`)).body.yaml_errors).toBe(
      '.gitlab-ci.yml:3:5: `who` input: required value has not been provided',
    );
    await push('wrong-inputs', ['ci.input=who=x', 'ci.input=count=many'], []);
    const [wrong] = await pipelinesOf('wrong-inputs');
    expect((await project.api<Json>('GET', `/pipelines/${wrong?.id}`)).body.yaml_errors).toContain(
      '`count` input: provided value is not a number',
    );
  });
});
