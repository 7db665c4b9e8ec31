/** Hashes of changes: equal after a rebase, different for any other difference. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { createFixture, type Fixture } from '../test-repository.ts';
import { type Sha, shaFromGit } from '../types.ts';
import { patchId } from './patch-id.ts';

let fixture: Fixture;
let repo: Repo;
beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
});
afterAll(() => fixture.close());

function tree(files: Readonly<Record<string, string | Buffer>>): Sha {
  const lines = Object.entries(files).map(
    ([name, content]) =>
      `100644 blob ${fixture.plain(repo.path, ['hash-object', '-w', '--stdin'], content).trim()}\t${name}\0`,
  );
  return shaFromGit(fixture.plain(repo.path, ['mktree', '-z'], lines.join('')).trim());
}
const numbered = (count: number, changed = '') =>
  Array.from({ length: count }, (_, line) => `line ${line}${line === 20 ? changed : ''}\n`).join('');
const of = (before: string | Buffer, after: string | Buffer) => patchId(repo, tree({ a: before }), tree({ a: after }));

describe('patchId', () => {
  test('is the same where the change is, wherever its lines are', async () => {
    const first = await of(numbered(40), numbered(40, ' changed'));
    expect(await of(`more\nabove\n${numbered(40)}`, `more\nabove\n${numbered(40, ' changed')}`)).toBe(first);
    expect(first).toMatch(/^[0-9a-f]{64}$/);
  });

  test('differs for another change, for white space, for binary content and for names', async () => {
    const first = await of(numbered(40), numbered(40, ' changed'));
    expect(await of(numbered(40), numbered(40, ' Changed'))).not.toBe(first);
    expect(await of(numbered(40), numbered(40, '  changed'))).not.toBe(first);
    const binary = (value: number) => of(Buffer.from([0, 1]), Buffer.from([0, value]));
    expect(await binary(2)).not.toBe(await binary(3));
    expect(await binary(2)).toBe(await binary(2));
    const named = await patchId(repo, tree({ x: '1\n' }), tree({ x: '1\n', b: 'new\n' }));
    expect(await patchId(repo, tree({ x: '1\n' }), tree({ x: '1\n', c: 'new\n' }))).not.toBe(named);
  });

  test('lines that look like those of git are content', async () => {
    const lines = (at: string) => of('', `index ${at}\n@@ ${at}\nBinary files ${at}\n`);
    expect(await lines('1')).not.toBe(await lines('2'));
  });
});
