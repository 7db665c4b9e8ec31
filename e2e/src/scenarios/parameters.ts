/** Parameters as unmodified clients send them: arrays, hashes, arrays of hashes, dates, uploads, text where numbers belong. */
import assert from 'node:assert/strict';
import { Gitlab } from '@gitbeaker/rest';
import { api, until } from '../support/api.ts';
import { type Instance, rootToken } from '../support/instance.ts';
import type { Suite } from '../support/suite.ts';
import { parametersFromPython } from './python-parameters.ts';

const config = `stages: [check, later]
greet:
  stage: check
  script: [echo "$GREETING $SECOND"]
broken:
  stage: check
  script: ["false"]
  allow_failure: true
upload:
  stage: later
  tags: [upload-by-script]
  when: manual
  script: ["true"]
`;

/** The client's types know one value where its encoder sends a list. */
const several = <T extends string>(...values: T[]): T => values as unknown as T;

export async function parameters(suite: Suite, instance: Instance): Promise<void> {
  const root = api(instance.url, rootToken);
  const people: number[] = [];
  let token = '';
  await suite.required('accounts for parameters', async () => {
    for (const username of ['pia', 'paul', 'petra']) {
      const account = await root.expect<{ id: number }>(201, 'POST', '/users', {
        username,
        name: username,
        email: `${username}@example.com`,
        password: 'nanosecond-wire-1952',
        skip_confirmation: true,
      });
      people.push(account.id);
    }
    const path = `/users/${people[0]}/personal_access_tokens`;
    const made = await root.expect<{ token: string }>(201, 'POST', path, { name: 'parameters', scopes: ['api'] });
    token = made.token;
  });
  const pia = new Gitlab({ host: instance.url, token });
  let project = 0;
  let pipeline = 0;

  await suite.required(
    'gitbeaker: lists, an array of hashes and base64 in one commit [2/api.commits/2 actions]',
    async () => {
      const made = await pia.Projects.create({
        name: 'Parameters',
        path: 'parameters',
        initializeWithReadme: true,
        topics: ['red, white', 'blue'],
      });
      project = made.id;
      assert.deepEqual(
        (await pia.Projects.all({ owned: true, topic: 'blue' })).map((each) => each.id),
        [project],
      );
      assert.deepEqual(await pia.Projects.all({ owned: true, topic: several('blue', 'green') }), []);
      await pia.Commits.create(project, 'main', 'Bytes and texts', [
        { action: 'create', filePath: '.gitlab-ci.yml', content: config },
        { action: 'create', filePath: 'dir/ünï côde+plus%20.txt', content: 'ü\n' },
        {
          action: 'create',
          filePath: 'bytes',
          content: Buffer.from([0, 255, 10, 13]).toString('base64'),
          encoding: 'base64',
        },
      ]);
      const bytes = await pia.RepositoryFiles.show(project, 'bytes', 'main');
      assert.equal(bytes.content, Buffer.from([0, 255, 10, 13]).toString('base64'));
      const odd = await pia.RepositoryFiles.show(project, 'dir/ünï côde+plus%20.txt', 'main');
      assert.equal(Buffer.from(odd.content, 'base64').toString(), 'ü\n');
    },
  );

  await suite.step(
    'gitbeaker: several members at once, as text and with a day [1/what-the-service-does/7 YYYY-MM-DD]',
    async () => {
      await pia.ProjectMembers.add(project, 30, { userId: `${people[1]},${people[2]}`, expiresAt: '2099-12-31' });
      const members = await pia.ProjectMembers.all(project, { userIds: [people[1] ?? 0, people[2] ?? 0] });
      assert.deepEqual(members.map((each) => [each.username, each.access_level, each.expires_at]).sort(), [
        ['paul', 30, '2099-12-31'],
        ['petra', 30, '2099-12-31'],
      ]);
      await assert.rejects(
        pia.ProjectMembers.edit(project, people[1] ?? 0, 30, { expiresAt: '2099-02-30' }),
        (error: { cause?: { response?: { status?: number } } }) => error.cause?.response?.status === 400,
      );
    },
  );

  await suite.required('gitbeaker: variables of a pipeline, lists of states, points in time', async () => {
    const before = new Date(Date.now() - 3_600_000).toISOString();
    const made = await pia.Pipelines.create(project, 'main', {
      variables: [
        { key: 'GREETING', value: 'a & b = c[]' },
        { key: 'SECOND', value: 'päiviä', variableType: 'env_var' },
      ],
    });
    pipeline = made.id;
    await until('its jobs', 180, async () => {
      const jobs = await pia.Jobs.all(project, { pipelineId: pipeline, scope: several('success', 'failed') });
      return jobs.length === 2;
    });
    const jobs = await pia.Jobs.all(project, { scope: several('failed', 'manual'), pipelineId: pipeline });
    assert.deepEqual(jobs.map((each) => each.name).sort(), ['broken', 'upload']);
    const greet = (await pia.Jobs.all(project, { scope: 'success', pipelineId: pipeline }))[0] ?? assert.fail('no job');
    assert.match(await pia.Jobs.showLog(project, greet.id), /a & b = c\[\] päiviä/);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    assert.equal((await pia.Commits.all(project, { since: before, until: later })).length, 2);
    assert.deepEqual(await pia.Commits.all(project, { since: later }), []);
    assert.ok((await pia.Pipelines.all(project, { updatedAfter: before })).some((each) => each.id === pipeline));
    assert.deepEqual(await pia.Pipelines.all(project, { updatedAfter: later }), []);
  });

  await suite.step('gitbeaker: merge requests by several numbers', async () => {
    for (const branch of ['one', 'two', 'three']) {
      await pia.Commits.create(
        project,
        branch,
        `On ${branch}`,
        [{ action: 'create', filePath: `${branch}.txt`, content: branch }],
        { startBranch: 'main' },
      );
      await pia.MergeRequests.create(project, branch, 'main', `Take ${branch}`, { reviewerIds: [people[1] ?? 0] });
    }
    const found = await pia.MergeRequests.all({ projectId: project, iids: [1, 3] });
    assert.deepEqual(found.map((each) => [each.iid, each.reviewers?.map(({ id }) => id)]).sort(), [
      [1, [people[1]]],
      [3, [people[1]]],
    ]);
  });

  await parametersFromPython(suite, instance, { token, rootToken, project, pipeline, people });
}
