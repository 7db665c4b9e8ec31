/** Configurations that include files from addresses, templates and components. */
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { type Receiver, startReceiver } from '../../../../test/receiver.ts';
import { deleteExpiredRemoteFiles } from './remote-files.queries.ts';

interface Verdict {
  readonly valid: boolean;
  readonly errors: string[];
  readonly jobs: Array<{ readonly name: string; readonly script: string[] }>;
  readonly includes: Array<{ readonly type: string; readonly location: string; readonly extra: object }>;
}

let world: World;
let project: TestProject;
let remote: Receiver;
beforeAll(async () => {
  world = await startWorld();
  project = await world.project();
  remote = await startReceiver();
});
afterAll(async () => {
  await remote.close();
  await world.close();
});
/** Which addresses of this machine and its network may be asked. */
const local = (allowed: readonly string[]) =>
  world.app.api('PUT', '/application/settings', {
    token: world.admin.token,
    json: { allow_local_requests_from_web_hooks_and_services: false, outbound_local_requests_whitelist: allowed },
  });
beforeEach(async () => {
  remote.received.length = 0;
  remote.answer = { status: 200, body: 'far: {script: [x]}\n' };
  expect((await local(['127.0.0.1'])).status).toBe(200);
});

it('[20/4] the configuration of a project may be a file of another one, or at an address; inputs are for that', async () => {
  const shared = await world.project();
  const header = 'spec: {inputs: {word: {default: none}}}\n---\n';
  await shared.commit(null, {
    branch: 'lib',
    files: {
      'ci/all.yml': `${header}include: more.yml\n"far $[[ inputs.word ]]": {script: [x]}\n`,
      'more.yml': 'more: {script: [x]}\n',
    },
  });
  const user = await world.project();
  const { token } = world.owner;
  const at = (path: string) => world.app.api('PUT', `/projects/${user.id}`, { token, json: { ci_config_path: path } });
  const run = async (json: object = {}, by = token) =>
    await world.app.api<{ id: number }>('POST', `/projects/${user.id}/pipeline`, {
      token: by,
      json: { ref: 'main', ...json },
    });
  const jobs = async ({ body }: { body: { id: number } }) => Object.keys(await user.statuses(body.id)).sort();
  await at(`ci/all.yml@${shared.path}:lib`);
  expect(await jobs(await run({ inputs: { word: 'blue' } }))).toEqual(['far blue', 'more']);
  const checked = await world.app.api<Verdict>('GET', `/projects/${user.id}/ci/lint`, { token });
  expect(checked.body).toMatchObject({ valid: true, includes: [{ location: 'ci/all.yml' }, { location: 'more.yml' }] });
  const helper = await world.account();
  await world.app.api('POST', `/projects/${user.id}/members`, {
    ...{ token, json: { user_id: helper.user.id, access_level: 40 } },
  });
  const refused = await run({}, helper.token);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining('not found or access denied'),
  ]);
  remote.answer = { status: 200, body: `${header}"at $[[ inputs.word ]]": {script: [x]}\n` };
  await at(remoteFile('/all.yml?token=hidden'));
  expect(await jobs(await run({ inputs: { word: 'home' } }))).toEqual(['at home']);
  remote.answer = { status: 404, body: '' };
  const missing = JSON.stringify((await run()).body);
  expect(missing).toContain(`${remote.url}/all.yml?...`);
  expect(missing).not.toContain('hidden');
});

/** The verdict on a configuration that includes this, with a job of its own. */
const including = (include: string) => lint(`include: ${include}\nown: {script: [x]}`);
const lint = async (content: string) =>
  (
    await world.app.api<Verdict>('POST', `/projects/${project.id}/ci/lint`, {
      token: world.owner.token,
      json: { content, include_jobs: true },
    })
  ).body;
const names = ({ jobs }: Verdict) => jobs.map(({ name }) => name);
const remoteFile = (path = '/ci/a.yml') => `${remote.url}${path}`;

