/** Archives of projects in tests: a project with something of everything, and the way there and back. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { readTar, tarEnd, tarHeader, tarPadding } from '../src/features/portability/project-archives/tar.ts';
import { startTestApp, type TestApp } from './app.ts';
import { eventually } from './ci.ts';
import { type BuiltToken, buildAdmin, buildMember, buildToken, unique } from './factories.ts';
import { type GitClient, gitClient } from './git.ts';
import { lfsClient, made } from './lfs.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from './repositories.ts';

export const picture: Buffer = Buffer.from('89504e470d0a1a0a0000', 'hex');

/** The files of an archive, and an archive of files. */
export async function opened(file: Buffer): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>();
  for await (const { name, body } of readTar(
    (async function* () {
      yield gunzipSync(file);
    })(),
    1000,
  )) {
    const parts: Buffer[] = [];
    for await (const part of body) parts.push(part);
    found.set(name, Buffer.concat(parts));
  }
  return found;
}
export const packed = (files: Iterable<readonly [string, Buffer | string]>): Buffer =>
  gzipSync(
    Buffer.concat([
      ...[...files].flatMap(([name, content]) => {
        const body = Buffer.from(content);
        return [tarHeader(name, body.length), body, tarPadding(body.length)];
      }),
      tarEnd,
    ]),
  );

export interface ArchiveState {
  readonly app: TestApp;
  readonly admin: BuiltToken;
  readonly owner: BuiltToken;
  readonly source: RepositoryProject;
  readonly archive: Buffer;
}

/** Functions that work once it was started. */
export function archiveWorld() {
  let app: TestApp;
  let git: GitClient;
  let admin: BuiltToken;
  let owner: BuiltToken;
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
    await call('/hooks', {
      url: 'https://hook.example/{part}',
      url_variables: [{ key: 'part', value: 'canary-part' }],
    });
    await call('/variables', { key: 'SECRET', value: 'canary-variable' });
    await lfsClient(app, project).put(large);
    await lfsClient(app, project).put(lost);
    await call('/protected_tags', { name: 'v*', create_access_level: 40 });
    await buildMember(app, { of: await project.row(), level: 30 });
    await call('/wikis', { title: 'home', content: 'Welcome' });
    await call('/wikis', { title: 'deep/page', content: 'Below' });
    await call('/push_rule', { commit_message_regex: '.', max_file_size: 7, deny_delete_tag: true });
    await project.api('PUT', '/security_settings', { json: { secret_push_protection_enabled: true } });
    await uploaded(project, 'POST', '/uploads', 'file', 'ä b.png', picture);
    await uploaded(project, 'PUT', '', 'avatar', 'a.png', picture);
    const attribute = { token: admin.secret, json: { value: 'west' } };
    expect((await app.api('PUT', `/projects/${project.id}/custom_attributes/region`, attribute)).status).toBe(200);
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
    await call('/releases', {
      tag_name: 'v1',
      name: 'One',
      description: 'The first',
      milestones: ['v1.0'],
      assets: { links: [{ name: 'file', url: 'https://x.example/f', direct_asset_path: '/f' }] },
    });
    const { body: head } = await project.api<Json>('GET', '/repository/commits/main');
    await call(`/repository/commits/${head.id}/comments`, { note: 'Well done' });
    await eventually('both can be merged', async () => {
      const { body } = await project.api<Json[]>('GET', '/merge_requests');
      return body.length === 2 && body.every(({ detailed_merge_status: status }) => status === 'mergeable');
    });
    expect((await project.api('PUT', '/merge_requests/2/merge', { json: {} })).status).toBe(200);
    return project;
  }

  async function uploaded(
    project: RepositoryProject,
    method: 'POST' | 'PUT',
    to: string,
    field: string,
    name: string,
    file: Buffer,
  ) {
    const form = new FormData();
    form.set(field, new Blob([new Uint8Array(file)]), name);
    const answer = await project.api<Json>(method, to, { form });
    expect([to, answer.status]).toEqual([to, method === 'POST' ? 201 : 200]);
  }

  async function exported(project: RepositoryProject): Promise<Buffer> {
    expect(await project.api('POST', '/export', { json: { description: 'to keep' } })).toMatchObject({
      status: 202,
      body: { message: '202 Accepted' },
    });
    await eventually(
      'the archive',
      async () => (await project.api('GET', '/export')).body.export_status === 'finished',
    );
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

  async function start(): Promise<ArchiveState> {
    app = await startTestApp({ background: true });
    git = await gitClient();
    admin = await buildToken(app, { user: await buildAdmin(app), scopes: ['api', 'admin_mode'] });
    await app.db.updateTable('users').set({ admin: true }).where('id', '=', admin.user.id).execute();
    owner = await buildToken(app);
    for (const name of ['export', 'import', 'download_export'])
      await setting({ [`project_${name}_limit`]: 0, [`group_${name}_limit`]: 0 });
    const source = await filledProject();
    // One whose bytes the storage has lost.
    await app.db
      .updateTable('lfs_objects')
      .set({ object_key: '0'.repeat(32) })
      .where('oid', '=', lost.oid)
      .execute();
    return { app, admin, owner, source, archive: await exported(source) };
  }
  async function close(): Promise<void> {
    await git.close();
    await app.close();
  }
  return { start, close, large, setting, exported, send, imported, refs, list };
}
