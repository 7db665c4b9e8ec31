/** What is known of a checkout when it is opened. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openWorkTree } from './work-tree.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'work-tree-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const env = { PATH: process.env.PATH, HOME: base };
const git = (...args: string[]): void =>
  void execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd: base,
    env: { ...env, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: 'pipe',
  });

describe('a checkout', () => {
  git('init', '--quiet', '--initial-branch=trunk', 'first');
  git('-C', 'first', 'commit', '--quiet', '--allow-empty', '-m', 'Start\n\nWith a body');
  git('clone', '--quiet', 'first', 'clone');

  it('knows the branch, the default branch and the address of its origin', async () => {
    git('-C', 'clone', 'checkout', '--quiet', '-b', 'topic/one');
    expect(await openWorkTree(join(base, 'clone'), { env })).toMatchObject({
      root: join(base, 'clone'),
      branch: 'topic/one',
      defaultBranch: 'trunk',
      remote: join(base, 'first'),
      commit: { author: 'Ada <ada@example.com>', title: 'Start', message: 'Start\n\nWith a body' },
    });
  });

  it('has no default branch without an origin', async () => {
    const tree = await openWorkTree(join(base, 'first'), { env });
    expect(tree).toMatchObject({ root: join(base, 'first'), branch: 'trunk', defaultBranch: null, remote: null });
  });

  it('may be on no branch, and in a folder whose name has several lines', async () => {
    git('clone', '--quiet', 'first', 'two\nlines');
    git('-C', 'two\nlines', 'checkout', '--quiet', '--detach');
    const tree = await openWorkTree(join(base, 'two\nlines'), { env });
    expect(tree).toMatchObject({ root: join(base, 'two\nlines'), branch: null, defaultBranch: 'trunk' });
  });

  it('is none without commits, and none outside of a repository', async () => {
    git('init', '--quiet', 'empty');
    expect(await openWorkTree(join(base, 'empty'), { env })).toBeNull();
    expect(await openWorkTree(base, { env })).toBeNull();
  });
});
