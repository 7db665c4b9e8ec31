/** Exports and imports of projects over HTTP: the way there and back, hostile archives, restarts, and who may. */
import { randomBytes } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import {
  type BuiltToken,
  buildAdmin,
  buildGroup,
  buildMember,
  buildToken,
  unique,
} from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { lfsClient, made } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { addJob } from '../../../kernel/queue/index.ts';
import { readTar, tarEnd, tarHeader, tarPadding } from './tar.ts';

let app: TestApp;
let git: GitClient;
let admin: BuiltToken;
let owner: BuiltToken;
let source: RepositoryProject;
let archive: Buffer;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  git = await gitClient();
  admin = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'admin_mode'] });
  await app.db.updateTable('users').set({ admin: true }).where('id', '=', admin.user.id).execute();
  owner = await buildToken(app);
  for (const name of ['project_export_limit', 'project_import_limit', 'project_download_export_limit'])
    await setting({ [name]: 0 });
  source = await filledProject();
  // One whose bytes the storage has lost.
  await app.db
    .updateTable('lfs_objects')
    .set({ object_key: '0'.repeat(32) })
    .where('oid', '=', lost.oid)
    .execute();
  archive = await exported(source);
}, 60_000);
afterAll(async () => {
  await git.close();
  await app.close();
});

const [large, lost] = [made(), made()];
const setting = async (json: Json) =>
  expect(await app.api('PUT', '/application/settings', { token: admin.secret, json })).toMatchObject({ status: 200 });

/** With branches, tags, labels, rules, hooks, people, an open and a merged request. */
async function filledProject(): Promise<RepositoryProject> {
  const settings = {
    visibility: 'public',
    description: 'Moves',
    topics: ['moving'],
    merge_method: 'ff',
    squash_option: 'always',
  };
  const project = await buildRepositoryProject(app, {
    owner,
    settings,
    files: { 'README.md': '# Moves\n', 'a/b.txt': 'b' },
  });
  const call = async (target: string, json: Json) => {
    const answer = await project.api('POST', target, { json });
    expect([target, answer.status, answer.body]).toEqual([target, 201, answer.body]);
    return answer.body;
  };
  await call('/repository/tags', { tag_name: 'v1', ref: 'main', message: 'one' });
  await call('/labels', { name: 'bug', color: '#112233', description: 'is wrong', priority: 3 });
  await call('/labels', { name: 'idea', color: '#445566' });
  await call('/badges', { name: 'b', link_url: 'https://x.example/', image_url: 'https://x.example/y.svg' });
  await call('/hooks', { url: 'https://hook.example/x', token: 'canary-hook-token', merge_requests_events: true });
  await call('/hooks', { url: 'https://hook.example/{part}', url_variables: [{ key: 'part', value: 'canary-part' }] });
  await call('/variables', { key: 'SECRET', value: 'canary-variable' });
  await lfsClient(app, project).put(large);
  await lfsClient(app, project).put(lost);
  await call('/protected_tags', { name: 'v*', create_access_level: 40 });
  await buildMember(app, { of: await project.row(), level: 30 });
  const milestone = await call('/milestones', { title: 'v1.0', description: 'Stable', due_date: '2030-01-01' });
  for (const [branch, title] of [
    ['change', 'A change'],
    ['done', 'Done'],
  ] as const) {
    await project.commit(branch, { [`${branch}.txt`]: branch }, { start_branch: 'main' });
    await call('/merge_requests', {
      source_branch: branch,
      target_branch: 'main',
      title,
      description: `About ${title}`,
      ...(branch === 'change' ? { labels: 'bug', milestone_id: milestone.id } : {}),
    });
  }
  await eventually('both can be merged', async () => {
    const { body } = await project.api<Json[]>('GET', '/merge_requests');
    return body.length === 2 && body.every(({ detailed_merge_status: status }) => status === 'mergeable');
  });
  expect((await project.api('PUT', '/merge_requests/2/merge', { json: {} })).status).toBe(200);
  return project;
}