describe('include:remote', () => {
  it('runs the jobs of a file at an address, in pipelines as in lint', async () => {
    const url = remoteFile('/a.yml?token=hidden');
    const verdict = await lint(`include: ["${url}"]\nown: {script: [x]}`);
    expect([verdict.errors, names(verdict)]).toEqual([[], ['far', 'own']]);
    expect(verdict.includes).toMatchObject([{ type: 'remote', location: `${remote.url}/a.yml?...` }]);
    expect(remote.received.map(({ method, path }) => [method, path])).toEqual([['GET', '/a.yml?token=hidden']]);
    const pipeline = await project.push(`include: {remote: "${url}"}\nown: {script: [x]}`);
    expect(Object.keys(await project.statuses(pipeline.id)).sort()).toEqual(['far', 'own']);
  });

  it('takes only the content that has the hash', async () => {
    const body = 'far: {script: [x]}\n';
    const hash = createHash('sha256').update(body).digest('base64');
    const content = (integrity: string) =>
      `include: {remote: "${remoteFile()}", integrity: "${integrity}"}\nown: {script: [x]}`;
    expect(names(await lint(content(`sha256-${hash}`)))).toEqual(['far', 'own']);
    remote.answer = { status: 200, body: `${body}# changed\n` };
    expect((await lint(content(`sha256-${hash}`))).errors).toEqual([
      expect.stringMatching(
        /^\.gitlab-ci\.yml:1:19: Remote file `.*` could not be fetched: its hash is not the one of `integrity`!$/,
      ),
    ]);
  });

  it('says why there is no file, without what may be secret', async () => {
    for (const [answer, reason] of [
      [{ status: 404 }, 'the server answered 404'],
      [{ status: 200, body: Buffer.alloc(1024 * 1024 + 1, '#') }, 'it is larger than 1048576 bytes'],
      [{ status: 0 }, 'The connection failed: ECONNRESET'],
    ] as const) {
      remote.answer = answer;
      expect((await including(`"${remoteFile('/x.yml?password=secret')}"`)).errors).toEqual([
        `.gitlab-ci.yml:1:10: Remote file \`${remote.url}/x.yml?...\` could not be fetched: ${reason}!`,
      ]);
    }
  });

  it('asks the same address once, and ends loops', async () => {
    const twice = `include: ["${remoteFile()}", "${remoteFile()}"]\nown: {script: [x]}`;
    expect(names(await lint(twice))).toEqual(['far', 'own']);
    expect(remote.received).toHaveLength(1);
    remote.answer = { status: 200, body: `include: "${remoteFile('/b.yml')}"\n` };
    const [error] = (await including(`"${remoteFile('/b.yml')}"`)).errors;
    expect(error).toContain('include loop: .gitlab-ci.yml -> ');
  });

  it('[security 8] never asks addresses that the instance does not allow, also behind redirects', async () => {
    await local([]);
    expect((await including(`"${remoteFile()}"`)).errors[0]).toContain('could not be fetched: ');
    expect(remote.received).toEqual([]);
    await local(['127.0.0.1']);
    remote.answer = { status: 302, headers: { location: `http://127.0.0.2:${remote.port}/inner.yml` } };
    expect((await including(`"${remoteFile()}"`)).errors[0]).toContain('could not be fetched: ');
    expect(remote.received.map(({ path }) => path)).toEqual(['/ci/a.yml']);
  });

  it('[security 20] gives what it includes no variables, and nothing that only members may read', async () => {
    const hidden = await world.project({ visibility: 'private' });
    await hidden.commit(null, { files: { 'ci.yml': 'hidden: {script: [x]}\n' } });
    const secret = { key: 'DEPLOY_SECRET', value: 'canary' };
    const made = await world.app.api('POST', `/projects/${project.id}/variables`, {
      token: world.owner.token,
      json: secret,
    });
    expect(made.status).toBe(201);
    remote.answer = {
      status: 200,
      body: `include: ["${remote.url}/leak-$DEPLOY_SECRET-$CI_PROJECT_PATH.yml"]\nfar: {script: [x]}\n`,
    };
    await project.push(`include: "${remoteFile()}"\nown: {script: [x]}`);
    expect(remote.received.map(({ path }) => path)).toEqual(['/ci/a.yml', '/leak--.yml']);
    remote.answer = { status: 200, body: `include: {project: ${hidden.path}, file: ci.yml}\nfar: {script: [x]}\n` };
    expect((await including(`"${remoteFile()}"`)).errors).toEqual([
      `${remoteFile()}:1:20: Project \`${hidden.path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`,
    ]);
  });
});

