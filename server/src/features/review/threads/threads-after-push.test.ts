/**
 * Threads on lines follow these across pushes: through random histories they stand where `git blame` finds their lines.
 * `npm run test:long -- --only histories` does 300 of them; MILLRACE_HISTORIES and MILLRACE_SEED choose others.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { unique } from '../../../../test/factories.ts';
import { type Next, seeded } from '../../../../test/histories.ts';
import {
  buildRepositoryProject,
  type FileAction,
  type Json,
  type RepositoryProject,
} from '../../../../test/repositories.ts';
import { acrossPatch } from './tracing.ts';

const firstSeed = Number(process.env.MILLRACE_SEED ?? 1);
const many = Number(process.env.MILLRACE_HISTORIES ?? 2);
const pushes = 5;

let app: TestApp;
let project: RepositoryProject;
beforeAll(async () => {
  app = await startTestApp({ background: true });
  project = await buildRepositoryProject(app, { files: { 'README.md': 'hello\n' } });
});
afterAll(() => app.close());

interface Shown {
  readonly outdated: boolean;
  readonly position: Json & {
    readonly new_line: number | null;
    readonly old_line: number | null;
    readonly new_path: string;
  };
  readonly original_position: Json;
}

const numbered = (count: number, word = 'line') => Array.from({ length: count }, (_, at) => `${word} ${at + 1}`);
const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

/** A merge request that changes a file, and threads on its lines. */
async function open(before: readonly string[], after: readonly string[]) {
  const name = unique('file');
  const target = unique('target');
  const branch = unique('work');
  await project.commit(target, { [name]: textOf(before) }, { start_branch: 'main' });
  const update = (file_path: string, content: string): FileAction => ({ action: 'update', file_path, content });
  await project.commit(branch, [update(name, textOf(after))], { start_branch: target });
  const json = { source_branch: branch, target_branch: target, title: branch };
  const made = await project.api<Json & { diff_refs: Json }>('POST', '/merge_requests', { json });
  const path = `/merge_requests/${made.body.iid}`;
  let head = String(made.body.sha);
  return {
    ...{ name, branch, target, path },
    head: () => head,
    async begin(lines: Json, more: Json = {}) {
      const position = { ...made.body.diff_refs, position_type: 'text', old_path: name, new_path: name, ...lines };
      const thread = await project.api<Json & { id: string }>('POST', `${path}/discussions`, {
        json: { body: 'here', position, ...more },
      });
      expect([thread.status, thread.body]).toEqual([201, thread.body]);
      return thread.body.id;
    },
    async push(actions: readonly FileAction[]) {
      head = await project.commit(branch, actions);
      await vi.waitFor(
        async () => expect((await project.api(`GET`, path)).body.diff_refs).toMatchObject({ head_sha: head }),
        { interval: 5, timeout: 60_000 },
      );
    },
    async shown(thread: string) {
      const { body } = await project.api<{ notes: Shown[] }>('GET', `${path}/discussions/${thread}`);
      const [note] = body.notes;
      if (!note) throw new Error('no note');
      return note;
    },
    /** Of each line the commit and number that it comes from. */
    blame(path: string): string[] {
      const text = execFileSync('git', ['blame', '--porcelain', head, '--', path], {
        cwd: project.directory,
        encoding: 'utf8',
      });
      return [...text.matchAll(/^([0-9a-f]{40}) (\d+) \d+/gm)].map(([, sha, line]) => `${sha}:${line}`);
    },
    update,
  };
}

/** Some edits of a text, each with lines that are nowhere else. */
function edited(next: Next, lines: readonly string[], push: number): string[] {
  const result = [...lines];
  for (let edit = 0; edit <= next(4); edit += 1) {
    // The first line, which the request adds, stays: it keeps the file part of the change.
    const at = 1 + next(Math.max(result.length - 1, 1));
    const removed = [0, 0, 1, 1, 3][next(5)] ?? 0;
    const added = numbered(removed === 0 ? 1 + next(3) : next(3), `push ${push}, edit ${edit}, line`);
    result.splice(at, removed, ...added);
  }
  return result;
}