async function exported(project: RepositoryProject): Promise<Buffer> {
  expect(await project.api('POST', '/export', { json: { description: 'to keep' } })).toMatchObject({
    status: 202,
    body: { message: '202 Accepted' },
  });
  await eventually('the archive', async () => (await project.api('GET', '/export')).body.export_status === 'finished');
  const url = `${app.url}/api/v4/projects/${project.id}/export/download`;
  const answer = await fetch(url, { headers: { 'PRIVATE-TOKEN': project.owner.secret } });
  expect(answer.headers.get('content-type')).toBe('application/gzip');
  expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''.+\.tar\.gz$/);
  return Buffer.from(await answer.arrayBuffer());
}

const send = (file: Buffer, fields: Record<string, string>, token: BuiltToken | null = owner) => {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(file)]), 'project.tar.gz');
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return app.api<Json>('POST', '/projects/import', token ? { token: token.secret, form } : { form });
};

async function imported(file: Buffer, fields: Record<string, string> = {}, token = owner): Promise<Json> {
  const made = await send(file, { path: unique('moved'), ...fields }, token);
  expect([made.status, made.body]).toEqual([201, made.body]);
  return await eventually('the import', async () => {
    const { body } = await app.api<Json>('GET', `/projects/${made.body.id}/import`, { token: token.secret });
    return ['finished', 'failed'].includes(String(body.import_status)) && body;
  });
}

/** The files of an archive, and an archive of files. */
async function opened(file: Buffer): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for await (const { name, body } of readTar(
    (async function* () {
      yield gunzipSync(file);
    })(),
  )) {
    const parts: Buffer[] = [];
    for await (const part of body) parts.push(part);
    found.set(name, Buffer.concat(parts));
  }
  return found;
}
const packed = (files: Iterable<readonly [string, Buffer | string]>): Buffer =>
  gzipSync(
    Buffer.concat([
      ...[...files].flatMap(([name, content]) => {
        const body = Buffer.from(content);
        return [tarHeader(name, body.length), body, tarPadding(body.length)];
      }),
      tarEnd,
    ]),
  );
const refs = async (id: unknown) => {
  const { path, namespace_id } = await app.db
    .selectFrom('projects')
    .selectAll()
    .where('id', '=', Number(id))
    .executeTakeFirstOrThrow();
  const space = await app.db
    .selectFrom('namespaces')
    .select('full_path')
    .where('id', '=', namespace_id)
    .executeTakeFirstOrThrow();
  const url = new URL(`${app.url}/${space.full_path}/${path}.git`);
  [url.username, url.password] = ['git', admin.secret];
  return await git.run(['ls-remote', url.href]);
};
const list = async (id: unknown, what: string, keys: readonly string[]) => {
  const { body } = await app.api<Json[]>('GET', `/projects/${id}/${what}`, { token: admin.secret });
  return body.map((row) => Object.fromEntries(keys.map((key) => [key, row[key]])));
};

