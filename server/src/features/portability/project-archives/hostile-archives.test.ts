/** Archives of projects that are broken or mean harm, and imports that end in the middle. */
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { archiveWorld, opened, packed } from '../../../../test/project-archives.ts';
import { queuedPayloads } from '../../../../test/queue.queries.ts';
import type { Json, RepositoryProject } from '../../../../test/repositories.ts';
import { addJob } from '../../../kernel/queue/index.ts';

const world = archiveWorld();
const { setting, send, imported, refs, list } = world;
let app: TestApp;
let owner: BuiltToken;
let admin: BuiltToken;
let source: RepositoryProject;
let archive: Buffer;
beforeAll(async () => {
  ({ app, owner, admin, source, archive } = await world.start());
});
afterAll(() => world.close());

describe('hostile and broken archives', () => {
  it('security 3 6 7: are refused at once where they say what they are not', async () => {
    const manifest = (change: Json) => [
      ['project.json', JSON.stringify({ format: 'millrace-project', version: 1, attributes: {}, ...change })] as const,
    ];
    for (const [file, message] of [
      [Buffer.from('nothing'), 'no archive of a project'],
      [gzipSync(Buffer.from('nothing')), 'ends too early'],
      [packed([['labels.ndjson', '']]), 'no archive of a project'],
      [packed(manifest({ format: 'other' })), 'no archive of a project'],
      [packed(manifest({ version: 2 })), 'The archive has version 2; this instance reads version 1'],
      [packed([['project.json', '[1]']]), 'is not a JSON object'],
      [packed(manifest({ attributes: { merge_method: 'never' } })), 'merge_method does not have a valid value'],
    ] as const) {
      const answer = await send(file, { path: unique('bad') });
      expect([message, answer.status, JSON.stringify(answer.body)]).toEqual([
        message,
        400,
        expect.stringContaining(message),
      ]);
    }
    await setting({ max_import_size: 1 });
    expect((await send(Buffer.alloc(1024 ** 2 + 1), { path: unique('big') })).status).toBe(413);
    await setting({ max_import_size: 0 });
  });

  it('security 6 7: fail with a reason where their content is wrong; lines that are wrong are left out and told', async () => {
    const files = await opened(archive);
    const with_ = (change: Record<string, Buffer | string>) =>
      packed(new Map<string, Buffer | string>([...files, ...Object.entries(change)]));
    const bundle = files.get('repository.bundle') ?? Buffer.alloc(0);
    const damaged = Buffer.from(bundle);
    damaged.fill(0, bundle.length - 60);
    for (const broken of [damaged, Buffer.from('# v2 git bundle\n'), Buffer.concat([Buffer.from('-'), bundle])])
      expect(await imported(with_({ 'repository.bundle': broken }))).toMatchObject({
        import_status: 'failed',
        import_error: expect.stringContaining('The repository of the archive was refused'),
      });
    const labels = [
      JSON.stringify({ title: 'ok', color: '#112233', archived: false, created_at: '2026-01-01T00:00:00.000Z' }),
      JSON.stringify({ title: 'ok', color: '#112233', archived: false, created_at: '2026-01-01T00:00:00.000Z' }),
      JSON.stringify({ title: ['x'], color: 'red', archived: false }),
      'no json',
    ].join('\n');
    const requests = String(files.get('relations/merge_requests.ndjson'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
    const forged = requests.map((row) => JSON.stringify({ ...row, head_sha: 'f'.repeat(40) })).join('\n');
    const hook = {
      url: 'http://169.254.169.254/x',
      events: ['push_events'],
      branch_filter_strategy: 'wildcard',
      enable_ssl_verification: true,
    };
    const status = await imported(
      with_({
        'relations/labels.ndjson': labels,
        'relations/merge_requests.ndjson': forged,
        'relations/hooks.ndjson': JSON.stringify(hook),
        'relations/unknown.ndjson': 'x',
      }),
    );
    expect(status).toMatchObject({
      import_status: 'finished',
      stats: { fetched: { labels: 4 }, imported: { labels: 1, merge_requests: 0, hooks: 0 } },
    });
    const told = (status.failed_relations as Json[]).map(
      ({ relation_name: name, line_number: line }) => `${name} ${line}`,
    );
    expect(told).toEqual(expect.arrayContaining(['labels 2', 'labels 3', 'labels 4', 'hooks 1', 'merge_requests 1']));
    const lines = Buffer.alloc(20_000, 10);
    expect(await imported(with_({ 'relations/labels.ndjson': lines }))).toMatchObject({
      import_status: 'failed',
      import_error: 'relations/labels.ndjson has more than 10000 lines that are wrong',
    });
    await setting({ max_decompressed_archive_size: 1 });
    const bomb = with_({ 'relations/labels.ndjson': Buffer.alloc(3 * 1024 ** 2) });
    expect(await imported(bomb)).toMatchObject({
      import_status: 'failed',
      import_error: 'The unpacked archive is larger than 1048576 bytes (max_decompressed_archive_size)',
    });
    await setting({ max_decompressed_archive_size: 25_600 });
  });

  it('security 3 5 6 7 22: hostile wikis, files, pictures, rules and comments fail, or are left out and told', async () => {
    const files = await opened(archive);
    const with_ = (change: Record<string, Buffer | string>) =>
      packed(new Map<string, Buffer | string>([...files, ...Object.entries(change)]));
    const wiki = files.get('wiki.bundle') ?? Buffer.alloc(0);
    const damaged = Buffer.from(wiki).fill(0, wiki.length - 60);
    for (const broken of [damaged, Buffer.from('# v2 git bundle\n'), Buffer.alloc(0)])
      expect(await imported(with_({ 'wiki.bundle': broken }))).toMatchObject({
        import_status: 'failed',
        import_error: expect.stringContaining('The repository of the archive was refused'),
      });
    const [secret = '', other = ''] = ['a', 'b'].map((digit) => digit.repeat(32));
    const at = '2026-01-01T00:00:00.000Z';
    const upload = (row: Json) => JSON.stringify({ secret, file_name: '../../../etc/passwd', created_at: at, ...row });
    const odd = [upload({}), upload({ secret: '../x' }), upload({ secret: other, file_name: '\n"<b>.html' })];
    const note = { discussion_id: 'c'.repeat(40), body: 'x', system: true, internal: false, resolvable: false };
    const notes = [
      { ...note, created_at: at, updated_at: at, commit_id: 'f'.repeat(40) },
      { ...note, created_at: at, updated_at: at, merge_request: 999 },
      { ...note, created_at: at, updated_at: at, merge_request: 1, kind: 'diff' },
      { ...note, created_at: at, updated_at: at, merge_request: 1, author: 'root', body: 'approved' },
    ].map((row) => JSON.stringify(row));
    const tag = { tag: 'v1', released_at: at, created_at: at };
    const releases = [
      { ...tag, sha: 'f'.repeat(40) },
      { ...tag, links: [{ name: 'x', url: 'javascript:alert(1)' }] },
    ].map((row) => JSON.stringify(row));
    const status = await imported(
      with_({
        avatar: '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
        'relations/uploads.ndjson': odd.join('\n'),
        [`uploads/${secret}`]: 'passwd',
        [`uploads/${other}`]: '<script>',
        [`uploads/${'d'.repeat(32)}`]: 'nobody tells what it is called',
        'relations/notes.ndjson': notes.join('\n'),
        'relations/releases.ndjson': releases.join('\n'),
        'relations/push_rule.ndjson': JSON.stringify({ commit_message_regex: '(' }),
      }),
    );
    expect(status).toMatchObject({
      import_status: 'finished',
      stats: { imported: { avatar: 0, uploads: 2, notes: 1, releases: 0, push_rule: 0 } },
    });
    const told = (status.failed_relations as Json[]).map(
      ({ relation_name: name, exception_message: reason }) => `${name}: ${reason}`,
    );
    expect(told).toEqual(
      expect.arrayContaining([
        'avatar: is no picture',
        'push_rule: has an expression that cannot be read',
        'notes: stands on no line',
        expect.stringMatching(/^uploads: uploads\/d{32} is not among the rows of uploads$/),
        expect.stringMatching(/^uploads: line 2: secret/),
      ]),
    );
    const kept = await app.db
      .selectFrom('project_uploads')
      .select(['file_name', 'secret'])
      .where('project_id', '=', Number(status.id))
      .orderBy('secret')
      .execute();
    expect(kept).toEqual([
      { secret, file_name: 'passwd' },
      { secret: other, file_name: '___b_.html' },
    ]);
    const said = app.db.selectFrom('notes').selectAll().where('project_id', '=', Number(status.id));
    expect(await said.execute()).toMatchObject([
      {
        author_id: owner.user.id,
        body: '*By root*\n\napproved',
        system: false,
        discussion_id: expect.not.stringContaining('cccc'),
      },
    ]);
  });

  it('files in any number come along', async () => {
    const files = await opened(archive);
    const rows: string[] = [];
    const many = Array.from({ length: 150 }, (_, at) => {
      const secret = String(at).padStart(32, '0');
      rows.push(JSON.stringify({ secret, file_name: `${at}.txt`, created_at: '2026-01-01T00:00:00.000Z' }));
      return [`uploads/${secret}`, `file ${at}`] as const;
    });
    const file = packed([
      ['project.json', files.get('project.json') ?? ''],
      ['relations/uploads.ndjson', rows.join('\n')],
      ...many,
    ]);
    expect(await imported(file)).toMatchObject({ import_status: 'finished', stats: { imported: { uploads: 150 } } });
    await setting({ max_attachment_size: 1 });
    const [first] = rows;
    const large = packed([
      ['project.json', files.get('project.json') ?? ''],
      ['relations/uploads.ndjson', first ?? ''],
      [`uploads/${'0'.repeat(32)}`, Buffer.alloc(1024 ** 2 + 1)],
    ]);
    expect(await imported(large)).toMatchObject({
      stats: { fetched: { uploads: 1 }, imported: { uploads: 0 } },
      failed_relations: [{ exception_message: 'is larger than 1 MB (max_attachment_size)' }],
    });
    await setting({ max_attachment_size: 100 });
  });

  it('webhooks are no more than a project may have; each event calls all of them', async () => {
    const files = await opened(archive);
    const hook = (at: number) =>
      JSON.stringify({
        url: `https://hook.example/${at}`,
        events: ['push_events'],
        branch_filter_strategy: 'wildcard',
        push_events_branch_filter: 'x'.repeat(5000),
        enable_ssl_verification: true,
      });
    const status = await imported(
      packed([
        ['project.json', files.get('project.json') ?? ''],
        ['relations/hooks.ndjson', Array.from({ length: 103 }, (_, at) => hook(at)).join('\n')],
      ]),
    );
    expect(status).toMatchObject({
      import_status: 'finished',
      stats: { fetched: { hooks: 103 }, imported: { hooks: 100 } },
    });
    expect(status.failed_relations).toMatchObject(
      [101, 102, 103].map((line) => ({ line_number: line, exception_message: expect.stringContaining('100 at most') })),
    );
  });

  it('bots of access tokens are no members elsewhere, whoever imports', async () => {
    const files = await opened(archive);
    const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
    const json = { name: 'bot', scopes: ['api'], access_level: 30, expires_at };
    const { body } = await source.api<Json>('POST', '/access_tokens', { json });
    const bot = await app.db
      .selectFrom('users')
      .select('username')
      .where('id', '=', Number(body.user_id))
      .executeTakeFirstOrThrow();
    const status = await imported(
      packed([
        ['project.json', files.get('project.json') ?? ''],
        ['relations/members.ndjson', JSON.stringify({ username: bot.username, access_level: 40 })],
      ]),
      { namespace: owner.user.username },
      admin,
    );
    expect(status).toMatchObject({
      import_status: 'finished',
      failed_relations: [{ relation_name: 'members', exception_message: 'is no person: bots stay with their tokens' }],
    });
  });

  it('objects of Git LFS that do not fit are left out and told', async () => {
    const files = await opened(archive);
    const bytes = Buffer.alloc(1024 ** 2 + 1, 7);
    const oid = createHash('sha256').update(bytes).digest('hex');
    await setting({ repository_size_limit: 1 });
    const status = await imported(
      packed([
        ['project.json', files.get('project.json') ?? ''],
        [`lfs/${oid}`, bytes],
      ]),
    );
    await setting({ repository_size_limit: 0 });
    expect(status).toMatchObject({
      import_status: 'finished',
      stats: { fetched: { lfs_objects: 1 }, imported: { lfs_objects: 0 } },
      failed_relations: [{ relation_name: 'lfs_objects', exception_message: expect.stringContaining('1 MiB') }],
    });
  });

  it('[3/states.import-of-a-repository/2] an import that is canceled ends in the middle of an archive, and stays so', async () => {
    const files = await opened(archive);
    const secrets = Array.from({ length: 20_000 }, (_, at) => String(at).padStart(32, '0'));
    const rows = secrets.map((secret) =>
      JSON.stringify({ secret, file_name: 'a.txt', created_at: '2026-01-01T00:00:00.000Z' }),
    );
    const file = packed([
      ['project.json', files.get('project.json') ?? ''],
      ['relations/uploads.ndjson', rows.join('\n')],
      ...secrets.map((secret) => [`uploads/${secret}`, secret] as const),
    ]);
    const made = await send(file, { path: unique('canceled') });
    expect([made.status, made.body]).toEqual([201, made.body]);
    const id = Number(made.body.id);
    const kept = async () =>
      Number(
        (
          await app.db
            .selectFrom('project_uploads')
            .select(({ fn }) => fn.countAll().as('count'))
            .where('project_id', '=', id)
            .executeTakeFirstOrThrow()
        ).count,
      );
    await eventually('the first file', async () => (await kept()) > 0);
    const json = { project_id: id };
    expect((await app.api('POST', '/import/hostedgit/cancel', { token: owner.secret, json })).status).toBe(200);
    await eventually('its end', async () => (await queuedPayloads(app.db, `"project_id": ${id}}`)).length === 0);
    expect(await kept()).toBeLessThan(secrets.length);
    const { body } = await app.api<Json>('GET', `/projects/${id}/import`, { token: owner.secret });
    expect(body).toMatchObject({ import_status: 'canceled', import_error: null });
  });

  it('an import that a dead process began starts over', async () => {
    const made = await imported(archive);
    const id = Number(made.id);
    // As a process leaves it that died in the middle: rows are there, the archive still too.
    const kept = await app.db
      .selectFrom('project_exports')
      .select('object_key')
      .where('project_id', '=', source.id)
      .executeTakeFirstOrThrow();
    await app.db
      .updateTable('project_imports')
      .set({ object_key: kept.object_key, finished_at: null })
      .where('project_id', '=', id)
      .execute();
    await app.db.updateTable('projects').set({ import_status: 'started' }).where('id', '=', id).execute();
    await app.db.insertInto('labels').values({ project_id: id, title: 'half', color: '#000000' }).execute();
    await addJob(app.db, { name: 'namespaces.import_project', maxAttempts: 3 }, { project_id: id });
    await eventually('the second attempt', async () => {
      const { body } = await app.api<Json>('GET', `/projects/${id}/import`, { token: owner.secret });
      return body.import_status === 'finished';
    });
    expect((await list(id, 'labels', ['name'])).map(({ name }) => name)).toEqual(['bug', 'idea']);
    expect((await list(id, 'wikis', ['slug'])).length).toBe(2);
    expect((await list(id, 'uploads', ['filename'])).length).toBe(1);
    expect(await refs(id)).toBe(await refs(source.id));
  });
});
