/** Files of issues with a real mail server: what is exported for whom, and what rows become. Slow, sampled: mails are waited for. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import {
  type BuiltToken,
  buildGroup,
  buildMember,
  buildProject,
  buildToken,
  type ProjectValues,
} from '../../../../test/factories.ts';
import { type MailServer, startMailServer } from '../../../../test/mail.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { readCsv } from '../../../kernel/csv.ts';
import type { Project } from '../../../kernel/db/rows.ts';

interface Shown {
  readonly iid: number;
  readonly title: string;
  readonly description: string | null;
  readonly due_date: string | null;
  readonly issue_type: string;
  readonly labels: readonly string[];
  readonly milestone: { readonly title: string } | null;
  readonly author: { readonly id: number };
}
let mails: MailServer;
let app: TestApp;
let owner: BuiltToken;
beforeAll(async () => {
  mails = await startMailServer({ user: 'millrace', password: 'p@ss/word' });
  app = await startTestApp({
    background: true,
    environment: { MILLRACE_SMTP_URL: `${mails.url}?tls=required&verify=off` },
  });
  owner = await person();
});
afterAll(async () => {
  await app.close();
  await mails.close();
});

async function person(of?: Project, level?: Level): Promise<BuiltToken> {
  const made = await buildToken(app);
  await app.db.updateTable('users').set({ confirmed_at: new Date() }).where('id', '=', made.user.id).execute();
  if (of && level !== undefined) await buildMember(app, { of, user: made.user, level });
  return made;
}
async function projectOf(values: ProjectValues = {}): Promise<Project> {
  const group = await buildGroup(app, { owner: owner.user });
  return await buildProject(app, { namespace: group, visibility: 'private', ...values });
}
const post = (path: string, json: object, by: BuiltToken = owner) =>
  app.api<{ message: unknown }>('POST', path, { token: by.secret, json });
const exported = (of: Project, by: BuiltToken, json: object = {}) =>
  post(`/projects/${of.id}/issues/export_csv`, json, by);
async function created(of: Project, json: object, by = owner): Promise<Shown> {
  const { status, body } = await app.api<Shown>('POST', `/projects/${of.id}/issues`, { token: by.secret, json });
  expect(status).toBe(201);
  return body;
}
const listed = async (of: Project) =>
  (await app.api<Shown[]>('GET', `/projects/${of.id}/issues`, { token: owner.secret, query: { sort: 'asc' } })).body;
function imported(of: Project, content: string | Buffer, by: BuiltToken = owner) {
  const form = new FormData();
  form.set('file', new Blob([typeof content === 'string' ? content : new Uint8Array(content)]), 'issues.csv');
  return app.api<{ message: string; rows?: number }>('POST', `/projects/${of.id}/issues/import_csv`, {
    token: by.secret,
    form,
  });
}
/** Rows of the file in the next mail, by the names of their columns. */
async function fileFor(who: BuiltToken) {
  const mail = await mails.next(who.user.email);
  const [file] = mail.attachments;
  expect([mail.attachments.length, file?.type]).toEqual([1, 'text/csv']);
  const [header, ...rows] = [...readCsv(file?.content.replaceAll('\r\n', '\n') ?? '')];
  const names = header?.fields ?? [];
  return {
    mail,
    file,
    names,
    rows: rows.map(({ fields }) => Object.fromEntries(names.map((name, at) => [name, fields[at]]))),
  };
}

