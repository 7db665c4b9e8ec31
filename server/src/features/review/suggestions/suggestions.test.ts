/** Suggestions over HTTP: blocks in comments on lines, whether they can be applied, and the commit that applies them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { Level } from '../../../kernel/authz/levels.ts';
import { movedLines, suggestionBlocks } from './blocks.ts';
import { commitMessage } from './message.ts';

let app: TestApp;
let project: RepositoryProject;
let author: BuiltToken;
let reviewer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  project = await buildRepositoryProject(app, { files: { 'a.txt': 'start\n' } });
  author = await project.member(Level.developer);
  reviewer = await project.member(Level.developer);
});
afterAll(() => app.close());

const text = Array.from({ length: 10 }, (_, line) => `line ${line + 1}\n`).join('');

interface Shown {
  readonly id: number;
  readonly applicable: boolean;
  readonly applied: boolean;
}

async function open(more: Record<string, string> = {}) {
  const branch = unique('work');
  await project.commit(branch, { 'new.txt': text, ...more }, { start_branch: 'main' });
  const json = { source_branch: branch, target_branch: 'main', title: branch };
  const made = await project.api<Json & { diff_refs: Json }>('POST', '/merge_requests', { token: author.secret, json });
  expect(made.status).toBe(201);
  const path = `/merge_requests/${made.body.iid}`;
  const file = async (name = 'new.txt') =>
    (await project.api<string>('GET', `/repository/files/${name}/raw`, { query: { ref: branch } })).body;
  return {
    path,
    branch,
    file,
    /** A thread on a line, and what its first comment proposes. */
    async propose(line: number, body: string, who = reviewer, name = 'new.txt') {
      const position = {
        ...made.body.diff_refs,
        position_type: 'text',
        old_path: name,
        new_path: name,
        new_line: line,
      };
      const thread = await project.api<{ id: string; notes: Array<Json & { suggestions: Shown[] }> }>(
        'POST',
        `${path}/discussions`,
        { token: who.secret, json: { body, position } },
      );
      expect([thread.status, thread.body]).toEqual([201, thread.body]);
      return { thread: thread.body.id, suggestions: thread.body.notes[0]?.suggestions ?? [] };
    },
    async now(thread: string) {
      const { body } = await project.api<{ notes: Array<Json & { suggestions: Shown[] }> }>(
        'GET',
        `${path}/discussions/${thread}`,
      );
      return body.notes[0];
    },
    head: async () =>
      (await project.api<Json[]>('GET', '/repository/commits', { query: { ref_name: branch } })).body[0],
  };
}
const block = (content: string, range = '') => `Better:\n\n\`\`\`suggestion${range}\n${content}\`\`\`\n`;
const apply = (id: number, json: Json = {}, who: BuiltToken | null = author) =>
  app.api<Json>('PUT', `/suggestions/${id}/apply`, { ...(who ? { token: who.secret } : {}), json });
const batch = (ids: number[], json: Json = {}, who = author) =>
  app.api<Json[]>('PUT', '/suggestions/batch_apply', { token: who.secret, json: { ids, ...json } });

