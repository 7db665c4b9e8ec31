/** Rules, approvals, protected environments and schedules on the way there and back; wrong lines are told and left out. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import type { BuiltToken } from '../../../../test/factories.ts';
import { archiveWorld, opened, packed } from '../../../../test/project-archives.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

const world = archiveWorld();
const { exported, imported } = world;
let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let reviewer: BuiltToken;
let source: RepositoryProject;
let archive: Buffer;

beforeAll(async () => {
  ({ app, admin, owner } = await world.start());
  source = await buildRepositoryProject(app, { owner, files: { 'README.md': '# Ruled\n' } });
  reviewer = await source.member(40);
  const call = async (target: string, json: Json, token = owner.secret) => {
    const answer = await source.api<Json>('POST', target, { json, token });
    expect([target, answer.status < 300, answer.body]).toEqual([target, true, answer.body]);
    return answer.body;
  };
  const branches = (await source.api<Json[]>('GET', '/protected_branches')).body;
  const main = branches.find(({ name }) => name === 'main') ?? (await call('/protected_branches', { name: 'main' }));
  await call('/approval_rules', { name: 'Anyone', rule_type: 'any_approver', approvals_required: 1 });
  await call('/approval_rules', {
    name: 'Security',
    approvals_required: 2,
    user_ids: [reviewer.user.id],
    protected_branch_ids: [main.id],
  });
  await call('/protected_environments', {
    name: 'production',
    deploy_access_levels: [{ access_level: 40 }, { user_id: reviewer.user.id }],
    approval_rules: [{ access_level: 40, required_approvals: 2 }],
  });
  const schedule = await call('/pipeline_schedules', {
    ...{ description: 'Nightly', ref: 'main', cron: '15 3 * * *', cron_timezone: 'Europe/Berlin', active: true },
  });
  await call(`/pipeline_schedules/${schedule.id}/variables`, { key: 'SECRET', value: 'canary-schedule' });
  await source.commit('change', { 'a.txt': 'a' }, { start_branch: 'main' });
  await call('/merge_requests', { source_branch: 'change', target_branch: 'main', title: 'A change' });
  await call('/merge_requests/1/approve', {}, reviewer.secret);
  archive = await exported(source);
});
afterAll(() => world.close());

const get = async (id: unknown, path: string) =>
  (await app.api<Json[]>('GET', `/projects/${id}${path}`, { token: admin.secret })).body;

it('an import by an administrator brings them; schedules wait, and single people stay behind in environments', async () => {
  for (const content of (await opened(archive)).values()) expect(content.includes('canary-schedule')).toBe(false);
  const status = await imported(archive, { namespace: owner.user.username }, admin);
  expect(status).toMatchObject({
    import_status: 'finished',
    failed_relations: [],
    stats: {
      imported: { approval_rules: 2, protected_environments: 1, pipeline_schedules: 1, approvals: 1 },
    },
  });
  const { id } = status;
  const rules = async (of: unknown) =>
    (await get(of, '/approval_rules')).map(({ name, rule_type, approvals_required, users, protected_branches }) => ({
      ...{ name, rule_type, approvals_required },
      users: (users as Json[]).map(({ username }) => username),
      branches: (protected_branches as Json[]).map((branch) => branch.name),
    }));
  expect(await rules(id)).toEqual(await rules(source.id));
  expect(await rules(id)).toContainEqual({
    ...{ name: 'Security', rule_type: 'regular', approvals_required: 2 },
    ...{ users: [reviewer.user.username], branches: ['main'] },
  });
  expect(await get(id, '/protected_environments')).toMatchObject([
    {
      name: 'production',
      deploy_access_levels: [{ access_level: 40, user_id: null }],
      approval_rules: [{ access_level: 40, required_approvals: 2 }],
    },
  ]);
  const [schedule] = await get(id, '/pipeline_schedules');
  expect(schedule).toMatchObject({
    ...{ description: 'Nightly', cron: '15 3 * * *', cron_timezone: 'Europe/Berlin', active: false },
    owner: { username: admin.user.username },
  });
  const [before] = await get(source.id, '/pipeline_schedules');
  expect(schedule?.ref).toBe(before?.ref);
  const approvals = (await get(id, '/merge_requests/1/approvals')) as unknown as Json;
  expect(approvals.approved_by).toMatchObject([{ user: { username: reviewer.user.username } }]);
});

it('security 18: who is no administrator brings no approvals, and no rules in the name of others', async () => {
  const status = await imported(archive, {}, owner);
  expect(status).toMatchObject({
    import_status: 'finished',
    stats: { imported: { approval_rules: 1, pipeline_schedules: 1, approvals: 0 } },
  });
  expect(
    (status.failed_relations as Json[]).map(({ relation_name, exception_message }) => [
      relation_name,
      exception_message,
    ]),
  ).toEqual(
    expect.arrayContaining([
      ['approval_rules', 'names nobody of this instance'],
      ['approvals', 'only administrators import approvals'],
    ]),
  );
  expect((await get(status.id, '/approval_rules')).map(({ name }) => name)).toEqual(['Anyone']);
});

it('wrong lines are told and left out', async () => {
  const files = await opened(archive);
  const line = (row: Json) => `${JSON.stringify(row)}\n`;
  const schedule = { description: 'x', ref: 'main', cron: '0 0 * * *', cron_timezone: 'UTC' };
  files.set(
    'relations/pipeline_schedules.ndjson',
    Buffer.from(
      [
        line({ ...schedule, cron: '0 0 30 2 *' }),
        line({ ...schedule, cron: 'never' }),
        line({ ...schedule, cron_timezone: 'Mars/Base' }),
        line({ ...schedule, active: true }),
        line({ ...schedule, ref: '' }),
      ].join(''),
    ),
  );
  const rule = {
    ...{ rule_type: 'regular', approvals_required: 1, applies_to_all_protected_branches: false },
    ...{ branches: [], users: [admin.user.username], groups: false },
  };
  files.set(
    'relations/approval_rules.ndjson',
    Buffer.from(
      [
        line({ ...rule, name: 'Fine' }),
        line({ ...rule, name: 'Fine' }),
        line({ ...rule, name: 'Elsewhere', branches: ['gone'] }),
        line({ ...rule, name: 'Coverage', rule_type: 'report_approver' }),
        line({ ...rule, name: 'Many', approvals_required: 101 }),
      ].join(''),
    ),
  );
  files.set(
    'relations/protected_environments.ndjson',
    Buffer.from(
      line({
        name: 'live',
        required_approval_count: 0,
        rules: [{ kind: 'deploy', access_level: 41, required_approvals: 1 }],
      }),
    ),
  );
  const status = await imported(packed(files), {}, admin);
  const reasons = (status.failed_relations as Json[]).map(
    ({ relation_name: name, line_number: at }) => `${name} ${at}`,
  );
  expect(reasons).toEqual([
    ...[2, 3, 4, 5].map((at) => `approval_rules ${at}`),
    'protected_environments 1',
    ...[1, 2, 3, 5].map((at) => `pipeline_schedules ${at}`),
  ]);
  // What a line says beside its own is nothing: no archive starts pipelines.
  expect(await get(status.id, '/pipeline_schedules')).toMatchObject([{ active: false }]);
  expect(await get(status.id, '/protected_environments')).toEqual([]);
});
