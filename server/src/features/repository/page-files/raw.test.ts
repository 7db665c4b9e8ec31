/** Files at the addresses of pages: who gets them, as what, and what browsers see where there is none. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let open: RepositoryProject;
let closed: RepositoryProject;
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const script = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
beforeAll(async () => {
  app = await startTestApp();
  open = await buildRepositoryProject(app, { visibility: 'public' });
  closed = await buildRepositoryProject(app);
  const file = (file_path: string, content: string | Buffer) => ({
    action: 'create' as const,
    ...{ file_path, content: Buffer.from(content).toString('base64'), encoding: 'base64' },
  });
  await open.commit('main', [
    ...[
      file('a.png', png),
      file('a.svg', script),
      file('a b/ü.txt', 'text ü\n'),
      file('page.html', '<script>1</script>'),
    ],
    ...[file('bytes', Buffer.from([1, 0, 2])), file('empty', '')],
  ]);
  await open.commit('feature/x', { 'a.txt': 'branch\n' }, { start_branch: 'main' });
});
afterAll(() => app.close());

const raw = (project: RepositoryProject, at: string, init: RequestInit = {}) =>
  fetch(`${app.url}/${project.fullPath}/-/raw/${at}`, { redirect: 'manual', ...init });

describe('/-/raw', () => {
  it('security 9: sends each file as what its bytes are, so that nothing in it runs', async () => {
    for (const [at, type, disposition] of [
      ['main/a.png', 'image/png', /^inline/],
      ['main/a.svg', 'image/svg+xml', /^attachment/],
      ['main/a%20b/%C3%BC.txt', 'text/plain; charset=utf-8', /^inline; filename\*=UTF-8''%C3%BC\.txt$/],
      ['main/page.html', 'text/plain; charset=utf-8', /^inline/],
      ['main/bytes', 'application/octet-stream', /^attachment/],
      ['main/empty', 'text/plain; charset=utf-8', /^inline/],
      ['main/a.png?inline=false', 'image/png', /^attachment/],
    ] as const) {
      const answer = await raw(open, at);
      expect([at, answer.status, answer.headers.get('content-type')]).toEqual([at, 200, type]);
      expect(answer.headers.get('content-disposition')).toMatch(disposition);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      await answer.arrayBuffer();
    }
    expect(await (await raw(open, 'main/a%20b/%C3%BC.txt')).text()).toBe('text ü\n');
  });

  it('finds refs with slashes, tags and commits; knows what the client has', async () => {
    expect(await (await raw(open, 'feature/x/a.txt')).text()).toBe('branch\n');
    const sha = (await open.api<{ commit: { id: string } }>('GET', '/repository/branches/feature%2Fx')).body.commit.id;
    const first = await raw(open, `${sha}/a.txt`);
    expect(await first.text()).toBe('branch\n');
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
    expect((await raw(open, `${sha}/a.txt`, { headers })).status).toBe(304);
    const head = await raw(open, `${sha}/a.txt`, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, '7', '']);
  });

  it('security 1: only for those who may read the code, by session or token', async () => {
    expect((await raw(closed, 'main/README.md')).status).toBe(404);
    const secret = closed.owner.secret;
    const own = await raw(closed, 'main/README.md', { headers: { 'PRIVATE-TOKEN': secret } });
    expect([own.status, own.headers.get('cache-control')]).toEqual([200, 'max-age=0, private, must-revalidate']);
    await own.text();
    const bad = await raw(open, 'main/a.png', { headers: { 'PRIVATE-TOKEN': 'no' } });
    expect(bad.status).toBe(401);
    expect((await raw(open, 'main/..%2f..%2fetc/passwd')).status).toBe(404);
    expect((await raw(open, 'main/nothing')).status).toBe(404);
    expect((await raw(open, 'main')).status).toBe(404);
    // The pages' document, where they are built: no file in any case.
    const ofGroup = await fetch(`${app.url}/groups/${open.fullPath}/-/raw/main/a.png`);
    expect(ofGroup.headers.get('content-type')).not.toBe('image/png');
  });

  it('a former path of the project leads to where it is', async () => {
    const moved = await buildRepositoryProject(app, { visibility: 'public' });
    await moved.api('PUT', '', { json: { path: `${moved.fullPath.split('/')[1]}-now` } });
    const answer = await raw(moved, 'main/README.md?inline=false');
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      `${app.url}/${moved.fullPath}-now/-/raw/main/README.md?inline=false`,
    ]);
  });
});
