/** The predefined variables at the phase in which the ecosystem has them: for includes, for rules of jobs, in jobs. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JobPayload, type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';

let world: World;
let runner: ProtocolRunner;
let project: TestProject;

/** Before the pipeline: also for `include:rules`. */
const before =
  'CI CI_API_V4_URL CI_API_GRAPHQL_URL CI_COMMIT_AUTHOR CI_COMMIT_BEFORE_SHA CI_COMMIT_DESCRIPTION CI_COMMIT_MESSAGE ' +
  'CI_COMMIT_MESSAGE_IS_TRUNCATED CI_COMMIT_REF_NAME CI_COMMIT_REF_PROTECTED CI_COMMIT_REF_SLUG CI_COMMIT_SHA CI_COMMIT_SHORT_SHA CI_COMMIT_TIMESTAMP ' +
  'CI_COMMIT_TITLE CI_CONFIG_PATH CI_DEFAULT_BRANCH CI_DEPLOY_FREEZE CI_PIPELINE_SOURCE CI_PIPELINE_CREATED_AT ' +
  'CI_PROJECT_ID CI_PROJECT_NAME CI_PROJECT_NAMESPACE CI_PROJECT_NAMESPACE_ID CI_PROJECT_PATH_SLUG CI_PROJECT_PATH ' +
  'CI_PROJECT_REPOSITORY_LANGUAGES CI_PROJECT_ROOT_NAMESPACE CI_PROJECT_TITLE CI_PROJECT_DESCRIPTION CI_PROJECT_URL ' +
  'CI_PROJECT_VISIBILITY CI_PROJECT_CLASSIFICATION_LABEL CI_SERVER_FQDN CI_SERVER_HOST CI_SERVER_NAME CI_SERVER_PORT ' +
  'CI_SERVER_PROTOCOL CI_SERVER_REVISION CI_SERVER_URL CI_SERVER_VERSION_MAJOR CI_SERVER_VERSION_MINOR ' +
  'CI_SERVER_VERSION_PATCH CI_SERVER_VERSION GITLAB_CI GITLAB_FEATURES';
const ofBranches = 'CI_COMMIT_BRANCH';
const ofTags = 'CI_COMMIT_TAG CI_COMMIT_TAG_MESSAGE';
const ofEnvironments = 'CI_ENVIRONMENT_ACTION CI_ENVIRONMENT_NAME CI_ENVIRONMENT_TIER CI_ENVIRONMENT_URL';
const ofRequests =
  'CI_MERGE_REQUEST_APPROVED CI_MERGE_REQUEST_ASSIGNEES CI_MERGE_REQUEST_DIFF_BASE_SHA CI_MERGE_REQUEST_DIFF_ID ' +
  'CI_MERGE_REQUEST_EVENT_TYPE CI_MERGE_REQUEST_DESCRIPTION CI_MERGE_REQUEST_DESCRIPTION_IS_TRUNCATED ' +
  'CI_MERGE_REQUEST_ID CI_MERGE_REQUEST_IID CI_MERGE_REQUEST_LABELS CI_MERGE_REQUEST_MILESTONE ' +
  'CI_MERGE_REQUEST_PROJECT_ID CI_MERGE_REQUEST_PROJECT_PATH CI_MERGE_REQUEST_PROJECT_URL CI_MERGE_REQUEST_REF_PATH ' +
  'CI_MERGE_REQUEST_SOURCE_BRANCH_NAME CI_MERGE_REQUEST_SOURCE_BRANCH_PROTECTED CI_MERGE_REQUEST_SOURCE_BRANCH_SHA ' +
  'CI_MERGE_REQUEST_SOURCE_PROJECT_ID CI_MERGE_REQUEST_SOURCE_PROJECT_PATH CI_MERGE_REQUEST_SOURCE_PROJECT_URL ' +
  'CI_MERGE_REQUEST_SQUASH_ON_MERGE CI_MERGE_REQUEST_TARGET_BRANCH_NAME CI_MERGE_REQUEST_TARGET_BRANCH_PROTECTED ' +
  'CI_MERGE_REQUEST_TARGET_BRANCH_SHA CI_MERGE_REQUEST_TITLE';
/** While the pipeline is made: also for `rules` of jobs. */
const making =
  'CI_JOB_GROUP_NAME CI_JOB_NAME CI_JOB_NAME_SLUG CI_JOB_STAGE CI_NODE_TOTAL CI_PIPELINE_IID GITLAB_USER_EMAIL GITLAB_USER_ID ' +
  'GITLAB_USER_LOGIN GITLAB_USER_NAME';