describe('suggestions', () => {
  it('[2/fields.suggestion/1 id, from_line, to_line, applicable, applied, from_content, to_content] [2/states.suggestion/1 applicable, applied] [2/api.suggestions/1] [2/api.suggestions/2 PUT /suggestions/:id/apply, id, commit_message] one is applied by who may push: its commit has the author of the suggestion', async () => {
    const request = await open();
    const { thread, suggestions } = await request.propose(5, block('LINE 4\nLINE 5\n', ':-1+1'));
    const [found] = suggestions;
    expect(suggestions).toEqual([
      {
        id: found?.id,
        from_line: 4,
        to_line: 6,
        applicable: true,
        appliable: true,
        applied: false,
        from_content: 'line 4\nline 5\nline 6\n',
        to_content: 'LINE 4\nLINE 5\n',
      },
    ]);
    const id = found?.id ?? 0;
    expect((await apply(id, {}, null)).status).toBe(401);
    for (const level of [Level.guest, Level.reporter])
      expect((await apply(id, {}, await project.member(level))).status).toBe(403);
    expect((await apply(id, {}, await (await buildRepositoryProject(app)).member(Level.developer))).status).toBe(404);
    expect(await apply(999_999_999)).toMatchObject({
      status: 404,
      body: { message: 'Suggestion is not applicable as the suggestion was not found.' },
    });
    const applied = await apply(id, { commit_message: 'Take %{suggestions_count} of %{username}' });
    expect(applied).toMatchObject({ status: 200, body: { id, applied: true, applicable: false } });
    expect(await request.file()).toBe(text.replace('line 4\nline 5\nline 6\n', 'LINE 4\nLINE 5\n'));
    expect(await request.head()).toMatchObject({
      message: `Take 1 of ${author.user.username}`,
      author_name: reviewer.user.name,
      committer_name: author.user.name,
    });
    const note = await request.now(thread);
    expect(note).toMatchObject({ resolved: true, suggestions: [{ applied: true, applicable: false }] });
    expect(await apply(id)).toMatchObject({
      status: 400,
      body: { message: "Can't apply as this line was changed or the suggestion already matches its content." },
    });
  });

  it('[2/api.suggestions/3 PUT /suggestions/batch_apply, ids, commit_message] several become one commit with co-authors', async () => {
    const request = await open({ 'other.txt': text });
    const third = await project.member(Level.developer);
    const first = await request.propose(2, `${block('two\n')}\n${block('three\n', ':-0+1')}`);
    const second = await request.propose(8, block('', ':-0+0'), third, 'other.txt');
    const far = await request.propose(9, block('nine\n'));
    const idOf = ({ suggestions }: { suggestions: readonly Shown[] }, at = 0) => suggestions[at]?.id ?? 0;
    expect(first.suggestions.length).toBe(2);
    expect(await batch([idOf(first), idOf(first, 1)])).toMatchObject({
      status: 400,
      body: { message: 'Suggestions are not applicable as their lines cannot overlap.' },
    });
    const elsewhere = await (await open()).propose(1, block('one\n'));
    expect(await batch([idOf(first), idOf(elsewhere)])).toMatchObject({
      status: 400,
      body: { message: 'Suggestions must all be on the same branch.' },
    });
    expect(await batch([idOf(first), 999_999_999])).toMatchObject({
      status: 404,
      body: { message: 'Suggestions are not applicable as one or more suggestions were not found.' },
    });
    expect((await batch([])).status).toBe(400);
    const ids = [idOf(far), idOf(first), idOf(second)];
    const applied = await batch(ids);
    expect([applied.status, applied.body.map(({ id, applied: done }) => [id, done])]).toEqual([
      200,
      ids.map((id) => [id, true]),
    ]);
    expect(await request.file()).toBe(text.replace('line 2\n', 'two\n').replace('line 9\n', 'nine\n'));
    expect(await request.file('other.txt')).toBe(text.replace('line 8\n', ''));
    const head = await request.head();
    expect(head).toMatchObject({ title: 'Apply 3 suggestion(s) to 2 file(s)', author_name: author.user.name });
    for (const { user } of [reviewer, third]) expect(head?.message).toContain(`Co-authored-by: ${user.name} <`);
    // Nobody's address is given away.
    expect(head?.message).not.toContain(reviewer.user.email);
    // The other one of the same line is about what is not there any more.
    expect((await request.now(first.thread))?.suggestions).toMatchObject([{ applied: true }, { applicable: false }]);
  });

  it('follow their lines over pushes, and are no longer applicable when these changed', async () => {
    const request = await open();
    const { thread, suggestions } = await request.propose(5, block('FIVE\n'));
    const push = (content: string) =>
      project.commit(request.branch, [{ action: 'update', file_path: 'new.txt', content }]);
    await push(`first\nsecond\n${text}`);
    expect((await apply(suggestions[0]?.id ?? 0)).status).toBe(200);
    expect(await request.file()).toBe(`first\nsecond\n${text.replace('line 5', 'FIVE')}`);
    const other = await request.propose(7, block('SEVEN\n'));
    await push(`first\nsecond\n${text.replace('line 7', 'changed')}`);
    expect(await apply(other.suggestions[0]?.id ?? 0)).toMatchObject({ status: 400 });
    expect((await request.now(other.thread))?.suggestions).toMatchObject([{ applicable: false, applied: false }]);
    expect((await request.now(thread))?.suggestions).toMatchObject([{ applied: true }]);
    const closed = await request.propose(1, block('ONE\n'));
    await project.api('PUT', request.path, { json: { state_event: 'close' } });
    expect((await apply(closed.suggestions[0]?.id ?? 0)).status).toBe(400);
  });

  it('suggestion_commit_message: the template of the project', async () => {
    const json = {
      suggestion_commit_message: '%{project_path} %{branch_name} %{file_paths} %{user_full_name} %{what}',
    };
    expect((await project.api('PUT', '', { json })).status).toBe(200);
    const request = await open();
    const { suggestions } = await request.propose(1, block('ONE\n'));
    expect((await apply(suggestions[0]?.id ?? 0)).status).toBe(200);
    expect((await request.head())?.message).toBe(
      `${project.fullPath} ${request.branch} new.txt ${author.user.name} %{what}`,
    );
    await project.api('PUT', '', { json: { suggestion_commit_message: null } });
  });

  it('change with their comment; comments of other kinds propose nothing', async () => {
    const request = await open();
    const { thread, suggestions } = await request.propose(1, block('ONE\n'));
    const note = await request.now(thread);
    const changed = await project.api<Json>('PUT', `${request.path}/notes/${note?.id}`, {
      token: reviewer.secret,
      json: { body: block('other\n') },
    });
    expect(changed.body.suggestions).toMatchObject([{ to_content: 'other\n' }]);
    expect((await apply(suggestions[0]?.id ?? 0)).status).toBe(404);
    const plain = await project.api<Json>('POST', `${request.path}/notes`, { json: { body: block('x\n') } });
    expect(plain.body).not.toHaveProperty('suggestions');
  });
});

