/** Conflicts of merge requests over HTTP: shown with their texts, resolved in one commit. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import {
  buildRepositoryProject,
  type FileAction,
  type Json,
  type RepositoryProject,
} from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'README.md': 'hello\n' } });
  developer = await project.member(Level.developer);
});
afterAll(() => app.close());

interface Conflicts extends Json {
  readonly source_sha: string;
  readonly target_sha: string;
  readonly files: Array<Json & { path: string; content: string | null }>;
}

/** A request whose branches both changed what they began with. */
async function collide(before: readonly FileAction[], source: readonly FileAction[], target: readonly FileAction[]) {
  const into = unique('target');
  const branch = unique('work');
  await project.commit(into, before, { start_branch: 'main' });
  await project.commit(branch, source, { start_branch: into });
  await project.commit(into, target);
  const json = { source_branch: branch, target_branch: into, title: branch };
  const made = await project.api<Json>('POST', '/merge_requests', { token: developer.secret, json });
  const path = `/merge_requests/${made.body.iid}`;
  const file = async (name: string) => {
    const found = await project.api<string>('GET', `/repository/files/${name}/raw`, { query: { ref: branch } });
    return found.status === 200 ? found.body : found.status;
  };
  const shown = async (token: string | null = developer.secret) =>
    await project.api<Conflicts>('GET', `${path}/conflicts`, { token });
  const resolve = async (json: Json, token = developer.secret) =>
    await project.api<Json>('POST', `${path}/resolve_conflicts`, { token, json });
  return { path, branch, into, file, shown, resolve };
}
const update = (file_path: string, content: string): FileAction => ({ action: 'update', file_path, content });
const create = (file_path: string): FileAction => ({ action: 'create', file_path, content: 'one\n' });

describe('conflicts', () => {
  it('are shown with their markers and resolved by text, by side and by removal', async () => {
    const request = await collide(
      ['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(create),
      [
        update('a.txt', 'source\n'),
        update('b.txt', 'source\n'),
        update('c.txt', 'source\n'),
        { action: 'delete', file_path: 'd.txt' },
      ],
      [
        update('a.txt', 'target\n'),
        update('b.txt', 'target\n'),
        { action: 'delete', file_path: 'c.txt' },
        update('d.txt', 'target\n'),
      ],
    );
    const { status, body } = await request.shown();
    expect([status, body.files.map(({ path, kind, resolvable }) => [path, kind, resolvable])]).toEqual([
      200,
      [
        ['a.txt', 'content', true],
        ['b.txt', 'content', true],
        ['c.txt', 'modify/delete', true],
        ['d.txt', 'modify/delete', true],
      ],
    ]);
    expect(body.files[0]).toMatchObject({ source_content: 'source\n', target_content: 'target\n' });
    expect(body.files[0]?.content).toMatch(/^<{7} .*\nsource\n={7}\ntarget\n>{7} .*\n$/);
    expect(body.files[2]).toMatchObject({ content: null, source_content: 'source\n', target_content: null });
    expect(body).toMatchObject({ can_resolve: true, source_branch: request.branch, target_branch: request.into });
    const shas = { source_sha: body.source_sha, target_sha: body.target_sha };
    const files = [
      { path: 'a.txt', content: 'both\n' },
      { path: 'b.txt', side: 'target' },
      { path: 'c.txt', side: 'source' },
      { path: 'd.txt', delete: true },
    ];
    const reporter = await project.member(Level.reporter);
    expect((await request.shown(reporter.secret)).body).toMatchObject({ can_resolve: false });
    expect((await request.shown(null)).status).toBe(404);
    expect((await request.resolve({ ...shas, files }, reporter.secret)).status).toBe(403);
    for (const [wrong, expected] of [
      [{ ...shas, files: files.slice(1) }, 422],
      [{ ...shas, files: [...files, { path: 'README.md', side: 'source' }] }, 422],
      [{ ...shas, files: [{ path: 'a.txt', content: body.files[0]?.content }, ...files.slice(1)] }, 422],
      [{ ...shas, files: [{ path: 'a.txt' }, ...files.slice(1)] }, 400],
      [{ ...shas, files: [{ path: 'a.txt', side: 'source', delete: true }, ...files.slice(1)] }, 400],
      [{ ...shas, target_sha: body.source_sha, files }, 409],
      [{ ...shas, source_sha: 'main', files }, 400],
    ] as const)
      expect([wrong, (await request.resolve(wrong)).status]).toEqual([wrong, expected]);
    const resolved = await request.resolve({ ...shas, files, commit_message: 'Settle it' });
    expect([resolved.status, resolved.body]).toMatchObject([201, { has_conflicts: false, state: 'opened' }]);
    expect(await Promise.all(['a.txt', 'b.txt', 'c.txt', 'd.txt'].map(request.file))).toEqual([
      ...['both\n', 'target\n', 'source\n', 404],
    ]);
    const [head] = (await project.api<Json[]>('GET', '/repository/commits', { query: { ref_name: request.branch } }))
      .body;
    expect(head).toMatchObject({ message: 'Settle it', parent_ids: [body.source_sha, body.target_sha] });
    expect((await request.shown()).status).toBe(409);
    expect((await request.resolve({ ...shas, files })).status).toBe(409);
  });

  it('of binary files are resolved by neither side here', async () => {
    const bytes = (text: string, action: FileAction['action'] = 'update'): FileAction => ({
      action,
      file_path: 'x.bin',
      encoding: 'base64',
      content: Buffer.from(`\0${text}`).toString('base64'),
    });
    const request = await collide([bytes('first', 'create')], [bytes('source')], [bytes('target')]);
    const { body } = await request.shown();
    expect(body.files).toMatchObject([{ path: 'x.bin', resolvable: false, content: null }]);
    const shas = { source_sha: body.source_sha, target_sha: body.target_sha };
    expect(await request.resolve({ ...shas, files: [{ path: 'x.bin', side: 'source' }] })).toMatchObject({
      status: 422,
    });
  });
});