/** Of jobs that run. What the runner itself adds is not among these. */
const running =
  'CI_DEPLOY_PASSWORD CI_DEPLOY_USER CI_JOB_ID CI_JOB_STARTED_AT CI_JOB_TIMEOUT CI_JOB_TOKEN CI_JOB_URL CI_PIPELINE_ID ' +
  'CI_PIPELINE_URL CI_REPOSITORY_URL CI_RUNNER_DESCRIPTION CI_RUNNER_ID CI_RUNNER_TAGS';
const words = (text: string) => text.split(' ');

const api = async <T = Record<string, unknown>>(method: 'GET' | 'POST' | 'PUT', path: string, json?: object) => {
  const { token } = world.owner;
  const answer = await world.app.api<T>(method, `/projects/${project.id}${path}`, { token, ...(json ? { json } : {}) });
  expect(answer.status).toBeLessThan(300);
  return answer.body;
};

/** A job for each variable: in by an include that asks for it, and in by a rule. */
function configuration(): string {
  const early = [...words(before), ...words(ofBranches), ...words(ofTags), ...words(ofRequests)];
  const includes = early.map(
    (name) => `  - {local: one.yml, inputs: {name: ${name}}, rules: [{if: '$${name} != null'}]}`,
  );
  const jobs = [...words(making), ...words(running)].map(
    (name) => `rule-${name}: {script: [x], when: manual, rules: [{if: '$${name} != null', when: manual}]}`,
  );
  const all = 'all: {script: [x], rules: [{if: "$CI_PIPELINE_SOURCE"}]}';
  return `include:\n${includes.join('\n')}\n${all}\n${jobs.map((job) => job.replace('when: manual, ', '')).join('\n')}\n`;
}

beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  project = await world.project();
  const one = 'spec: {inputs: {name: }}\n---\n"include-$[[ inputs.name ]]": {script: [x], rules: [{when: manual}]}\n';
  await api('POST', '/freeze_periods', { freeze_start: '0 0 1 1 *', freeze_end: '59 23 31 12 *' });
  await api('POST', '/deploy_tokens', { name: 'other', scopes: ['read_repository'] });
  await project.commit(configuration(), {
    files: { 'one.yml': one, 'main.rb': 'puts 1\n' },
    message: 'Set up [skip ci]',
  });
});
afterAll(() => world.close());

/** Variables by the phase in which the pipeline of the job had them. */
async function phasesOf(job: JobPayload) {
  const pipeline = Number(job.variables.find(({ key }) => key === 'CI_PIPELINE_ID')?.value);
  const names: string[] = [];
  for (let page = 1; ; page++) {
    const some = await api<{ name: string }[]>('GET', `/pipelines/${pipeline}/jobs?per_page=100&page=${page}`);
    names.push(...some.map(({ name }) => name));
    if (some.length < 100) break;
  }
  const after = (prefix: string) =>
    new Set(names.flatMap((name) => (name.startsWith(prefix) ? name.slice(prefix.length) : [])));
  return {
    included: after('include-'),
    ruled: after('rule-'),
    job: new Map(job.variables.map((each) => [each.key, each])),
  };
}

function expectPhases(found: Awaited<ReturnType<typeof phasesOf>>, kind: string): void {
  const early = [...words(before), ...words(kind)];
  expect([...found.included].sort()).toEqual([...early].sort());
  expect([...found.ruled].sort()).toEqual(words(making).sort());
  const missing = [...early, ...words(making), ...words(running)].filter((name) => !found.job.has(name));
  expect(missing).toEqual([]);
}

it('[20/4] of a branch, with the deploy token that has the name for it', async () => {
  const token = await api<{ username: string; token: string }>('POST', '/deploy_tokens', {
    name: 'gitlab-deploy-token',
    scopes: ['read_repository'],
  });
  await api('GET', '/languages');
  await project.commit(null, { branch: 'work', files: { 'a.txt': '1' }, message: 'Line\n\nMore' });
  const job = await runner.next();
  const found = await phasesOf(job);
  expectPhases(found, ofBranches);
  expect(found.job.get('CI_DEPLOY_USER')?.value).toBe(token.username);
  expect(found.job.get('CI_DEPLOY_PASSWORD')).toMatchObject({ value: token.token, masked: true, public: false });
  expect(found.job.get('CI_PROJECT_REPOSITORY_LANGUAGES')?.value).toBe('ruby');
  const pipeline = await project.pipeline(Number(found.job.get('CI_PIPELINE_ID')?.value));
  expect(found.job.get('CI_PIPELINE_IID')?.value).toBe(String(pipeline.iid));
  expect(found.job.get('CI_PIPELINE_CREATED_AT')?.value).toBe(String(pipeline.created_at).replace(/\.\d+Z$/, 'Z'));
  await runner.update(job, 'success');
});