describe('there and back', () => {
  it('an import by an administrator equals what was exported, without a secret on the way', async () => {
    const files = await opened(archive);
    expect([...files.keys()]).toEqual([
      'project.json',
      'repository.bundle',
      ...[
        'labels',
        'milestones',
        'badges',
        'protected_branches',
        'protected_tags',
        'hooks',
        'members',
        'merge_requests',
      ].map((name) => `relations/${name}.ndjson`),
      `lfs/${large.oid}`,
    ]);
    expect(files.get(`lfs/${large.oid}`)).toEqual(large.bytes);
    for (const [name, content] of files) expect([name, content.includes('canary')]).toEqual([name, false]);
    expect(JSON.parse(String(files.get('project.json')))).toMatchObject({
      missing: { lfs_objects: { count: 1, bytes: 2000 } },
    });

    const status = await imported(archive, { namespace: owner.user.username }, admin);
    expect(status).toMatchObject({
      import_status: 'finished',
      import_type: 'gitlab_project',
      import_error: null,
      failed_relations: [],
      correlation_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      stats: {
        fetched: { labels: 2, milestones: 1, merge_requests: 2, protected_tags: 1, lfs_objects: 1 },
        imported: { labels: 2, milestones: 1, merge_requests: 2, protected_tags: 1, lfs_objects: 1 },
      },
    });
    const { id } = status;
    const links = app.db.selectFrom('lfs_object_links as l').innerJoin('lfs_objects as o', 'o.id', 'l.lfs_object_id');
    expect(await links.select('o.oid').where('l.project_id', '=', Number(id)).execute()).toEqual([{ oid: large.oid }]);
    const tags = await app.api<Json[]>('GET', `/projects/${id}/protected_tags`, { token: admin.secret });
    expect(tags.body).toMatchObject([{ name: 'v*', create_access_levels: [{ access_level: 40 }] }]);
    expect(await refs(id)).toBe(await refs(source.id));
    const audit = app.db.selectFrom('audit_events').selectAll().where('event', '=', 'project_created');
    expect((await audit.execute()).map(({ entity_id }) => entity_id)).toContain(id);
    for (const [what, keys] of [
      ['labels', ['name', 'color', 'description', 'priority']],
      ['badges', ['name', 'link_url', 'image_url']],
      ['milestones', ['iid', 'title', 'description', 'state', 'start_date', 'due_date', 'created_at']],
      ['merge_requests?labels=bug&milestone=v1.0', ['iid', 'labels']],
      ['members', ['username', 'access_level', 'expires_at']],
      [
        'merge_requests',
        [
          'iid',
          'title',
          'description',
          'state',
          'sha',
          'author.username',
          'merge_commit_sha',
          'merged_at',
          'created_at',
        ],
      ],
      ['merge_requests/1/versions', ['head_commit_sha', 'base_commit_sha']],
      ['merge_requests/1/diffs', ['new_path', 'diff']],
    ] as const)
      expect([what, await list(id, what, keys)]).toEqual([what, await list(source.id, what, keys)]);
    expect(await list(id, 'hooks', ['url', 'merge_requests_events', 'push_events'])).toEqual([
      { url: 'https://hook.example/x', merge_requests_events: true, push_events: true },
    ]);
    const both = await Promise.all(
      [source.id, id].map(
        async (each) => (await app.api<Json>('GET', `/projects/${each}`, { token: admin.secret })).body,
      ),
    );
    const [before, after] = both.map(
      ({ description, topics, merge_method, squash_option, visibility, default_branch }) => ({
        ...{ description, topics, merge_method, squash_option, visibility, default_branch },
      }),
    );
    expect(after).toEqual(before);
    // The next number follows those that came.
    await app.api('POST', `/projects/${id}/repository/branches`, {
      token: owner.secret,
      json: { branch: 'other', ref: 'main' },
    });
    const json = { source_branch: 'change', target_branch: 'other', title: 'Next' };
    const next = await app.api<Json>('POST', `/projects/${id}/merge_requests`, { token: owner.secret, json });
    expect(next.body).toMatchObject({ iid: 3 });
    expect(await app.db.selectFrom('pipelines').select('id').where('project_id', '=', Number(id)).execute()).toEqual(
      [],
    );
  }, 60_000);

  it('security 18: others are named by the archive, not made to have said it', async () => {
    const status = await imported(archive, { 'override_params[description]': 'Mine', name: 'My own' });
    expect(status).toMatchObject({ import_status: 'finished', name: 'My own', description: 'Mine' });
    expect(status.failed_relations).toContainEqual(
      expect.objectContaining({
        relation_name: 'members',
        line_number: 1,
        exception_message: 'only administrators import members',
      }),
    );
    const { body } = await app.api<Json[]>('GET', `/projects/${status.id}/merge_requests`, { token: owner.secret });
    expect(body.map(({ description }) => String(description))).toEqual(
      ['Done', 'A change'].map((title) => `*Opened by ${owner.user.username}*\n\nAbout ${title}`),
    );
    const seen = await app.api<Json>('GET', `/projects/${status.id}/import`, { token: (await buildToken(app)).secret });
    expect(seen.body).toMatchObject({ import_status: 'finished', failed_relations: [], import_error: null });
  });

  it('an archive that is too large is not kept, and says why', async () => {
    const content = randomBytes(1_200_000).toString('base64');
    const project = await buildRepositoryProject(app, { owner, files: { 'large.txt': content } });
    await setting({ max_export_size: 1 });
    expect((await project.api('POST', '/export')).status).toBe(202);
    const { message } = await eventually('the refusal', async () => {
      const { body } = await project.api('GET', '/export');
      return body.message !== undefined && body;
    });
    expect(message).toContain('max_export_size');
    expect((await project.api('GET', '/export')).body.export_status).toBe('none');
    await setting({ max_export_size: 0 });
  });

  it('an empty project moves too; a new archive is made while the old one stays', async () => {
    const empty = await buildRepositoryProject(app, { owner, files: null });
    expect((await empty.api('GET', '/export')).body).toMatchObject({ export_status: 'none', name: expect.any(String) });
    expect((await empty.api('GET', '/export/download')).status).toBe(404);
    const status = await imported(await exported(empty));
    expect(status).toMatchObject({ import_status: 'finished', stats: { fetched: { labels: 0 } } });
    expect((await empty.api('GET', '/export')).body).toMatchObject({
      _links: { api_url: `${app.url}/api/v4/projects/${empty.id}/export/download` },
    });
    await app.db.updateTable('project_exports').set({ state: 'queued' }).where('project_id', '=', empty.id).execute();
    expect((await empty.api('GET', '/export')).body.export_status).toBe('regeneration_in_progress');
    expect((await empty.api('GET', '/export/download')).status).toBe(200);
  });
});

