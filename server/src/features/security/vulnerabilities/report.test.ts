/** Reports over HTTP: vulnerabilities of groups and of the instance, only those that the caller may read, also as CSV. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
} from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { readCsv } from '../../../kernel/csv.ts';
import type { Namespace, Project } from '../../../kernel/db/rows.ts';

type Listed = { readonly id: number; readonly title: string; readonly project: { readonly id: number } };

let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let developer: BuiltToken;
let group: Namespace;
let first: Project;
let second: Project;
let elsewhere: Project;

const build = async (project: Project, title: string, more: object = {}) => {
  const values = { project_id: project.id, title, severity: 'high', confidence: 'high', report_type: 'sast' };
  const row = { ...values, state: 'detected' as const, ...more };
  return await app.db.insertInto('vulnerabilities').values(row).returning('id').executeTakeFirstOrThrow();
};

beforeAll(async () => {
  app = await startTestApp();
  admin = await buildToken(app, { user: await buildAdmin(app) });
  owner = await buildToken(app);
  group = await buildGroup(app, { owner: owner.user });
  const inner = await buildGroup(app, { owner: owner.user, parent: group });
  first = await buildProject(app, { namespace: group });
  second = await buildProject(app, { namespace: inner });
  elsewhere = await buildProject(app, { owner: owner.user });
  developer = await buildToken(app);
  await buildMember(app, { user: developer.user, of: second, level: Level.developer });
  await build(first, '=HYPERLINK("evil")', { severity: 'low', description: 'Two\nlines, "quoted"' });
  await build(second, 'Inner', { severity: 'critical', report_type: 'dast' });
  await build(second, 'Dismissed', { state: 'dismissed' });
  await build(elsewhere, 'Elsewhere', { severity: 'medium' });
});
afterAll(() => app.close());

const list = async (target: string, { secret }: BuiltToken, query = {}) => {
  const { status, body, headers } = await app.api<Listed[]>('GET', target, { token: secret, query });
  expect(status).toBe(200);
  return { titles: body.map(({ title }) => title), total: headers.get('x-total'), body };
};

test('a group lists those of all projects below it that the caller may read, the worst first', async () => {
  const at = `/groups/${group.id}/vulnerabilities`;
  const whole = await list(at, owner, { order_by: 'severity' });
  expect(whole).toMatchObject({ titles: ['Inner', 'Dismissed', '=HYPERLINK("evil")'], total: '3' });
  expect(whole.body[0]?.project.id).toBe(second.id);
  expect((await list(at, owner)).titles).toEqual(['Dismissed', 'Inner', '=HYPERLINK("evil")']);
  // A member of one project below sees the group and those of that project.
  expect((await list(at, developer)).titles).toEqual(['Dismissed', 'Inner']);
  expect((await list(at, owner, { project_id: [first.id] })).titles).toEqual(['=HYPERLINK("evil")']);
  expect((await list(at, developer, { project_id: [first.id] })).titles).toEqual([]);
  expect((await list(at, owner, { state: 'detected', severity: 'critical', report_type: 'dast' })).titles).toEqual([
    'Inner',
  ]);
  expect((await list(at, owner, { per_page: 1, page: 2 })).titles).toEqual(['Inner']);
  const stranger = await buildToken(app);
  expect((await app.api('GET', at, { token: stranger.secret })).status).toBe(404);
  expect((await app.api('GET', at, { token: owner.secret, query: { severity: 'awful' } })).status).toBe(400);
});

test('the instance lists those of all projects that the caller may read, without archived ones', async () => {
  expect((await list('/vulnerabilities', admin)).titles).toEqual([
    'Elsewhere',
    'Dismissed',
    'Inner',
    '=HYPERLINK("evil")',
  ]);
  expect((await list('/vulnerabilities', developer)).titles).toEqual(['Dismissed', 'Inner']);
  expect((await list('/vulnerabilities', await buildToken(app))).titles).toEqual([]);
  expect((await app.api('GET', '/vulnerabilities')).status).toBe(401);
  await app.db.updateTable('projects').set({ archived: true }).where('id', '=', elsewhere.id).execute();
  expect((await list('/vulnerabilities', admin)).titles).not.toContain('Elsewhere');
  await app.db.updateTable('projects').set({ archived: false }).where('id', '=', elsewhere.id).execute();
});

const csv = async (target: string, { secret }: BuiltToken, query = {}) => {
  const { status, body, headers } = await app.api<string>('GET', `${target}/csv`, { token: secret, query });
  expect([status, headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(headers.get('content-disposition')).toMatch(/^attachment; filename="vulnerabilities_\d{4}-\d\d-\d\d\.csv"$/);
  const [names = [], ...rows] = [...readCsv(body)].map(({ fields }) => fields);
  return rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
};

test('the file has what the list has, and no formula that a spreadsheet would run', async () => {
  const all = await csv('/vulnerabilities', admin);
  expect(all.map((row) => row.Vulnerability)).toEqual(['Elsewhere', 'Dismissed', 'Inner', `'=HYPERLINK("evil")`]);
  expect(all.at(-1)).toMatchObject({
    'Project Name': first.name,
    'Group Name': group.name,
    Tool: 'sast',
    Status: 'detected',
    Severity: 'low',
    Details: 'Two\nlines, "quoted"',
  });
  const of = `/groups/${group.id}/vulnerabilities`;
  expect((await csv(of, developer)).map((row) => row.Vulnerability)).toEqual(['Dismissed', 'Inner']);
  expect(await csv(of, owner, { severity: 'medium' })).toEqual([]);
  expect(await csv(`/projects/${second.id}/vulnerabilities`, owner, { state: 'dismissed' })).toHaveLength(1);
  const reporter = await buildToken(app);
  await buildMember(app, { user: reporter.user, of: second, level: Level.reporter });
  const refused = await app.api('GET', `/projects/${second.id}/vulnerabilities/csv`, { token: reporter.secret });
  expect(refused.status).toBe(403);
});

test('files of many lines are read in batches and are complete', async () => {
  const many = await buildProject(app, { owner: owner.user });
  const values = Array.from({ length: 1201 }, (_, at) => ({
    ...{ project_id: many.id, title: `Number ${at}`, severity: 'info', confidence: 'high', report_type: 'sast' },
    state: 'detected' as const,
  }));
  await app.db.insertInto('vulnerabilities').values(values).execute();
  const lines = await csv(`/projects/${many.id}/vulnerabilities`, owner);
  expect(new Set(lines.map((row) => row.Vulnerability)).size).toBe(1201);
});