describe('include:cache', () => {
  const cached = (path: string, cache: string, more = '') =>
    including(`{remote: "${remoteFile(path)}", cache: ${cache}${more}}`);
  /** As if time had passed since the files were fetched. */
  const age = (seconds: number) =>
    sql`update ci_remote_files set fetched_at = fetched_at - make_interval(secs => ${seconds}),
      expires_at = expires_at - make_interval(secs => ${seconds})`.execute(world.app.db);
  const file = (name: string) => {
    remote.answer = { status: 200, body: `${name}: {script: [x]}\n` };
  };

  it('keeps a file for an hour or as long as it says, for its project alone', async () => {
    const path = '/kept.yml?token=secret';
    expect(names(await cached(path, 'true'))).toEqual(['far', 'own']);
    file('new');
    expect(names(await cached(path, 'true'))).toEqual(['far', 'own']);
    expect(remote.received).toHaveLength(1);
    // Another project, no `cache`, and a shorter time than has passed.
    const other = await world.project();
    const pipeline = await other.push(`include: {remote: "${remoteFile(path)}", cache: true}\nown: {script: [x]}`);
    expect(Object.keys(await other.statuses(pipeline.id)).sort()).toEqual(['new', 'own']);
    expect(names(await including(`"${remoteFile(path)}"`))).toEqual(['new', 'own']);
    await age(120);
    expect(names(await cached(path, '1 hour'))).toEqual(['far', 'own']);
    expect(names(await cached(path, '1 minute'))).toEqual(['new', 'own']);
    expect(remote.received).toHaveLength(4);
  });

  it('fetches again when the time is over, checks the hash each time, and keeps no failure', async () => {
    const path = '/hashed.yml';
    remote.answer = { status: 500, body: '' };
    expect((await cached(path, 'true')).errors[0]).toContain('the server answered 500');
    file('first');
    expect(names(await cached(path, '1 day'))).toEqual(['first', 'own']);
    const wrong = `, integrity: "sha256-${createHash('sha256').update('other').digest('base64')}"`;
    expect((await cached(path, '1 day', wrong)).errors[0]).toContain('its hash is not the one');
    file('second');
    await age(23 * 3600);
    expect(names(await cached(path, '1 day'))).toEqual(['first', 'own']);
    await age(3700);
    expect(names(await cached(path, '1 day'))).toEqual(['second', 'own']);
    await age(2 * 24 * 3600);
    expect(await deleteExpiredRemoteFiles(world.app.db, 100)).toBeGreaterThan(0);
    expect(await deleteExpiredRemoteFiles(world.app.db, 100)).toBe(0);
  });
});

describe('include:template', () => {
  it('takes what the instance offers, and names what it does not', async () => {
    const verdict = await lint('include: {template: Bash.gitlab-ci.yml}\nown: {script: [x], stage: test}');
    expect([verdict.errors, names(verdict)]).toEqual([[], ['shellcheck', 'own']]);
    expect(verdict.includes).toMatchObject([{ type: 'template', location: 'Bash.gitlab-ci.yml' }]);
    expect((await including('{template: Nothing.gitlab-ci.yml}')).errors).toEqual([
      '.gitlab-ci.yml:1:21: Template file `Nothing.gitlab-ci.yml` does not exist!',
    ]);
  });
});

