/** Exports and imports of projects over HTTP: the way there and back, and who may. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../../../test/app.ts';
import { eventually } from '../../../../test/ci.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken, unique } from '../../../../test/factories.ts';
import { archiveWorld, opened, packed, picture } from '../../../../test/project-archives.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';

const world = archiveWorld();
const { large, setting, exported, send, imported, refs, list } = world;
let app: TestApp;
let admin: BuiltToken;
let owner: BuiltToken;
let source: RepositoryProject;
let archive: Buffer;
beforeAll(async () => {
  ({ app, admin, owner, source, archive } = await world.start());
});
afterAll(() => world.close());

describe('there and back', () => {
  it('an import by an administrator equals what was exported, without a secret on the way', async () => {
    const files = await opened(archive);
    expect([...files.keys()]).toEqual([
      'project.json',
      'wiki.bundle',
      'repository.bundle',
      ...[
        'labels',
        'milestones',
        'badges',
        'protected_branches',
        'protected_tags',
        'approval_rules',
        'approval_setting',
        'external_status_checks',
        'path_locks',
        'environments',
        'protected_environments',
        'freeze_periods',
        'resource_groups',
        'pipeline_schedules',
        'hooks',
        'custom_attributes',
        'members',
        'push_rule',
        'security_setting',
        'releases',
        'boards',
        'issues',
        'issue_links',
        'merge_requests',
        'merge_request_dependencies',
        'approvals',
        'notes',
        'suggestions',
        'ci_pipelines',
        'deployments',
        'vulnerability_findings',
        'uploads',
      ].map((name) => `relations/${name}.ndjson`),
      'avatar',
      expect.stringMatching(/^uploads\/[0-9a-f]{32}$/),
      `lfs/${large.oid}`,
    ]);
    // Whoever exported may not see them.
    expect(String(files.get('relations/custom_attributes.ndjson'))).toBe('');
    expect(files.get(`lfs/${large.oid}`)).toEqual(large.bytes);
    for (const [name, content] of files) expect([name, content.includes('canary')]).toEqual([name, false]);
    expect(JSON.parse(String(files.get('project.json')))).toMatchObject({
      missing: { lfs_objects: { count: 1, bytes: 2000 } },
    });

    const one = { milestones: 1, protected_tags: 1, lfs_objects: 1, push_rule: 1, security_setting: 1 };
    const counts = { ...one, merge_requests: 2, releases: 1, notes: 1, uploads: 1, avatar: 1 };
    const status = await imported(archive, { namespace: owner.user.username }, admin);
    expect(status).toMatchObject({
      import_status: 'finished',
      import_type: 'gitlab_project',
      import_error: null,
      failed_relations: [],
      correlation_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      stats: {
        fetched: { ...counts, labels: 2 },
        imported: { ...counts, labels: 2 },
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
      ['wikis?with_content=1', ['slug', 'title', 'format', 'content']],
      ['releases', ['tag_name', 'name', 'description', 'released_at', 'author.username']],
      ['uploads', ['filename', 'size', 'uploaded_by']],
      ['repository/commits/main/comments', ['note', 'author', 'created_at']],
      ['merge_requests/1/resource_label_events', ['action', 'resource_type', 'created_at']],
      ['merge_requests/2/resource_state_events', ['state', 'created_at']],
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
    const rule = async (of: unknown) => {
      const { body } = await app.api<Json>('GET', `/projects/${of}/push_rule`, { token: admin.secret });
      return { ...body, id: 0, project_id: 0, created_at: '' };
    };
    expect(await rule(id)).toEqual(await rule(source.id));
    expect(await rule(id)).toMatchObject({ commit_message_regex: '.', max_file_size: 7, deny_delete_tag: true });
    const release = await app.api<Json>('GET', `/projects/${id}/releases/v1`, { token: admin.secret });
    expect(release.body).toMatchObject({
      milestones: [{ title: 'v1.0' }],
      assets: { links: [{ name: 'file', url: 'https://x.example/f' }] },
    });
    const security = await app.api<Json>('GET', `/projects/${id}/security_settings`, { token: admin.secret });
    expect(security.body).toMatchObject({ project_id: id, secret_push_protection_enabled: true });
    // Links in texts go on working: the address below the project is the same.
    const [upload] = await app.db
      .selectFrom('project_uploads')
      .selectAll()
      .where('project_id', '=', Number(id))
      .execute();
    const file = await fetch(`${app.url}/api/v4/projects/${id}/uploads/${upload?.secret}/ä_b.png`, {
      headers: { 'PRIVATE-TOKEN': admin.secret },
    });
    expect([file.status, Buffer.from(await file.arrayBuffer())]).toEqual([200, picture]);
    const { body: made } = await app.api<Json>('GET', `/projects/${id}`, { token: admin.secret });
    const shown = await fetch(String(made.avatar_url), { headers: { 'PRIVATE-TOKEN': admin.secret } });
    expect([shown.status, Buffer.from(await shown.arrayBuffer())]).toEqual([200, picture]);
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
  });

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

  it('security 18: what only administrators keep moves from administrator to administrator', async () => {
    const byAdmin = await exported({
      ...source,
      owner: admin,
      api: (method, to, options) => source.api(method, to, { token: admin.secret, ...options }),
    } as RepositoryProject);
    const line = String((await opened(byAdmin)).get('relations/custom_attributes.ndjson'));
    expect(JSON.parse(line)).toEqual({ key: 'region', value: 'west' });
    const attributes = async (token: BuiltToken) => {
      const { id } = await imported(byAdmin, {}, token);
      const { body } = await app.api<Json[]>('GET', `/projects/${id}/custom_attributes`, { token: admin.secret });
      return body;
    };
    expect(await attributes(admin)).toEqual([{ key: 'region', value: 'west' }]);
    expect(await attributes(owner)).toEqual([]);
  });

  it('an archive of before, with the code and rows only, is read as ever', async () => {
    const files = await opened(archive);
    const old = [...files].filter(([name]) =>
      /^project.json$|^repository.bundle$|relations\/(labels|merge_requests)/.test(name),
    );
    expect(await imported(packed(old), {}, admin)).toMatchObject({
      import_status: 'finished',
      stats: { imported: { labels: 2, merge_requests: 2 } },
    });
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
    const fields = { path, namespace_id: String(group.id), overwrite: 'true' };
    expect((await send(Buffer.from('no archive'), fields)).status).toBe(400);
    expect((await there()).marked_for_deletion_on).toBeNull();
    const developer = await buildToken(app);
    await buildMember(app, { user: developer.user, of: group, level: 30 });
    expect((await send(archive, fields, developer)).status).toBe(403);
    for (const [name, value] of [
      ['namespace', group.full_path],
      ['namespace_path', group.full_path],
      ['namespace_id', String(group.id)],
    ] as const)
      expect((await send(archive, { path, [name]: value })).status).toBe(400);
    expect((await there()).marked_for_deletion_on).toBeNull();
    const made = await imported(archive, fields);
    expect(made).toMatchObject({ import_status: 'finished', path_with_namespace: `${group.full_path}/${path}` });
    expect(made.id).not.toBe(old.id);
    expect((await there()).marked_for_deletion_on).not.toBeNull();
  });
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
    // Typed clients send the hash always: without an address nothing is sent.
    expect((await source.api('POST', '/export', { json: { upload: {} } })).status).toBe(202);
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
