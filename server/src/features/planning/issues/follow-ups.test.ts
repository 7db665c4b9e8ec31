/** Issues that continue threads of merge requests: their text, and the threads that they resolve. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import type { BuiltToken } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';

interface DiscussionJson {
  readonly id: string;
  readonly notes: readonly {
    readonly id: number;
    readonly body: string;
    readonly system: boolean;
    readonly type: string;
    readonly resolvable: boolean;
    readonly resolved?: boolean;
    readonly author: { readonly username: string };
  }[];
}
interface IssueJson extends Json {
  readonly iid: number;
  readonly title: string;
  readonly description: string;
}

let app: TestApp;
let project: RepositoryProject;
let developer: BuiltToken;
let reporter: BuiltToken;
let count = 0;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { a: 'a' }, settings: { visibility: 'public' } });
  developer = await project.member(Level.developer);
  reporter = await project.member(Level.reporter);
});
afterAll(() => app.close());

const as = (who: BuiltToken) => ({ token: who.secret });
async function request() {
  count += 1;
  const branch = `topic-${count}`;
  await project.commit(branch, [{ action: 'create', file_path: branch, content: branch }], { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: `Topic ${count}` };
  const made = await project.api<Json & { iid: number; web_url: string }>('POST', '/merge_requests', {
    ...{ json, ...as(developer) },
  });
  expect(made.status).toBe(201);
  const path = `/merge_requests/${made.body.iid}`;
  const begin = async (body: string, who = developer) =>
    (await project.api<DiscussionJson>('POST', `${path}/discussions`, { json: { body }, ...as(who) })).body;
  const thread = async (id: string) =>
    (await project.api<DiscussionJson>('GET', `${path}/discussions/${id}`, as(developer))).body;
  return { ...made.body, path, begin, thread };
}
const create = (json: Json, who = developer) => project.api<IssueJson>('POST', '/issues', { json, ...as(who) });

describe('issues that continue threads', () => {
  it('resolve all open threads of a merge request, with a system note in each', async () => {
    const made = await request();
    const one = await made.begin('Rename it\n\nto something better');
    const other = await made.begin('Test it', reporter);
    const done = await made.begin('Done before');
    await project.api('PUT', `${made.path}/discussions/${done.id}`, { json: { resolved: true }, ...as(developer) });
    await project.api('POST', `${made.path}/discussions/${one.id}/notes`, { json: { body: 'Yes' }, ...as(reporter) });
    const issue = await create({ merge_request_to_resolve_discussions_of: made.iid });
    expect(issue.status).toBe(201);
    expect(issue.body.title).toBe(`Follow-up from "Topic ${count}"`);
    const at = ({ notes }: DiscussionJson) => `${made.web_url}#note_${notes[0]?.id}`;
    expect(issue.body.description.split('\n')).toEqual([
      ...[`The following threads from !${made.iid} should be addressed:`, ''],
      ...[`- [ ] @${developer.user.username} started a [thread](${at(one)}) (+1 comment):`, ''],
      ...['    > Rename it', '    >', '    > to something better', ''],
      ...[`- [ ] @${reporter.user.username} started a [thread](${at(other)}):`, '', '    > Test it'],
    ]);
    for (const { id } of [one, other]) {
      const { notes } = await made.thread(id);
      expect(notes.filter(({ resolvable }) => resolvable).every(({ resolved }) => resolved)).toBe(true);
      expect(notes.at(-1)).toMatchObject({
        ...{ body: `created #${issue.body.iid} to continue this discussion`, system: true, resolvable: false },
        ...{ type: 'DiscussionNote', author: { username: developer.user.username } },
      });
    }
    expect((await made.thread(done.id)).notes).toHaveLength(1);
  });

  it('resolve one thread, and keep the title and the description that are given', async () => {
    const made = await request();
    const [one, other] = [await made.begin('One'), await made.begin('Other')];
    const issue = await create({
      ...{ merge_request_to_resolve_discussions_of: made.iid, discussion_to_resolve: one.id },
      ...{ title: 'Mine', description: '' },
    });
    expect([issue.status, issue.body.title, issue.body.description]).toEqual([201, 'Mine', '']);
    expect((await made.thread(one.id)).notes).toHaveLength(2);
    expect((await made.thread(other.id)).notes).toMatchObject([{ resolved: false }]);
  });

  it('leave threads open that their author may not resolve', async () => {
    const made = await request();
    const [ours, theirs] = [await made.begin('Ours'), await made.begin('Theirs', reporter)];
    const issue = await create({ merge_request_to_resolve_discussions_of: made.iid, title: 'x' }, reporter);
    expect(issue.status).toBe(201);
    expect(issue.body.description).toContain('> Ours');
    expect((await made.thread(ours.id)).notes).toMatchObject([{ resolved: false }]);
    expect((await made.thread(theirs.id)).notes).toMatchObject([{ resolved: true }, { system: true }]);
  });

  it('without threads say so; a merge request that is not there is passed over', async () => {
    const made = await request();
    const empty = await create({ merge_request_to_resolve_discussions_of: made.iid });
    expect(empty.body.description).toBe(`!${made.iid} has no unresolved threads.`);
    const gone = { merge_request_to_resolve_discussions_of: 9999 };
    expect(await create({ ...gone, title: 'Plain' })).toMatchObject({ status: 201, body: { description: null } });
    expect(await create(gone)).toMatchObject({ status: 400, body: { error: 'title is missing' } });
    expect(await create({})).toMatchObject({ status: 400, body: { error: 'title is missing' } });
  });

  it('are described before they are created', async () => {
    const made = await request();
    const [one, other] = [await made.begin('/close\n\nOne'), await made.begin('Other', reporter)];
    const path = `/projects/${project.id}${made.path}/follow_up_issue`;
    const get = (query: Json, who?: BuiltToken) =>
      app.api<Json>('GET', path, { query, ...(who ? { token: who.secret } : {}) });
    expect((await get({}, developer)).body).toMatchObject({ discussion_ids: [one.id, other.id] });
    expect((await get({}, reporter)).body).toMatchObject({ discussion_ids: [other.id] });
    const single = await get({ discussion_to_resolve: other.id }, developer);
    expect(single.body).toMatchObject({
      title: `Follow-up from "Topic ${count}"`,
      description: expect.stringMatching(/^The following thread from .*\n\n.*\n\n {4}> Other$/),
      discussion_ids: [other.id],
    });
    // Whoever reads the threads reads this, and resolves none of them.
    expect((await get({})).body).toMatchObject({ discussion_ids: [] });
    const missing = await project.api('GET', '/merge_requests/9999/follow_up_issue', as(developer));
    expect(missing.status).toBe(404);
  });
});
