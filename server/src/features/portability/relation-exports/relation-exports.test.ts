/** Exports of relations over HTTP: started, followed and downloaded, whole and in batches. */
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { runWaiting } from '../../../../test/queue.queries.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import type { Project } from '../../../kernel/db/rows.ts';

interface Status {
  readonly relation: string;
  readonly status: number;
  readonly error: string | null;
  readonly batched: boolean;
  readonly batches?: readonly { readonly batch_number: number; readonly objects_count: number }[];
}

let app: TestApp;
let owner: BuiltToken;
let project: Project;
const base = (id: number) => `/projects/${id}/export_relations`;
const start = (id: number, json: object = {}, token = owner.secret) => app.api('POST', base(id), { token, json });
const status = async (id: number, query: Record<string, unknown> = {}) =>
  (await app.api<Status[]>('GET', `${base(id)}/status`, { token: owner.secret, query })).body;
const download = (id: number, query: Record<string, string>) =>
  fetch(`${app.url}/api/v4${base(id)}/download?${new URLSearchParams(query)}`, {
    headers: { 'PRIVATE-TOKEN': owner.secret },
  });
const linesOf = async (answer: Response) =>
  gunzipSync(Buffer.from(await answer.arrayBuffer()))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const done = (id: number) =>
  eventually('the export', async () => {
    const all = await status(id);
    return all.length > 0 && all.every((each) => each.status !== 0) && all;
  });

beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  project = await buildProject(app, { owner: owner.user, description: 'Exported' });
  const labels = Array.from({ length: 1001 }, (_, index) => ({ name: `label ${index}`, color: '#112233' }));
  // Two of them over the API, the rest as rows: a batch has a thousand.
  for (const json of labels.slice(0, 2))
    expect((await app.api('POST', `/projects/${project.id}/labels`, { token: owner.secret, json })).status).toBe(201);
  const row = await app.db
    .selectFrom('labels')
    .selectAll()
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow();
  const { id: _, ...columns } = row;
  const rest = labels.slice(2).map(({ name }) => ({ ...columns, title: name }));
  await app.db.insertInto('labels').values(rest).execute();
});
afterAll(() => app.close());

test('all relations are exported whole, each to one file [3/api.project-relations-export/1 message] [3/api.project-relations-export/2 relation, status, error, updated_at, batched, batches] [3/api.project-relations-export/3 relation] [3/states.relations-export-status/1] [1/errors/23]', async () => {
  const answer = await start(project.id);
  expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }]);
  const all = await done(project.id);
  expect(all.map(({ relation }) => relation)).toEqual(
    expect.arrayContaining(['self', 'labels', 'milestones', 'project_members', 'project_badges', 'merge_requests']),
  );
  for (const each of all)
    expect(each).toEqual({
      relation: each.relation,
      status: 1,
      error: null,
      batched: false,
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
    });
  expect(await status(project.id, { relation: 'labels' })).toEqual(all.filter(({ relation }) => relation === 'labels'));
  const file = await download(project.id, { relation: 'labels' });
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'application/gzip']);
  expect(file.headers.get('content-disposition')).toContain('filename="labels.ndjson.gz"');
  const lines = await linesOf(file);
  expect(lines.length).toBe(1001);
  expect(lines[0]).toMatchObject({ title: 'label 0', color: '#112233' });
  expect(await linesOf(await download(project.id, { relation: 'self' }))).toMatchObject([
    { name: project.name, attributes: { description: 'Exported' } },
  ]);
  // A relation without objects has a file as well.
  expect(await linesOf(await download(project.id, { relation: 'milestones' }))).toEqual([]);
  const events = await app.db.selectFrom('audit_events').select('event').execute();
  expect(events.map(({ event }) => event)).toContain('project_relations_export_created');
});

