/** Logs, badges and patches at the addresses that people paste. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Account,
  type JobView,
  type ProtocolRunner,
  startWorld,
  type TestProject,
  type World,
} from '../../../../test/ci.ts';
import { badgeSvg } from './badge.ts';
import { coverageColor } from './badge-files.ts';

let world: World;
let runner: ProtocolRunner & { id: number };
let closed: TestProject;
let open: TestProject;
let stranger: Account;
let job: JobView;
let sha: string;

const config = 'test: {script: [x], coverage: "/cover: (\\\\d+\\\\.\\\\d+)/"}\n';
beforeAll(async () => {
  world = await startWorld();
  runner = await world.runner();
  stranger = await world.account();
  closed = await world.project();
  open = await world.project({ visibility: 'public' });
  for (const project of [closed, open]) {
    const pipeline = await project.push(config);
    const taken = await runner.next();
    await runner.patch(taken, 'cover: 91.5\nthe log\n');
    await runner.update(taken, 'success');
    await project.reaches(pipeline.id, 'success');
    job = await project.job(pipeline.id, 'test');
  }
  sha = await open.commit(null, {
    branch: 'change',
    message: 'Add a line\n\nIt was missing.',
    files: { 'a.txt': 'a\n' },
  });
});
afterAll(() => world.close());

const get = (path: string, token?: string) =>
  fetch(`${world.app.url}/${path}`, { headers: token ? { 'PRIVATE-TOKEN': token } : {} });

describe('/-/jobs/N/raw', () => {
  it('is the log as plain text, for those who may read it', async () => {
    const log = await get(`${open.path}/-/jobs/${job.id}/raw`);
    expect([log.status, log.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    expect(await log.text()).toContain('the log\n');
    const [own] = (await world.app.api<JobView[]>('GET', `/projects/${closed.id}/jobs`, { token: world.owner.token }))
      .body;
    const hidden = `${closed.path}/-/jobs/${own?.id}/raw`;
    expect((await get(hidden)).status).toBe(404);
    expect((await get(hidden, stranger.token)).status).toBe(404);
    expect((await get(hidden, world.owner.token)).status).toBe(200);
    // A job of another project is not found here.
    expect((await get(`${open.path}/-/jobs/${own?.id}/raw`)).status).toBe(404);
  });
});

describe('/badges', () => {
  it('tells the state and the coverage of a branch', async () => {
    const badge = await get(`${open.path}/badges/main/pipeline.svg`);
    expect([badge.status, badge.headers.get('content-type'), badge.headers.get('cache-control')]).toEqual([
      200,
      'image/svg+xml',
      'private, no-store',
    ]);
    expect(await badge.text()).toContain('<title>pipeline: passed</title>');
    expect(await (await get(`${open.path}/badges/main/coverage.svg`)).text()).toContain('coverage: 91.50%');
    expect(await (await get(`${open.path}/badges/main/coverage.svg?job=test`)).text()).toContain('91.50%');
    expect(await (await get(`${open.path}/badges/main/coverage.svg?job=none`)).text()).toContain('unknown');
    expect(await (await get(`${open.path}/-/badges/no/branch/pipeline.svg`)).text()).toContain('pipeline: unknown');
  });

  it('of a closed project only for its people', async () => {
    expect((await get(`${closed.path}/badges/main/pipeline.svg`)).status).toBe(404);
    expect((await get(`${closed.path}/badges/main/pipeline.svg`, world.owner.token)).status).toBe(200);
  });

  it('has the text of the request, as text', async () => {
    const text = await (
      await get(`${open.path}/badges/main/pipeline.svg?key_text=${encodeURIComponent('<script>&"')}&key_width=90`)
    ).text();
    expect(text).toContain('<title>&#60;script&#62;&#38;&#34;: passed</title>');
    expect(text).toContain('M90 0h');
    expect(badgeSvg({ key: 'k'.repeat(1000), value: 'v', color: '#fff' }).match(/k+/)?.[0].length).toBe(64);
  });

  it('has the style, the widths and the bounds of the request, as far as they make sense', async () => {
    const svg = async (query: string) => await (await get(`${open.path}/badges/main/coverage.svg${query}`)).text();
    expect(await svg('')).toContain('rx="3"');
    expect(await svg('?style=flat-square')).toContain('rx="0"');
    expect(await svg('?style=plastic')).toContain('rx="3"');
    expect(await svg('?key_width=80&value_width=70')).toContain('width="150"');
    expect(await svg('?key_width=80&value_width=201')).not.toContain('width="281"');
    const color = (query: string) => coverageColor(91.5, Object.fromEntries(new URLSearchParams(query)));
    const [good, acceptable, medium, low] = ['#4c1', '#a3c51c', '#dfb317', '#e05d44'];
    expect(await svg('')).toContain(acceptable);
    expect(await svg('?min_good=91')).toContain(good);
    expect(color('min_good=91.51')).toBe(acceptable);
    expect(color('min_acceptable=92')).toBe(medium);
    expect(color('min_good=99&min_acceptable=98&min_medium=97')).toBe(low);
    // Out of bounds counts as not given; a default never stands above what is given.
    for (const query of ['min_good=101', 'min_good=2', 'min_good=x', 'min_acceptable=95', 'min_medium=90'])
      expect([query, color(query)]).toEqual([query, acceptable]);
    expect(coverageColor(60, { min_good: '50' })).toBe(good);
    expect(coverageColor(49.9, { min_good: '50' })).toBe(low);
  });

  it('of releases tells the newest that has come', async () => {
    const svg = async (query = '') => await (await get(`${open.path}/-/badges/release.svg${query}`)).text();
    expect(await svg()).toContain('<title>Latest Release: none</title>');
    const release = async (tag_name: string, released_at: string) => {
      const made = await world.app.api('POST', `/projects/${open.id}/releases`, {
        token: world.owner.token,
        json: { tag_name, ref: 'main', released_at },
      });
      expect(made.status).toBe(201);
    };
    await release('v2', '2024-02-01T00:00:00Z');
    await release('v1', '2024-01-01T00:00:00Z');
    await release('v3', '2999-01-01T00:00:00Z');
    expect(await svg()).toContain('<title>Latest Release: v2</title>');
    expect(await svg('?order_by=created_at&key_text=Newest')).toContain('<title>Newest: v1</title>');
    expect(await svg('?order_by=nothing')).toContain('v2');
    expect((await get(`${closed.path}/-/badges/release.svg`)).status).toBe(404);
  });
});

describe('patches', () => {
  it('a commit, as diff and as mail', async () => {
    const diff = await (await get(`${open.path}/-/commit/${sha}.diff`)).text();
    expect(diff).toMatch(/^diff --git a\/a\.txt b\/a\.txt\nnew file mode 100644\n/);
    const mail = await (await get(`${open.path}/-/commit/${sha.slice(0, 8)}.patch`)).text();
    expect(mail).toMatch(/^From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\n/);
    expect(mail).toContain('Subject: [PATCH] Add a line');
    expect((await get(`${open.path}/-/commit/${'0'.repeat(40)}.patch`)).status).toBe(404);
    expect((await get(`${closed.path}/-/commit/${sha}.patch`)).status).toBe(404);
  });

  it('a merge request, as diff and as mails of its commits', async () => {
    const made = await world.app.api<{ iid: number }>('POST', `/projects/${open.id}/merge_requests`, {
      token: world.owner.token,
      json: { source_branch: 'change', target_branch: 'main', title: 'Add a line' },
    });
    expect(made.status).toBe(201);
    const at = `${open.path}/-/merge_requests/${made.body.iid}`;
    expect(await (await get(`${at}.diff`)).text()).toMatch(/^diff --git a\/a\.txt/);
    expect(await (await get(`${at}.patch`)).text()).toContain('It was missing.');
    expect((await get(`${open.path}/-/merge_requests/999.diff`)).status).toBe(404);
  });
});