describe('blocks', () => {
  it.each<[string, string, Array<[number, number, string]>]>([
    ['a block', '```suggestion\nx\n```', [[0, 0, 'x\n']]],
    ['a range', '```suggestion:-2+10\nx\ny\n```', [[2, 10, 'x\ny\n']]],
    ['nothing in place of lines', '```suggestion:-0+1\n```', [[0, 1, '']]],
    [
      'several',
      '```suggestion\na\n```\ntext\n~~~suggestion\nb\n~~~',
      [
        [0, 0, 'a\n'],
        [0, 0, 'b\n'],
      ],
    ],
    ['a fence inside', '````suggestion\n```\nx\n```\n````', [[0, 0, '```\nx\n```\n']]],
    ['inside of another block', '````\n```suggestion\nx\n```\n````', []],
    ['no end', '```suggestion\nx', []],
    ['another language', '```suggestions\nx\n```', []],
    ['too far', '```suggestion:-101+0\nx\n```', []],
  ])('%s', (_title, body, expected) => {
    expect(suggestionBlocks(body).map(({ above, below, content }) => [above, below, content])).toEqual(expected);
  });

  it('security 10: no text makes reading slow', () => {
    const before = process.cpuUsage();
    for (const part of ['```suggestion\n', '`', '~~~\n', ' ```suggestion:-1+1 '])
      suggestionBlocks(part.repeat(Math.floor(1_000_000 / part.length)));
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  });

  it('lines are found again after a patch, or are gone', () => {
    const patch = '@@ -1,3 +1,4 @@\n+new\n a\n b\n c\n@@ -8,3 +9,2 @@\n h\n-i\n j\n';
    expect(movedLines(patch, 5, 6)).toEqual({ from: 6, to: 7 });
    expect(movedLines(patch, 1, 2)).toEqual({ from: 2, to: 3 });
    expect(movedLines(patch, 9, 9)).toBeNull();
    expect(movedLines(patch, 8, 10)).toBeNull();
    expect(movedLines(patch, 12, 12)).toEqual({ from: 12, to: 12 });
    expect(movedLines('', 3, 4)).toEqual({ from: 3, to: 4 });
  });

  it('names make no trailers of their own', () => {
    const facts = {
      project: { name: 'p' },
      fullPath: 'g/p',
      branch: 'b',
      user: { name: 'U', username: 'u' },
      paths: ['a'],
      count: 1,
      coAuthors: [{ name: 'Eve\nSigned-off-by: Root', email: 'e@x>\nX: y' }],
    };
    expect(commitMessage(null, facts)).toBe(
      'Apply 1 suggestion(s) to 1 file(s)\n\nCo-authored-by: Eve Signed-off-by: Root <e@x  X: y>',
    );
  });
});
