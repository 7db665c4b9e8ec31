/** Explanations: what decided is stored with a pipeline, and told of events that did not happen. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import type { EventJson, ExplanationJson } from './explain.entity.ts';

let world: World;
let project: TestProject;
beforeAll(async () => {
  world = await startWorld();
  project = await world.project();
  const set = (key: string, value: string) =>
    world.app.api('POST', `/projects/${project.id}/variables`, { token: world.owner.token, json: { key, value } });
  await set('SECRET', 'canary-1234');
});
afterAll(() => world.close());

const config = `
workflow:
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
    - if: $CI_COMMIT_BRANCH
variables:
  WRAPPED: "x-$SECRET"
in:
  script: x
  rules:
    - if: $CI_COMMIT_TAG
    - if: $SECRET =~ /canary/ && $WRAPPED && $MISSING == null
out:
  script: x
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
plain:
  script: x
`;
const token = () => world.owner.token;
type Compared = EventJson & { compared: EventJson; differences: unknown };
const explain = (json: object, as = token()) =>
  world.app.api<Compared>('POST', `/projects/${project.id}/ci/explain`, { token: as, json });

it('[security 20] stores which rules were looked at with a pipeline, without what is hidden', async () => {
  const { id } = await project.push(config);
  const path = `/projects/${project.id}/pipelines/${id}/explanation`;
  const { body, status } = await world.app.api<ExplanationJson>('GET', path, { token: token() });
  expect(status).toBe(200);
  expect(JSON.stringify(body)).not.toContain('canary-1234');
  expect(body.workflow).toMatchObject({
    included: true,
    rules: [
      { line: 4, holds: false },
      { line: 5, holds: true },
    ],
  });
  const file = '.gitlab-ci.yml';
  expect(body.jobs.map(({ name, included, line }) => [name, included, line])).toEqual([
    ['in', true, 8],
    ['out', false, 13],
    ['plain', true, 17],
  ]);
  expect(body.jobs[0]?.rules).toEqual([
    {
      file,
      line: 11,
      holds: false,
      conditions: [
        {
          kind: 'if',
          text: '$CI_COMMIT_TAG',
          holds: false,
          values: [{ name: 'CI_COMMIT_TAG', value: null, hidden: false }],
        },
      ],
    },
    {
      file,
      line: 12,
      holds: true,
      conditions: [
        {
          kind: 'if',
          text: '$SECRET =~ /canary/ && $WRAPPED && $MISSING == null',
          holds: true,
          values: [
            { name: 'SECRET', value: null, hidden: true },
            { name: 'WRAPPED', value: null, hidden: true },
            { name: 'MISSING', value: null, hidden: false },
          ],
        },
      ],
    },
  ]);
  expect(body.jobs[1]).toMatchObject({ reason: 'no rule matches' });
  expect(body.jobs[1]?.rules[0]?.conditions[0]?.values).toEqual([
    { name: 'CI_PIPELINE_SOURCE', value: 'push', hidden: false },
  ]);
  const stranger = await world.account();
  expect((await world.app.api('GET', path, { token: stranger.token })).status).toBe(404);
  const broken = await project.push('a: {script: 1, stage: no}');
  const none = `/projects/${project.id}/pipelines/${broken.id}/explanation`;
  expect((await world.app.api('GET', none, { token: token() })).status).toBe(404);
});

it('explains an event that did not happen, and compares it with another', async () => {
  await project.commit(config);
  const { body } = await explain({ source: 'schedule', compare: { source: 'push', variables: { MISSING: 'no' } } });
  expect(body).toMatchObject({ source: 'schedule', ref: 'main', outcome: 'pipeline', complete: true });
  expect(body.jobs.map(({ name, included }) => [name, included])).toEqual([
    ['in', true],
    ['out', true],
    ['plain', true],
  ]);
  expect(body.differences).toEqual([
    { name: 'in', included: true, compared: false, reason: expect.any(String), compared_reason: 'no rule matches' },
    { name: 'out', included: true, compared: false, reason: expect.any(String), compared_reason: 'no rule matches' },
  ]);
  const tag = await explain({ content: 'a: {script: x, only: [tags]}' });
  expect(tag.body).toMatchObject({ outcome: 'none', jobs: [{ name: 'a', included: false, line: 1 }] });
  const wrong = await explain({ content: 'a: {script: x, stage: no}' });
  expect(wrong.body.outcome).toBe('invalid');
  expect(wrong.body.errors).toHaveLength(1);
  expect((await explain({ ref: 'gone' })).status).toBe(404);
  expect((await explain({ merge_request_iid: 99 })).status).toBe(404);
  expect((await explain({ source: 'else' })).status).toBe(400);
  expect((await explain({}, (await world.account()).token)).status).toBe(404);
});

it('[security 20] settings take no part for those who may not run pipelines on the ref', async () => {
  await project.commit(config);
  const developer = await world.account();
  await world.app.api('POST', `/projects/${project.id}/members`, {
    token: token(),
    json: { user_id: developer.user.id, access_level: 30 },
  });
  const { body } = await explain({}, developer.token);
  expect(body).toMatchObject({ complete: false, jobs: [{ name: 'in', included: false }, {}, {}] });
});