describe('the export', () => {
  it('is mailed with all that an issue is, ordered by title, and without formulas', async () => {
    const of = await projectOf();
    const milestone = await app.api<{ id: number }>('POST', `/projects/${of.id}/milestones`, {
      token: owner.secret,
      json: { title: '=v1' },
    });
    const first = await created(of, {
      ...{ title: '=HYPERLINK("http://x")', description: 'Two\nlines, "quoted"', labels: 'b,a', weight: 3 },
      ...{ due_date: '2031-02-03', start_date: '2031-02-01', milestone_id: milestone.body.id, confidential: true },
      ...{ assignee_ids: [owner.user.id], issue_type: 'incident' },
    });
    await post(`/projects/${of.id}/issues/${first.iid}/time_estimate`, { duration: '1h' });
    await post(`/projects/${of.id}/issues/${first.iid}/add_spent_time`, { duration: '30m' });
    const second = await created(of, { title: 'Zebra' });
    await app.api('PUT', `/projects/${of.id}/issues/${second.iid}`, {
      token: owner.secret,
      json: { state_event: 'close' },
    });
    const answer = await exported(of, owner);
    expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted' }]);
    const { mail, file, names, rows } = await fileFor(owner);
    expect(mail.header('Subject')).toBe(`${of.name} | Issues`);
    expect(mail.text).toContain('2 issues');
    expect(file?.filename).toMatch(new RegExp(`^${of.path}_issues_\\d{4}-\\d\\d-\\d\\d\\.csv$`));
    expect(names).toEqual([
      ...['ID', 'IID', 'Title', 'Description', 'Type', 'URL', 'State', 'Confidential', 'Locked', 'Milestone', 'Labels'],
      ...['Author', 'Author Username', 'Assignee', 'Assignee Username', 'Created At (UTC)', 'Updated At (UTC)'],
      ...['Closed At (UTC)', 'Due Date', 'Start Date', 'Parent ID', 'Parent IID', 'Parent Title', 'Time Estimate'],
      ...['Time Spent', 'Weight'],
    ]);
    expect(rows).toMatchObject([
      {
        ...{ IID: String(first.iid), Title: `'=HYPERLINK("http://x")`, Description: 'Two\nlines, "quoted"' },
        ...{ Type: 'Incident', State: 'Open', Confidential: 'Yes', Locked: 'No', Milestone: "'=v1", Labels: 'a,b' },
        ...{ Author: owner.user.name, 'Author Username': owner.user.username, Assignee: owner.user.name },
        ...{ 'Assignee Username': owner.user.username, 'Due Date': '2031-02-03', 'Start Date': '2031-02-01' },
        ...{ 'Closed At (UTC)': '', 'Time Estimate': '3600', 'Time Spent': '1800', Weight: '3', 'Parent ID': '' },
      },
      { Title: 'Zebra', State: 'Closed', Confidential: 'No', Weight: '', Type: 'Issue' },
    ]);
    expect(rows[0]?.URL).toMatch(new RegExp(`^${app.url}/.*/-/issues/${first.iid}$`));
    expect(rows[1]?.['Closed At (UTC)']).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });

  it('has what the filter finds and whoever asks sees', async () => {
    const of = await projectOf();
    await created(of, { title: 'Open to all', labels: 'bug' });
    await created(of, { title: 'Secret', labels: 'bug', confidential: true });
    await created(of, { title: 'Other' });
    const guest = await person(of, Level.guest);
    const own = await created(of, { title: 'Own secret', labels: 'bug', confidential: true }, guest);
    expect(own.iid).toBe(4);
    const titles = async (who: BuiltToken, json: object) => {
      expect((await exported(of, who, json)).status).toBe(202);
      return (await fileFor(who)).rows.map(({ Title }) => Title);
    };
    expect(await titles(guest, { labels: 'bug' })).toEqual(['Open to all', 'Own secret']);
    expect(await titles(owner, { labels: 'bug' })).toEqual(['Open to all', 'Own secret', 'Secret']);
    const recent = { created_after: '2001-01-01T00:00:00Z', not: { labels: 'bug' }, state: 'opened' };
    expect(await titles(owner, recent)).toEqual(['Other']);
    expect(await titles(owner, { created_before: '2001-01-01T00:00:00Z' })).toEqual([]);
  });

  it('ends at 15 MiB and says so', async () => {
    const of = await projectOf();
    await sql`insert into issues (project_id, iid, author_id, title, description)
      select ${of.id}, n, ${owner.user.id}, 'Long ' || lpad(n::text, 2, '0'), repeat('x', 1048000)
      from generate_series(1, 16) n`.execute(app.db);
    await exported(of, owner);
    const { mail, rows, file } = await fileFor(owner);
    expect(rows.map(({ Title }) => Title).at(-1)).toBe('Long 15');
    expect(mail.text).toContain('it has 15 of 16 issues');
    expect(Buffer.byteLength(file?.content ?? '')).toBeLessThan(15 * 1024 * 1024 + 100);
  });

  it('is for people who see the issues and have an address', async () => {
    const of = await projectOf();
    const open = await projectOf({ visibility: 'public' });
    expect((await app.api('POST', `/projects/${open.id}/issues/export_csv`)).status).toBe(401);
    expect((await exported(of, await person())).status).toBe(404);
    expect((await exported(open, await person())).status).toBe(202);
    const unconfirmed = await buildToken(app);
    await app.db.updateTable('users').set({ confirmed_at: null }).where('id', '=', unconfirmed.user.id).execute();
    expect(await exported(open, unconfirmed)).toMatchObject({
      status: 400,
      body: { message: 'The export is sent by email: confirm your email address' },
    });
    expect((await exported(open, owner, { state: 'some' })).status).toBe(400);
    await app.api('PUT', `/projects/${open.id}`, { token: owner.secret, json: { issues_access_level: 'disabled' } });
    expect((await exported(open, owner)).status).toBe(403);
  });
});

