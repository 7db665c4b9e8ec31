/** `GET /api/v4/live`: what one hears of, and what not. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../test/app.ts';
import { type BuiltToken, buildToken } from '../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../test/repositories.ts';

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

async function listen(topics: string, token?: string): Promise<Listening> {
  const controller = new AbortController();
  const response = await fetch(`${app.url}/api/v4/live?topics=${encodeURIComponent(topics)}`, {
    headers: token ? { 'PRIVATE-TOKEN': token } : {},
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
