/** `GET /api/v4/live`: what one hears of, and what not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { type BuiltToken, buildGroup, buildMember, buildToken } from '../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../test/repositories.ts';
import { Level } from '../../kernel/authz/levels.ts';

let app: TestApp;
let project: RepositoryProject;
let stranger: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app);
  stranger = await buildToken(app);
});
afterAll(() => app.close());

interface Listening {
  readonly status: number;
  /** Resolves when the text has arrived, with everything so far. */
  until(text: string): Promise<string>;
  close(): void;
}

/** `more` is the rest of the query, `lastEventId` what a browser sends that connects again by itself. */
async function listen(topics: string, token?: string, more = '', lastEventId?: string): Promise<Listening> {
  const controller = new AbortController();
  const response = await fetch(`${app.url}/api/v4/live?topics=${encodeURIComponent(topics)}${more}`, {
    headers: { ...(token ? { 'PRIVATE-TOKEN': token } : {}), ...(lastEventId ? { 'Last-Event-ID': lastEventId } : {}) },
    signal: controller.signal,
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let all = '';
  return {
    status: response.status,
    async until(text) {
      while (!all.includes(text)) {
        const next = await reader?.read();
        if (!next || next.done) throw new Error(`the stream ended without ${text}: ${all}`);
        all += next.value;
      }
      return all;
    },
    close: () => controller.abort(),
  };
}

describe('live events', () => {
  it('tell members of pushes and merge requests, by topic only', async () => {
    await project.commit('live', { x: '' }, { start_branch: 'main' });
    const stream = await listen(
      `project:${project.id}:refs,project:${project.id}:merge_requests`,
      project.owner.secret,
    );
    expect(stream.status).toBe(200);
    await project.commit('live', { y: '' });
    await stream.until(`project:${project.id}:refs`);
    const json = { source_branch: 'live', target_branch: 'main', title: 'Secret title' };
    await project.api<Json>('POST', '/merge_requests', { json });
    expect(await stream.until(`project:${project.id}:merge_requests`)).not.toContain('Secret title');
    stream.close();
  });

  it('tell members of issues and boards', async () => {
    const board = (await project.api<{ id: number }>('POST', '/boards', { json: { name: 'Live' } })).body;
    const topics = `project:${project.id}:issues,board:${board.id}`;
    const stream = await listen(topics, project.owner.secret);
    await project.api('POST', '/issues', { json: { title: 'Secret title' } });
    await stream.until(`project:${project.id}:issues`);
    await project.api('PUT', `/boards/${board.id}`, { json: { name: 'Loud' } });
    expect(await stream.until(`board:${board.id}`)).not.toContain('Secret title');
    stream.close();
  });

  it('tell members of a group of its epic boards, and nobody else', async () => {
    const group = await buildGroup(app, { visibility: 'private' });
    const member = await buildToken(app);
    await buildMember(app, { user: member.user, of: group, level: Level.planner });
    const change = async (method: 'POST' | 'PUT', path: string) =>
      (
        await app.api<{ id: number }>(method, `/groups/${group.id}/epic_boards${path}`, {
          token: member.secret,
          json: { name: 'Plan' },
        })
      ).body.id;
    const board = await change('POST', '');
    const topics = `epic_board:${board},project:${project.id}:refs`;
    const [inside, outside] = [await listen(topics, member.secret), await listen(topics, project.owner.secret)];
    await change('PUT', `/${board}`);
    await inside.until(`epic_board:${board}`);
    await project.commit('live', { epic_boards: '' });
    expect(await outside.until(`project:${project.id}:refs`)).not.toContain('epic_board');
    for (const stream of [inside, outside]) stream.close();
  });

  it('strangers and anonymous callers hear nothing of a private project', async () => {
    const open = await buildRepositoryProject(app, { visibility: 'public' });
    for (const token of [stranger.secret, undefined]) {
      const stream = await listen(`project:${project.id}:refs,project:${open.id}:refs`, token);
      await project.commit('live', { [`quiet-${token === undefined}`]: '' });
      await open.commit('main', { [`loud-${token === undefined}`]: '' });
      expect(await stream.until(`project:${open.id}:refs`)).not.toContain(`project:${project.id}:refs`);
      stream.close();
    }
  });

  it('a stream begins with what changed after the cursor of an answer, and with nothing else', async () => {
    const topic = `project:${project.id}:refs`;
    const token = project.owner.secret;
    const cursor = async () => {
      const { headers } = await project.api('GET', '/repository/branches');
      return headers.get('x-live-cursor') ?? expect.unreachable('an answer without a cursor');
    };
    await expect.poll(async () => (await project.api('GET', '')).headers.get('x-live-cursor')).not.toBeNull();
    await project.commit('cursors', { a: '' }, { start_branch: 'main' });
    await expect.poll(async () => app.live.since(await cursor())).toEqual([]);
    const before = await cursor();
    await project.commit('cursors', { b: '' });
    await expect.poll(() => app.live.since(before)).toContain(topic);
    const after = await cursor();

    const behind = await listen(topic, token, `&cursor=${before}`);
    expect(await behind.until('event: cursor')).toContain(`event: change\ndata: {"topic":"${topic}"}`);
    behind.close();
    // Of what the caller may not hear, and of other topics, nothing.
    const other = await listen(`project:${project.id}:merge_requests`, token, `&cursor=${before}`);
    expect(await other.until('event: cursor')).not.toContain('event: change');
    other.close();
    const strange = await listen(topic, stranger.secret, `&cursor=${before}`);
    expect(await strange.until('event: cursor')).not.toContain('event: change');
    strange.close();
    const upToDate = await listen(topic, token, `&cursor=${after}`);
    const opened = await upToDate.until('event: cursor');
    expect(opened).not.toMatch(/event: (change|resync)/);
    const id = /^id: (\S+)$/m.exec(opened)?.[1];
    upToDate.close();
    // The browser's own reconnection says where the stream ended, its address where it began.
    const again = await listen(topic, token, `&cursor=${before}`, id);
    expect(await again.until('event: cursor')).not.toMatch(/event: (change|resync)/);
    again.close();
    for (const unknown of ['', 'AAAAAAAAAAAA.7']) {
      const lost = await listen(topic, token, `&cursor=${unknown}`);
      await lost.until('event: resync');
      lost.close();
    }
  });

  it('only answers to reads carry a cursor', async () => {
    const made = await project.api('POST', '/repository/branches', { query: { branch: 'no-cursor', ref: 'main' } });
    expect([made.status, made.headers.get('x-live-cursor')]).toEqual([201, null]);
  });

  it('unknown topics, none and too many are refused, wrong tokens too', async () => {
    const ask = (topics: string, token = project.owner.secret) =>
      app.api<Json>('GET', '/live', { token, query: { topics } });
    expect((await ask('')).body).toEqual({ error: 'topics is missing' });
    expect((await ask('users:1')).body).toEqual({ error: 'topics does not have a valid value' });
    const many = Array.from({ length: 51 }, (_, i) => `job:${i}`).join(',');
    expect((await ask(many)).body).toEqual({ error: 'topics has more than 50 elements' });
    expect((await ask('job:1', 'wrong')).status).toBe(401);
    const readUser = await buildToken(app, { user: project.owner.user, scopes: ['read_user'] });
    expect((await ask('job:1', readUser.secret)).body).toMatchObject({ error: 'insufficient_scope' });
  });
});