describe('overwriting', () => {
  it('takes the place of a project only when the archive is one and the caller may remove it', async () => {
    const group = await buildGroup(app, { owner: owner.user });
    const old = await buildRepositoryProject(app, { owner, settings: { namespace_id: group.id }, files: null });
    const { path } = await old.row();
    const there = async () => (await app.api<Json>('GET', `/projects/${old.id}`, { token: owner.secret })).body;
    const fields = { path, namespace: String(group.id), overwrite: 'true' };
    expect((await send(Buffer.from('no archive'), fields)).status).toBe(400);
    expect((await there()).marked_for_deletion_on).toBeNull();
    const developer = await buildToken(app);
    await buildMember(app, { user: developer.user, of: group, level: 30 });
    expect((await send(archive, fields, developer)).status).toBe(403);
    expect((await send(archive, { path, namespace: group.full_path })).status).toBe(400);
    expect((await there()).marked_for_deletion_on).toBeNull();
    const made = await imported(archive, fields);
    expect(made).toMatchObject({ import_status: 'finished', path_with_namespace: `${group.full_path}/${path}` });
    expect(made.id).not.toBe(old.id);
    expect((await there()).marked_for_deletion_on).not.toBeNull();
  }, 60_000);
});

describe('who may', () => {
  it('security 16: maintainers export, who may make projects imports', async () => {
    for (const [method, target] of [
      ['POST', '/export'],
      ['GET', '/export'],
      ['GET', '/export/download'],
    ] as const) {
      const developer = await source.member(30);
      expect((await source.api(method, target, { token: developer.secret })).status).toBe(403);
      expect([401, 404]).toContain((await source.api(method, target, { token: null })).status);
    }
    expect((await send(archive, { path: unique('x') }, null)).status).toBe(401);
    const group = await buildGroup(app);
    expect((await send(archive, { path: unique('x'), namespace: group.full_path })).status).toBe(400);
    expect((await app.api('POST', '/projects/import', { token: owner.secret, json: { path: 'x' } })).body).toEqual({
      error: 'file is missing',
    });
    const taken = (await source.row()).path;
    expect((await send(archive, { path: taken })).body).toMatchObject({
      message: { path: ['has already been taken'] },
    });
    expect((await send(archive, { path: unique('x'), 'override_params[visibility]': 'secret' })).status).toBe(400);
    const upload = { url: 'http://127.0.0.1/x' };
    expect((await source.api('POST', '/export', { json: { upload } })).status).toBe(400);
  });

  it('[3/states.import-of-a-repository/1] [3/states.import-of-a-repository/2] [3/api.imports/3] an import in progress is canceled once, by who may change the project', async () => {
    const { id } = await buildRepositoryProject(app, { owner, files: null });
    const cancel = (token: BuiltToken, project_id = id) =>
      app.api<Json>('POST', '/import/hostedgit/cancel', { token: token.secret, json: { project_id } });
    expect((await cancel(owner)).status).toBe(400);
    await app.db.updateTable('projects').set({ import_status: 'started' }).where('id', '=', id).execute();
    expect((await cancel(await buildToken(app))).status).toBe(404);
    expect((await cancel(owner, 999_999_999)).status).toBe(404);
    expect(await cancel(owner)).toMatchObject({
      status: 200,
      body: {
        id,
        import_status: 'canceled',
        human_import_status_name: 'canceled',
        full_path: expect.any(String),
        provider_link: null,
      },
    });
    expect((await cancel(owner)).status).toBe(400);
  });
});

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
  }, 60_000);

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
    expect(await refs(id)).toBe(await refs(source.id));
  });
});