it('[20/4] of a tag, with the message of an annotated one', async () => {
  await api('POST', '/repository/tags', { tag_name: 'v1', ref: 'work', message: 'First $release' });
  const job = await runner.next();
  const found = await phasesOf(job);
  expectPhases(found, ofTags);
  expect(found.job.get('CI_COMMIT_TAG_MESSAGE')).toMatchObject({ value: 'First $release', raw: true });
  await runner.update(job, 'success');
  await api('POST', '/repository/tags', { tag_name: 'v2', ref: 'work' });
  const light = await runner.next();
  expect((await phasesOf(light)).job.get('CI_COMMIT_TAG_MESSAGE')?.value).toBe('');
  await runner.update(light, 'success');
});

it('[20/4] of a release of the tag, of the image, and of an environment that there is', async () => {
  await api('POST', '/environments', { name: 'live', tier: 'production', external_url: 'https://live.example.com' });
  const rules = [
    '$CI_RELEASE_DESCRIPTION == "Calm water"',
    '$CI_JOB_IMAGE == "debian:12"',
    '$CI_ENVIRONMENT_TIER == "production" && $CI_ENVIRONMENT_URL == "https://live.example.com"',
    '$CI_ENVIRONMENT_NAME == "live" && $CI_ENVIRONMENT_ACTION == "verify"',
  ];
  const jobs = rules.map(
    (rule, index) =>
      `j${index}: {script: [x], image: "debian:12", environment: {name: live, action: verify}, rules: [{if: '${rule}', when: ${index === 0 ? 'always' : 'manual'}}]}\n`,
  );
  await project.commit(`never: {script: [x], rules: [{if: '$CI_ENVIRONMENT_NAME'}]}\n${jobs.join('')}`, {
    branch: 'calm',
    message: 'Calm [skip ci]',
  });
  await api('POST', '/releases', { tag_name: 'v3', ref: 'calm', description: 'Calm water' });
  const made = await api<{ id: number }>('POST', '/pipeline?ref=v3');
  expect(Object.keys(await project.statuses(made.id)).sort()).toEqual(['j0', 'j1', 'j2', 'j3']);
  const job = await runner.next();
  const values = new Map(job.variables.map(({ key, value }) => [key, value]));
  expect(values.get('CI_RELEASE_DESCRIPTION')).toBe('Calm water');
  for (const name of words(ofEnvironments)) expect([name, values.has(name)]).toEqual([name, true]);
  await runner.update(job, 'success');
});

it('[20/4] of a merge request: approved as long as nothing is missing, with the ids of both heads only for their merge', async () => {
  const milestone = await api<{ id: number }>('POST', '/milestones', { title: 'Harbour day' });
  await api('POST', '/merge_requests', {
    ...{ source_branch: 'work', target_branch: 'main', title: 'Work', labels: 'a' },
    ...{ milestone_id: milestone.id, assignee_id: world.owner.user.id },
  });
  const job = await runner.next();
  const found = await phasesOf(job);
  expectPhases(found, ofRequests);
  expect(found.job.get('CI_MERGE_REQUEST_APPROVED')?.value).toBe('true');
  expect(found.job.get('CI_MERGE_REQUEST_SOURCE_BRANCH_SHA')?.value).toBe('');
  expect(found.job.get('CI_MERGE_REQUEST_TARGET_BRANCH_SHA')?.value).toBe('');
  await runner.update(job, 'success');
  await api('POST', '/approval_rules', { name: 'All', approvals_required: 1, rule_type: 'any_approver' });
  await api('POST', '/merge_requests/1/pipelines');
  const again = await runner.next();
  const unapproved = await phasesOf(again);
  expect(unapproved.included.has('CI_MERGE_REQUEST_APPROVED')).toBe(false);
  expect(unapproved.job.has('CI_MERGE_REQUEST_APPROVED')).toBe(false);
  await runner.update(again, 'success');
});