describe('include:component', () => {
  let parts: TestProject;
  let oldest = '';
  const file = (mark: string) => `spec:
  inputs: {job: {default: ${mark}}}
  component: [name, version, sha, reference]
---
include: {local: common.yml}
$[[ inputs.job ]]:
  script: echo $[[ component.name ]] $[[ component.version ]] $[[ component.sha ]] $[[ component.reference ]]
`;
  const address = (name: string, version: string, of = parts) =>
    `${new URL(world.app.url).host}/${of.path}/${name}@${version}`;
  const include = (component: string) => including(`{component: "${component}"}`);
  const released = async (tag: string, ref: string) => {
    const json = { tag_name: tag, ref, description: tag };
    const made = await world.app.api('POST', `/projects/${parts.id}/releases`, { token: world.owner.token, json });
    expect(made.status).toBe(201);
  };

  const published = (tag: string) =>
    eventually(`version ${tag}`, async () => {
      const path = `/projects/${parts.id}/catalog/versions/${tag}`;
      return (await world.app.api('GET', path, { token: world.owner.token })).status === 200;
    });

  beforeAll(async () => {
    parts = await world.project({ visibility: 'private', description: 'Parts' });
    const common = { 'README.md': 'Parts', 'common.yml': 'common: {script: [x]}\n' };
    oldest = await parts.commit(null, { files: { ...common, 'templates/test.yml': file('first') } });
    await released('1.0.0', oldest);
    await released('9.0.0', oldest);
    const listed = await world.app.api('PUT', `/projects/${parts.id}/catalog`, { token: world.owner.token });
    expect(listed.status).toBe(200);
    await released('1.0.1', oldest);
    await parts.commit(null, { files: { 'templates/test.yml': file('second') } });
    await released('1.2.0', 'main');
    const folder = { 'templates/deep/template.yml': file('deep'), 'templates/test.yml': file('third') };
    await parts.commit(null, { files: folder });
    await released('2.0.0-rc1', 'main');
    for (const tag of ['1.0.1', '1.2.0', '2.0.0-rc1']) await published(tag);
  });

  it('takes a commit, tag, branch, the latest published version, and parts of one', async () => {
    for (const [version, job] of [
      ['1.0.0', 'first'],
      ['main', 'third'],
      ['2.0.0-rc1', 'third'],
      ['~latest', 'second'],
      ['1', 'second'],
      ['1.0', 'first'],
      [oldest, 'first'],
    ] as const)
      expect([version, ...names(await include(address('test', version)))]).toEqual([version, 'common', job, 'own']);
    // A version is one that the catalog has published; a release from before is a tag like any other.
    for (const [reference, version] of [
      ['1.0', '1.0.1'],
      ['1.0.1', '1.0.1'],
      ['1.0.0', ''],
      [oldest, ''],
    ] as const) {
      const { jobs } = await include(`$CI_SERVER_FQDN/${parts.path}/test@${reference}`);
      const shown = jobs.find(({ name }) => name === 'first')?.script;
      expect(shown).toEqual([`echo test ${version} ${oldest} ${reference}`]);
    }
    const deep = await include(address('deep', 'main'));
    expect([names(deep), deep.includes[0]]).toMatchObject([
      ['common', 'deep', 'own'],
      { type: 'component', location: address('deep', 'main') },
    ]);
    const pipeline = await project.push(
      `include: {component: "$CI_SERVER_FQDN/${parts.path}/test@1", inputs: {job: mine}}`,
    );
    expect(Object.keys(await project.statuses(pipeline.id)).sort()).toEqual(['common', 'mine']);
  });

  it('tells components of one name in two projects, and two versions of one, from each other', async () => {
    const others = await world.project({ visibility: 'private' });
    await others.commit(null, {
      files: { 'common.yml': 'common: {script: [x]}\n', 'templates/test.yml': file('theirs') },
    });
    const places = [address('test', '1.0'), address('test', 'main'), address('test', 'main', others)];
    const found = await including(`[${places.map((each) => `{component: "${each}"}`).join(', ')}]`);
    expect(names(found)).toEqual(['common', 'first', 'third', 'theirs', 'own']);
    const scripts = found.jobs.map(({ script }) => script[0]);
    expect(scripts[2]).toMatch(/^echo test {2}[0-9a-f]{40} main$/);
  });

  it('says what is wrong with the address or version', async () => {
    const problem = async (component: string) =>
      (await include(component)).errors[0]?.split(' could not be included: ')[1];
    expect(await problem(address('test', '3'))).toBe('there is no such version!');
    const unlisted = await world.project({ visibility: 'private' });
    await unlisted.commit(null, { files: { 'templates/test.yml': file('theirs') } });
    for (const [version, what] of [
      ['~latest', '~latest'],
      ['1', 'partial semantic'],
      ['1.2', 'partial semantic'],
    ] as const)
      expect(await problem(address('test', version, unlisted))).toBe(
        `The ${what} version reference is not supported for non-catalog resources. Use a tag, branch, or commit SHA instead!`,
      );
    expect(await problem(address('gone', 'main'))).toBe(
      'the project has neither `templates/gone.yml` nor `templates/gone/template.yml`!',
    );
    expect(await problem(`elsewhere.example/${parts.path}/test@1`)).toBe('it is not of this instance!');
  });

  it('[security 17] tells nobody whether a project exists that they may not read', async () => {
    const stranger = await world.account();
    const shared = await world.project({ visibility: 'public' });
    const errors = async (path: string) => {
      const { body } = await world.app.api<Verdict>('POST', `/projects/${shared.id}/ci/lint`, {
        token: stranger.token,
        json: { content: `include: {component: "$CI_SERVER_FQDN/${path}/test@1.0.0"}` },
      });
      return JSON.stringify(body).replaceAll(path, 'PATH');
    };
    const hidden = await errors(parts.path);
    expect(hidden).toBe(await errors(`${parts.path}x`));
  });
});
