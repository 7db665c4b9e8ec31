/** Issues and comments that many requests write at the same time: each is answered as its own, and all are counted. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildMember, buildProject, buildToken } from '../../../../test/factories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let owner: BuiltToken;
let reader: BuiltToken;
let base: string;
let projectId: number;

beforeAll(async () => {
  app = await startTestApp({ background: true });
  owner = await buildToken(app);
  reader = await buildToken(app);
  const project = await buildProject(app, { owner: owner.user });
  await buildMember(app, { user: reader.user, of: project, level: Level.developer });
  projectId = project.id;
  base = `/projects/${projectId}`;
});
afterAll(() => app.close());

const post = (path: string, json: object, by = owner) => app.api<Json>('POST', path, { token: by.secret, json });
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);

it('twenty issues at once have the numbers from 1 to 20, their own titles, and a fact each', async () => {
  const answers = await Promise.all(
    numbers(20).map((at) =>
      post(
        `${base}/issues`,
        at === 7
          ? { title: 'Title 7', labels: 'a label' }
          : at === 8
            ? { title: '' }
            : { title: `Title ${at}`, description: at % 2 === 0 ? 'It "leaks" 😀' : `For @${reader.user.username}` },
        at % 3 === 0 ? reader : owner,
      ),
    ),
  );
  const refused = answers.filter(({ status }) => status !== 201);
  expect(refused.map(({ status }) => status)).toEqual([400]);
  const made = answers.filter(({ status }) => status === 201);
  expect(made.map(({ body }) => Number(body.iid)).sort((a, b) => a - b)).toEqual(numbers(19).map((at) => at + 1));
  for (const [at, { body, status }] of answers.entries()) {
    if (status !== 201) continue;
    const by = at % 3 === 0 ? reader : owner;
    expect([body.title, (body.author as Json).id, body.subscribed]).toEqual([`Title ${at}`, by.user.id, true]);
    const { body: read } = await app.api<Json>('GET', `${base}/issues/${body.iid}`, { token: owner.secret });
    const { subscribed: _mine, ...shown } = body;
    expect(read).toMatchObject(shown);
  }
  const { body: project } = await app.api<Json>('GET', base, { token: owner.secret });
  expect(project.open_issues_count).toBe(19);
  const events = () =>
    app.db
      .selectFrom('events')
      .select('issue_id')
      .where('project_id', '=', projectId)
      .where('target_type', '=', 'issue')
      .execute();
  await eventually('all events', async () => (await events()).length === 19);
  const todos = () => app.db.selectFrom('todos').select('id').where('user_id', '=', reader.user.id).execute();
  // Those with an odd number that the reader did not write; the seventh has a label and no text.
  const named = numbers(20).filter((at) => at % 2 === 1 && at % 3 !== 0 && at !== 7).length;
  await eventually('all to-dos', async () => (await todos()).length === named);
});

it('issues at once keep their own labels and people, in their order, with a label event and a to-do for each', async () => {
  for (const name of ['Zinc', 'amber', 'blue']) await post(`${base}/labels`, { name, color: '#4488cc' });
  const people = [reader.user.id, owner.user.id];
  const given = numbers(12).map((at) => ({
    title: `Own ${at}`,
    // A label that nobody has made yet, and people who are not there, do not hold up the others.
    ...(at % 3 === 0
      ? {}
      : { labels: at === 4 ? ['new', 'blue'] : at % 2 === 0 ? ['blue', 'Zinc', 'amber'] : ['amber'] }),
    ...(at % 4 === 1 ? {} : { assignee_ids: at % 4 === 2 ? [...people].reverse() : [...people, 999_999] }),
  }));
  const answers = await Promise.all(given.map((json) => post(`${base}/issues`, json)));
  for (const [at, { status, body }] of answers.entries()) {
    expect([status, body.title]).toEqual([201, `Own ${at}`]);
    const { labels = [], assignee_ids = [] } = given[at] ?? {};
    expect(new Set(body.labels as string[])).toEqual(new Set(labels));
    expect((body.assignees as Json[]).map(({ id }) => id)).toEqual(assignee_ids.filter((id) => id !== 999_999));
    const path = `${base}/issues/${body.iid}`;
    const { body: read } = await app.api<Json>('GET', path, { token: owner.secret });
    expect(read).toEqual(body);
    const { body: events } = await app.api<Json[]>('GET', `${path}/resource_label_events`, { token: owner.secret });
    expect(new Set(events.map(({ label }) => (label as Json).name))).toEqual(new Set(labels));
    expect(events.every(({ user, created_at }) => (user as Json).id === owner.user.id && created_at)).toBe(true);
    const todos = await app.db
      .selectFrom('todos')
      .select(['user_id', 'action', 'state'])
      .where('noteable_id', '=', Number(body.id))
      .orderBy('id')
      .execute();
    const expected = assignee_ids.filter((id) => id !== 999_999);
    expect(todos).toEqual(expected.map((user_id) => ({ user_id, action: 'assigned', state: 'pending' })));
  }
});

it('comments at once are answered as their own, and name whom they name', async () => {
  const { body: issue } = await post(`${base}/issues`, { title: 'Discussed' });
  const path = `${base}/issues/${issue.iid}/notes`;
  const answers = await Promise.all(
    numbers(12).map((at) =>
      at === 5
        ? post(path, { body: ' ' })
        : post(path, { body: at === 3 ? `@${reader.user.username} look` : `Note ${at}` }),
    ),
  );
  expect(answers.filter(({ status }) => status !== 201).map(({ status }) => status)).toEqual([400]);
  for (const [at, { body, status }] of answers.entries())
    if (status === 201) expect(String(body.body)).toContain(at === 3 ? 'look' : `Note ${at}`);
  const { body: listed } = await app.api<Json[]>('GET', path, { token: owner.secret, query: { per_page: 100 } });
  expect(new Set(listed.map(({ id }) => id)).size).toBe(11);
  const todos = await app.db
    .selectFrom('todos')
    .select('action')
    .where('noteable_id', '=', Number(issue.id))
    .where('user_id', '=', reader.user.id)
    .execute();
  expect(todos).toEqual([{ action: 'mentioned' }]);
});

it('comments at once on several issues mark each as updated and what their authors had to do as done, but for one that goes', async () => {
  const both = [owner, reader];
  const assignee_ids = both.map(({ user }) => user.id);
  const made = await Promise.all(numbers(5).map((at) => post(`${base}/issues`, { title: `Busy ${at}`, assignee_ids })));
  const issues = made.map(({ body }) => body);
  const gone = issues[4] as Json;
  const removing = app.api('DELETE', `${base}/issues/${gone.iid}`, { token: owner.secret });
  const answers = await Promise.all(
    numbers(20).map(async (at) => {
      const issue = issues[at % 5] as Json;
      const by = both[at % 2] as BuiltToken;
      return { issue, by, at, answer: await post(`${base}/issues/${issue.iid}/notes`, { body: `Busy ${at}` }, by) };
    }),
  );
  expect((await removing).status).toBe(204);
  for (const { issue, by, at, answer } of answers) {
    if (issue === gone && answer.status !== 201) expect(answer.status).toBe(404);
    else expect([answer.body.body, (answer.body.author as Json).id]).toEqual([`Busy ${at}`, by.user.id]);
  }
  for (const issue of issues.slice(0, 4)) {
    const { body: read } = await app.api<Json>('GET', `${base}/issues/${issue.iid}`, { token: owner.secret });
    expect(read.user_notes_count).toBe(4);
    expect(Date.parse(String(read.updated_at))).toBeGreaterThan(Date.parse(String(issue.updated_at)));
    const todos = app.db.selectFrom('todos').select('state').where('noteable_id', '=', Number(issue.id));
    expect(await todos.execute()).toEqual([{ state: 'done' }, { state: 'done' }]);
  }
});