describe('the import', () => {
  it('makes an issue of each row, with its quick actions, and mails which lines were refused', async () => {
    const of = await projectOf();
    for (const [path, json] of [
      ['milestones', { title: 'v1.0' }],
      ['labels', { name: 'frontend', color: '#ff0000' }],
    ] as const)
      expect((await post(`/projects/${of.id}/${path}`, json)).status).toBe(201);
    const planner = await person(of, Level.planner);
    const file = [
      'title;description;due_date;milestone;type',
      'First;"A text; with more\nthan one line\n\n/label ~frontend";2031-05-06;v1.0;incident',
      ';No title;;;',
      'Second;;;;',
      'Third;x;31.12.2031;;',
      'Fourth;x;;v9;',
      'Fifth;x;;;epos',
      `${'t'.repeat(256)};x;;;`,
    ].join('\r\n');
    const answer = await imported(of, file, planner);
    expect([answer.status, answer.body]).toEqual([202, { message: '202 Accepted', rows: 7 }]);
    const mail = await mails.next(planner.user.email);
    expect(mail.header('Subject')).toBe(`${of.name} | Imported issues`);
    for (const text of [
      `2 issues imported into project ${of.name}.`,
      '5 issues could not be imported:',
      "Line 6: title can't be blank",
      'Line 8: due_date is not a day (YYYY-MM-DD)',
      'Line 9: milestone "v9" does not exist',
      'Line 10: type is not one of issue, incident, test_case, task',
      'Line 11: title is too long (maximum is 255 characters)',
    ])
      expect(mail.text).toContain(text);
    expect(await listed(of)).toMatchObject([
      {
        ...{ iid: 1, title: 'First', description: 'A text; with more\nthan one line', due_date: '2031-05-06' },
        ...{ issue_type: 'incident', labels: ['frontend'], milestone: { title: 'v1.0' } },
        author: { id: planner.user.id },
      },
      { iid: 2, title: 'Second', labels: [], milestone: null, due_date: null, issue_type: 'issue' },
    ]);
    expect(await app.db.selectFrom('issue_csv_imports').selectAll().where('project_id', '=', of.id).execute()).toEqual(
      [],
    );
  });

  it('refuses at once what cannot be read, with the line', async () => {
    const of = await projectOf();
    for (const [content, message] of [
      ['name,text\na,b', 'The file has no column "title", "description"'],
      ['title,description\n"a,b', 'Line 2: a quoted field is not closed'],
      ['title,description\n', 'The file has no rows'],
      [Buffer.from([0xff, 0xfe, 0x00]), 'The file is not UTF-8 text'],
    ] as const) {
      const answer = await imported(of, content);
      expect([answer.status, answer.body.message]).toEqual([400, message]);
    }
    expect((await imported(of, 'x'.repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
    expect(await listed(of)).toEqual([]);
  });

  it('is for planners and developers', async () => {
    const of = await projectOf({ visibility: 'public' });
    const file = 'title,description\nOne,two';
    const status = async (level?: Level) => (await imported(of, file, await person(of, level))).status;
    expect((await app.api('POST', `/projects/${of.id}/issues/import_csv`)).status).toBe(401);
    expect(await Promise.all([status(), status(Level.guest), status(Level.reporter)])).toEqual([403, 403, 403]);
    expect(await Promise.all([status(Level.planner), status(Level.developer)])).toEqual([202, 202]);
  });

  /** Something that the database does when the issue of a title is created; answers what ends it. */
  async function atIssue(of: Project, title: string, statement: string): Promise<() => Promise<unknown>> {
    const name = `csv_${of.id}`;
    await sql`${sql.raw(`create function ${name}() returns trigger language plpgsql as $$ begin ${statement}; return new; end $$`)}`.execute(
      app.db,
    );
    await sql`${sql.raw(`create trigger ${name} after insert on issues for each row
      when (new.project_id = ${of.id} and new.title = '${title}') execute function ${name}()`)}`.execute(app.db);
    return () => sql`${sql.raw(`drop function ${name} cascade`)}`.execute(app.db);
  }
  const numbered = (count: number) =>
    ['title,description', ...Array.from({ length: count }, (_, at) => `Row ${at},`)].join('\n');

  it('goes on where it stopped: each row becomes one issue', async () => {
    const of = await projectOf();
    const mended = await atIssue(of, 'Row 3', "raise exception 'out of order'");
    await imported(of, numbered(6));
    await eventually('the fault', async () => app.logs.some((line) => line.includes('out of order')));
    expect((await listed(of)).map(({ title }) => title)).toEqual(['Row 0', 'Row 1', 'Row 2']);
    await mended();
    expect((await mails.next(owner.user.email)).text).toContain('6 issues imported');
    expect((await listed(of)).map(({ title }) => title)).toEqual([0, 1, 2, 3, 4, 5].map((at) => `Row ${at}`));
  });

  it('ends where whoever imports no longer may', async () => {
    const of = await projectOf();
    const developer = await person(of, Level.developer);
    const demote = `update grants set level = ${Level.guest} where user_id = ${developer.user.id}`;
    const ended = await atIssue(of, 'Row 5', demote);
    await imported(of, numbered(120), developer);
    const mail = await mails.next(developer.user.email);
    expect(mail.text).toContain('100 issues imported');
    expect(mail.text).toContain('The import stopped: you may no longer import issues here.');
    await ended();
  });
});
