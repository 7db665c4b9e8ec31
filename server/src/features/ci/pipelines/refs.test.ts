/** Refs of pipelines: seen by those who see pipelines, and by the jobs that fetch them. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type JobPayload, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildMember, buildToken } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let world: World;
let git: GitClient;
let project: TestProject;
let pipelineId: number;
beforeAll(async () => {
  world = await startWorld();
  git = await gitClient();
  project = await world.project({ visibility: 'public' });
  pipelineId = (await project.push('a: {script: [x]}')).id;
});
afterAll(async () => {
  await git.close();
  await world.close();
});

/** git itself sends a password only where it is asked for one, which no public project does. */
async function sees(secret?: string, username = 'git', version = 2): Promise<boolean> {
  const header = `Authorization: Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`;
  const given = secret === undefined ? [] : ['-c', `http.extraHeader=${header}`];
  const refs = await git.run([
    ...given,
    ...['-c', `protocol.version=${version}`, 'ls-remote', `${world.app.url}/${project.path}.git`],
  ]);
  return refs.includes(`refs/pipelines/${pipelineId}`);
}
const put = async (json: object) =>
  expect((await world.app.api('PUT', `/projects/${project.id}`, { token: world.owner.token, json })).status).toBe(200);

it('security 18: refs/pipelines is listed to those who may see pipelines, and to jobs of the project', async () => {
  const { app, owner } = world;
  const row = await app.db.selectFrom('projects').selectAll().where('id', '=', project.id).executeTakeFirstOrThrow();
  const { user } = await buildMember(app, { of: row, level: Level.guest });
  const guest = (await buildToken(app, { user })).secret;
  expect([await sees(), await sees(guest), await sees(owner.token)]).toEqual([true, true, true]);
  await put({ builds_access_level: 'private' });
  for (const version of [0, 2])
    expect([await sees(undefined, 'git', version), await sees(guest, 'git', version)]).toEqual([false, true]);
  await put({ builds_access_level: 'enabled', public_jobs: false });
  expect([await sees(), await sees(guest), await sees(owner.token)]).toEqual([false, false, true]);
  const runner = await world.runner();
  const job = await runner.next();
  await put({ builds_access_level: 'private', public_jobs: true });
  expect(await sees(job.token, 'gitlab-ci-token')).toBe(true);
  const deploy = await app.api<{ username: string; token: string }>('POST', `/projects/${project.id}/deploy_tokens`, {
    token: owner.token,
    json: { name: 'reads', scopes: ['read_repository'] },
  });
  expect(await sees(deploy.body.token, deploy.body.username)).toBe(false);
  await runner.update(job, 'success');
});

it('jobs of public projects fetch their commit where pipelines are for members, whoever git comes as', async () => {
  const runner = await world.runner();
  for (const builds of ['private', 'enabled']) {
    await put({ builds_access_level: builds });
    const sha = await project.commit(`a: {script: [x]}\n# ${builds}`);
    const job = (await runner.next()) as JobPayload & { git_info: { repo_url: string; refspecs: string[] } };
    const [kept = ''] = job.git_info.refspecs;
    const ref = kept.split(':')[1] ?? '';
    expect(kept).toBe(builds === 'private' ? `+${sha}:${ref}` : `+${ref}:${ref}`);
    await git.run(['init', '-q', builds]);
    await git.run(['fetch', '-q', '--depth', '20', job.git_info.repo_url, ...job.git_info.refspecs], builds);
    expect(await git.run(['rev-parse', ref], builds)).toBe(sha);
    await runner.update(job, 'success');
  }
});