test('batched, a file has at most as many objects as the setting says [3/api.project-relations-export/1 batched] [3/api.project-relations-export/2 relation, status, error, updated_at, batched, batches, batch_number, objects_count] [3/api.project-relations-export/3 relation, batched, batch_number]', async () => {
  await app.settings.write({ relation_export_batch_size: 1000 });
  expect((await start(project.id, { batched: true })).status).toBe(202);
  await done(project.id);
  await app.settings.write({ relation_export_batch_size: 50 });
  const batch = (batch_number: number, objects_count: number) => ({
    status: 1,
    batch_number,
    objects_count,
    error: null,
    updated_at: expect.stringMatching(/Z$/),
  });
  expect(await status(project.id, { relation: 'labels' })).toMatchObject([
    { relation: 'labels', status: 1, batched: true, batches: [batch(1, 1000), batch(2, 1)] },
  ]);
  expect(await status(project.id, { relation: 'milestones' })).toMatchObject([{ batched: true, batches: [] }]);
  const second = await download(project.id, { relation: 'labels', batched: 'true', batch_number: '2' });
  expect(second.headers.get('content-disposition')).toContain('labels.ndjson.gz');
  expect(await linesOf(second)).toMatchObject([{ title: expect.stringContaining('label') }]);

  const refused = async (query: Record<string, string>) => {
    const answer = await download(project.id, query);
    return [answer.status, await answer.json()];
  };
  expect(await refused({ relation: 'labels' })).toEqual([400, { message: 'Export is batched' }]);
  expect(await refused({ relation: 'labels', batched: 'true', batch_number: '3' })).toEqual([
    404,
    { message: 'Batch not found' },
  ]);
  expect(await refused({ relation: 'labels', batched: 'true' })).toEqual([
    400,
    { error: 'batched, batch_number provide all or none of parameters' },
  ]);
  expect(await refused({ relation: '../labels' })).toEqual([404, { message: 'Export not found' }]);
  expect(await refused({})).toEqual([400, { error: 'relation is missing' }]);
});

test('what was never exported is not found, and only maintainers export', async () => {
  const other = await buildProject(app, { owner: owner.user });
  expect(await status(other.id)).toEqual([]);
  expect((await download(other.id, { relation: 'labels' })).status).toBe(404);
  expect(await status(other.id, { relation: 'labels' })).toEqual({ message: 'Export not found' });
  const developer = await buildToken(app);
  await buildMember(app, { user: developer.user, of: other, level: Level.developer });
  const stranger = await buildToken(app);
  for (const [token, expected] of [
    [undefined, 401],
    [stranger.secret, 404],
    [developer.secret, 403],
  ] as const) {
    const answers = await Promise.all([
      app.api('POST', base(other.id), { token }),
      app.api('GET', `${base(other.id)}/status`, { token }),
      app.api('GET', `${base(other.id)}/download`, { token, query: { relation: 'labels' } }),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([expected, expected, expected]);
  }
  expect((await start(other.id, { batched: 'maybe' })).status).toBe(400);
});

test('a relation that cannot be read fails alone, with its error [3/api.project-relations-export/2 status, error] [3/states.relations-export-status/1]', async () => {
  const broken = await buildProject(app, { owner: owner.user });
  await app.db.schema.alterTable('badges').renameTo('badges_away').execute();
  try {
    expect((await start(broken.id)).status).toBe(202);
    // Tried again until its attempts are used up: those that wait are brought forward.
    await eventually('the failure', async () => {
      await runWaiting(app.db);
      const [badges] = await status(broken.id, { relation: 'project_badges' });
      return badges?.status === -1 && badges;
    });
  } finally {
    await app.db.schema.alterTable('badges_away').renameTo('badges').execute();
  }
  const all = await status(broken.id);
  const failed = all.filter((each) => each.status === -1);
  expect(failed).toMatchObject([{ relation: 'project_badges', error: 'The relation could not be exported' }]);
  expect(all.filter((each) => each.status === 1).length).toBe(all.length - 1);
  expect((await download(broken.id, { relation: 'project_badges' })).status).toBe(404);
  expect((await download(broken.id, { relation: 'labels' })).status).toBe(200);
});

test('[3/api.project-relations-export/1] requests at the same moment are all accepted, and one run stays', async () => {
  const own = await buildProject(app, { owner: owner.user });
  const answers = await Promise.all(Array.from({ length: 6 }, () => start(own.id)));
  expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(202));
  const names = (await done(own.id)).map(({ relation }) => relation);
  expect(names).toHaveLength(new Set(names).size);
});
