/** Protected environments: their API, who may deploy, and approvals. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Account, type ProtocolRunner, startWorld, type TestProject, type World } from '../../../../test/ci.ts';
import { buildGroup } from '../../../../test/factories.ts';

type Json = Record<string, unknown> & { id: number; status: string };
let world: World;
let runner: ProtocolRunner;
let other: Account;
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  other = await world.account();
});
afterAll(() => world.close());

const call = <T = Json>(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, json?: object, as = world.owner) =>
  world.app.api<T>(method, path, { token: as.token, ...(json ? { json } : {}) });
const of = (project: TestProject) => `/projects/${project.id}`;
const config = 'deploy: {script: [x], environment: production}\n';
async function projectWith(level: number): Promise<TestProject> {
  const project = await world.project();
  await call('POST', `${of(project)}/members`, { user_id: other.user.id, access_level: level });
  return project;
}
const level = (access_level: number) => ({ access_level });

describe('protected environments', () => {
  it('are listed, changed and removed, of projects by name and of groups by tier', async () => {
    const project = await projectWith(30);
    const group = await buildGroup(world.app, { owner: world.owner.user });
    for (const base of [of(project), `/groups/${group.id}`]) {
      const list = `${base}/protected_environments`;
      const made = await call('POST', list, {
        name: 'production',
        deploy_access_levels: [level(40)],
        approval_rules: [{ access_level: 30, required_approvals: 2 }],
      });
      const entry = {
        ...{ id: expect.any(Number), access_level: 40, access_level_description: 'Maintainers' },
        ...{ user_id: null, group_id: null, group_inheritance_type: 0 },
      };
      const rule = { ...entry, access_level: 30, access_level_description: 'Developers + Maintainers' };
      const shown = {
        name: 'production',
        deploy_access_levels: [entry],
        required_approval_count: 0,
        approval_rules: [{ ...rule, required_approvals: 2 }],
      };
      expect(made).toMatchObject({ status: 201, body: shown });
      expect((await call('POST', list, { name: 'production', deploy_access_levels: [level(40)] })).status).toBe(409);
      expect((await call('POST', list, { name: 'qa', deploy_access_levels: [] })).status).toBe(422);
      for (const wrong of [level(10), {}, { access_level: 40, user_id: 1 }])
        expect((await call('POST', list, { name: 'qa', deploy_access_levels: [wrong] })).status).toBe(
          base.startsWith('/groups') ? 422 : 400,
        );
      expect((await call<Json[]>('GET', list)).body).toEqual([shown]);
      const [{ id = 0 } = {}] = (made.body.deploy_access_levels ?? []) as Json[];
      const path = `${list}/production`;
      const changed = await call('PUT', path, {
        deploy_access_levels: [{ id, _destroy: true }, { user_id: world.owner.user.id }],
        required_approval_count: 1,
      });
      expect(changed.body).toMatchObject({
        deploy_access_levels: [{ user_id: world.owner.user.id, access_level_description: world.owner.user.name }],
        required_approval_count: 1,
      });
      expect((await call('GET', path)).body).toEqual(changed.body);
      expect((await call('GET', list, undefined, other)).status).toBe(base.startsWith('/groups') ? 404 : 403);
      expect((await call('DELETE', path)).status).toBe(204);
      expect((await call('GET', path)).status).toBe(404);
    }
  });

  it('fail jobs of people who may not deploy, who do not start them either', async () => {
    const project = await projectWith(30);
    await call('POST', `${of(project)}/protected_environments`, {
      name: 'production',
      deploy_access_levels: [level(40)],
    });
    const manual = config.replace('script', 'when: manual, script');
    const { id } = await project.push(`${config}${manual.replace('deploy', 'by-hand')}`, {
      branch: 'open',
      token: other.token,
    });
    expect((await runner.request()).status).toBe(204);
    expect(await project.job(id, 'deploy')).toMatchObject({
      status: 'failed',
      failure_reason: 'protected_environment_failure',
    });
    const waiting = `${of(project)}/jobs/${(await project.job(id, 'by-hand')).id}/play`;
    expect((await call('POST', waiting, {}, other)).status).toBe(403);
    const given = { environment: 'production', sha: 'a'.repeat(40), ref: 'main', tag: false, status: 'success' };
    expect((await call('POST', `${of(project)}/deployments`, given, other)).status).toBe(403);
    expect((await call('POST', waiting, {})).status).toBe(200);
    expect((await runner.run()).job_info.name).toBe('by-hand');
  });

  it('hold jobs until enough people approved, and fail those that are rejected', async () => {
    const project = await projectWith(40);
    await call('POST', `${of(project)}/protected_environments`, {
      name: 'production',
      deploy_access_levels: [level(40)],
      required_approval_count: 1,
    });
    const first = await project.push(config);
    expect(await project.statuses(first.id)).toEqual({ deploy: 'manual' });
    const job = await project.job(first.id, 'deploy');
    expect((await call('POST', `${of(project)}/jobs/${job.id}/play`)).status).toBe(400);
    const waiting = {
      reason: 'approval',
      message: 'Its deployment waits for an approval',
      ...{ jobs_ahead: null, runners_online: null },
    };
    expect((await call('GET', `${of(project)}/jobs/${job.id}`)).body.waiting).toEqual(waiting);
    const [listed] = (await call<Json[]>('GET', `${of(project)}/jobs?with_waiting=true`)).body;
    expect(listed?.waiting).toEqual(waiting);
    const [blocked] = (await call<Json[]>('GET', `${of(project)}/deployments`)).body;
    expect(blocked?.status).toBe('blocked');
    const path = `${of(project)}/deployments/${blocked?.id}`;
    expect((await call('GET', path)).body).toMatchObject({ pending_approval_count: 1, approvals: [] });
    const approval = { status: 'approved', comment: 'Go' };
    expect((await call('POST', `${path}/approval`, approval)).body).toEqual({
      message: 'You cannot approve your own deployment.',
    });
    const approved = await call('POST', `${path}/approval`, approval, other);
    expect(approved).toMatchObject({ status: 201, body: { ...approval, user: { id: other.user.id } } });
    expect((await runner.run()).id).toBe(job.id);
    expect((await call('GET', path)).body).toMatchObject({ status: 'success', approvals: [approval] });
    expect((await call('POST', `${path}/approval`, approval, other)).status).toBe(400);

    const second = await project.push(config, { files: { a: '1' } });
    const [next] = (await call<Json[]>('GET', `${of(project)}/deployments?sort=desc`)).body;
    const rejection = await call(
      'POST',
      `${of(project)}/deployments/${next?.id}/approval`,
      { status: 'rejected' },
      other,
    );
    expect(rejection.status).toBe(201);
    expect(await project.job(second.id, 'deploy')).toMatchObject({
      status: 'failed',
      failure_reason: 'deployment_rejected',
    });
    await project.push(config, { files: { a: '3' } });
    const [mine] = (await call<Json[]>('GET', `${of(project)}/deployments?sort=desc`)).body;
    const withdrawn = await call('POST', `${of(project)}/deployments/${mine?.id}/approval`, { status: 'rejected' });
    expect(withdrawn).toMatchObject({ status: 201, body: { status: 'rejected', user: { id: world.owner.user.id } } });
    await call('PUT', of(project), { allow_pipeline_trigger_approve_deployment: true });
    await project.push(config, { files: { a: '2' } });
    const [own] = (await call<Json[]>('GET', `${of(project)}/deployments?sort=desc`)).body;
    expect((await call('POST', `${of(project)}/deployments/${own?.id}/approval`, { status: 'approved' })).status).toBe(
      201,
    );
    await runner.run();
  });

  it('count an approval for the rule that its giver stands for', async () => {
    const project = await projectWith(40);
    const developer = await world.account();
    await call('POST', `${of(project)}/members`, { user_id: developer.user.id, access_level: 30 });
    const rules = [
      { access_level: 30, required_approvals: 1 },
      { user_id: other.user.id, required_approvals: 1 },
    ];
    const protection = { name: 'production', deploy_access_levels: [level(40)], approval_rules: rules };
    await call('POST', `${of(project)}/protected_environments`, protection);
    const { id } = await project.push(config);
    const [blocked] = (await call<Json[]>('GET', `${of(project)}/deployments`)).body;
    const path = `${of(project)}/deployments/${blocked?.id}`;
    const approve = (by: Account, represented_as?: string) =>
      call('POST', `${path}/approval`, { status: 'approved', represented_as }, by);
    const summary = async () => (await call('GET', path)).body.approval_summary;
    const given = (by: Account) => [
      expect.objectContaining({ status: 'approved', user: expect.objectContaining({ id: by.user.id }) }),
    ];
    const rule = (values: object) => ({
      user_id: null,
      group_id: null,
      access_level: null,
      required_approvals: 1,
      ...values,
    });
    const roles = { access_level: 30, access_level_description: 'Developers + Maintainers' };
    const person = { user_id: other.user.id, access_level_description: other.user.name };

    expect(await approve(other, 'Nobody')).toMatchObject({
      status: 400,
      body: {
        message:
          'There are no approval rules for the given `represent_as` parameter. Use a valid User/Group/Role name instead.',
      },
    });
    expect((await approve(other, other.user.name)).status).toBe(201);
    expect(await summary()).toEqual({
      rules: [rule({ ...roles, deployment_approvals: [] }), rule({ ...person, deployment_approvals: given(other) })],
    });
    expect((await call('GET', path)).body.pending_approval_count).toBe(1);
    expect((await approve(other)).status).toBe(201);
    expect(await summary()).toMatchObject({
      rules: [{ deployment_approvals: given(other) }, { deployment_approvals: [] }],
    });
    await approve(other, other.user.name);
    await approve(developer);
    expect(await summary()).toMatchObject({
      rules: [{ deployment_approvals: given(developer) }, { deployment_approvals: given(other) }],
    });
    // Rules that name who approves leave the start to people.
    const job = await project.job(id, 'deploy');
    expect(job.status).toBe('manual');
    expect((await call('GET', path)).body).toMatchObject({ status: 'created', pending_approval_count: 0 });
    expect((await call('POST', `${of(project)}/jobs/${job.id}/play`)).status).toBe(200);
    expect((await runner.run()).id).toBe(job.id);
  });

  it('let administrators deploy to all, and approve for every rule', async () => {
    const project = await projectWith(40);
    const protection = {
      name: 'production',
      deploy_access_levels: [{ user_id: other.user.id }],
      approval_rules: [{ user_id: other.user.id, required_approvals: 1 }],
    };
    expect((await call('POST', `${of(project)}/protected_environments`, protection)).status).toBe(201);
    const { id } = await project.push(config, { token: other.token, branch: 'theirs' });
    const [blocked] = (await call<Json[]>('GET', `${of(project)}/deployments`)).body;
    const path = `${of(project)}/deployments/${blocked?.id}`;
    const approve = (by: Account, more = {}) => call('POST', `${path}/approval`, { status: 'approved', ...more }, by);
    expect((await approve(world.owner)).status).toBe(400);
    expect((await approve(world.admin, { represented_as: 'Nobody' })).status).toBe(400);
    expect((await approve(world.admin, { represented_as: other.user.name })).status).toBe(201);
    expect((await call('GET', path)).body).toMatchObject({
      pending_approval_count: 0,
      approval_summary: { rules: [{ deployment_approvals: [{ user: { id: world.admin.user.id } }] }] },
    });
    const play = `${of(project)}/jobs/${(await project.job(id, 'deploy')).id}/play`;
    expect((await call('POST', play)).status).toBe(403);
    expect((await call('POST', play, undefined, world.admin)).status).toBe(200);
    expect((await runner.run()).job_info.name).toBe('deploy');
  });
});