describe('threads on lines', () => {
  it.each(Array.from({ length: many }, (_, at) => firstSeed + at))(
    'stand where git blame finds their lines (history %i)',
    async (seed) => {
      const next = seeded(seed);
      const before = numbered(30);
      let lines = ['added first', ...edited(next, ['', ...before], 0).slice(1)];
      const request = await open(before, lines);
      let path = request.name;
      let blame = request.blame(path);
      const threads = new Map<string, string>();
      for (let count = 0; count < 8; count += 1) {
        const line = 1 + next(lines.length);
        const old = before.indexOf(lines[line - 1] ?? '') + 1;
        const id = await request.begin(old === 0 ? { new_line: line } : { new_line: line, old_line: old });
        threads.set(id, blame[line - 1] ?? '');
      }
      for (let push = 1; push <= pushes; push += 1) {
        const was = lines;
        lines = edited(next, lines, push);
        const moved = next(5) === 0 ? unique('moved') : path;
        await request.push([
          ...(moved === path
            ? []
            : [{ action: 'move', file_path: moved, previous_path: path, content: textOf(was) } as const]),
          ...(moved === path ? [request.update(path, textOf(lines))] : []),
        ]);
        if (moved !== path) lines = was;
        path = moved;
        blame = request.blame(path);
        for (const [id, origin] of threads) {
          const { outdated, position } = await request.shown(id);
          const line = blame.indexOf(origin) + 1;
          const found = outdated ? 0 : position.new_line;
          expect([seed, push, id, found]).toEqual([seed, push, id, line]);
          if (line > 0) expect([position.new_path, position.head_sha]).toEqual([path, request.head()]);
        }
      }
    },
  );

  it('on removed lines, ranges and files follow them; what is gone is outdated and stays readable', async () => {
    const before = numbered(12);
    const request = await open(before, before.filter((_, at) => at !== 4).concat('tail'));
    const removed = await request.begin({ old_line: 5 });
    const range = await request.begin({
      ...{ old_line: 9, new_line: 8 },
      line_range: { start: { old_line: 7, new_line: 6 }, end: { old_line: 9, new_line: 8 } },
    });
    const file = await request.begin({ position_type: 'file' });
    const tail = await request.begin({ new_line: 12 });
    await request.push([request.update(request.name, textOf(['top', ...before.filter((_, at) => at !== 4), 'end']))]);
    expect(await request.shown(removed)).toMatchObject({ outdated: false, position: { old_line: 5, new_line: null } });
    expect((await request.shown(range)).position).toMatchObject({
      ...{ old_line: 9, new_line: 9, head_sha: request.head() },
      line_range: { start: { old_line: 7, new_line: 7, type: null }, end: { old_line: 9, new_line: 9 } },
    });
    expect(await request.shown(file)).toMatchObject({ outdated: false, position: { head_sha: request.head() } });
    const gone = await request.shown(tail);
    expect(gone).toMatchObject({ outdated: true, position: { new_line: 12 }, original_position: { new_line: 12 } });
    expect(gone.original_position.head_sha).not.toBe(request.head());
    await request.push([
      { action: 'delete', file_path: request.name },
      { action: 'create', file_path: 'n', content: '' },
    ]);
    expect(await request.shown(range)).toMatchObject({ outdated: true });
    expect(await request.shown(removed)).toMatchObject({ outdated: false, position: { old_line: 5 } });
  });

  it('a line of one side has its number on the other', () => {
    const patch = '@@ -3,0 +4,2 @@\n+a\n+b\n@@ -6,2 +8 @@\n-c\n-d\n+e\n';
    const at = (line: number, side: 'old' | 'new') => {
      const { changed, other } = acrossPatch(patch, line, side);
      return [changed, other];
    };
    expect([3, 4, 5, 6, 7, 8].map((line) => at(line, 'old'))).toEqual([
      ...[
        [false, 3],
        [false, 6],
        [false, 7],
        [true, 8],
        [true, 8],
        [false, 9],
      ],
    ]);
    expect([3, 4, 5, 6, 8, 9].map((line) => at(line, 'new'))).toEqual([
      ...[
        [false, 3],
        [true, 4],
        [true, 4],
        [false, 4],
        [true, 8],
        [false, 8],
      ],
    ]);
  });
});
