/** Walks, counts, relations and line counts against plain git on random histories. Slow, sampled: git is asked about every pair of commits. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRepository, type Repo } from '../context.ts';
import { listTree } from '../objects/tree.ts';
import { writeCommitGraph } from '../repository/maintenance.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { type Sha, shaFromGit } from '../types.ts';
import { lastCommitOf, lastCommitsOf } from './last-commits.ts';
import { countCommits, type LogQuery, log, logIds, newCommits } from './log.ts';
import { aheadBehind, ancestorsAmong, isAncestor, mergeBase } from './relations.ts';
import { commitStats, diffStats } from './stats.ts';

let fixture: Fixture;
const cases: { repo: Repo; tips: Sha[] }[] = [];

beforeAll(async () => {
  fixture = createFixture();
  for (let seed = 20; seed < 24; seed += 1) {
    const repo = await fixture.create();
    cases.push({ repo, tips: randomHistory(fixture, repo, seed, 60) });
  }
});
afterAll(() => fixture.close());

function revList(repo: Repo, args: string[]): string[] {
  return fixture
    .plain(repo.path, ['rev-list', ...args])
    .split('\n')
    .filter((line) => line !== '');
}

describe('log', () => {
  test.each([0, 1, 2, 3])('history %i equals rev-list for every kind of query', async (at) => {
    const { repo, tips } = cases[at] as (typeof cases)[number];
    const [a, b, c] = tips as [Sha, Sha, Sha];
    const queries: [Omit<LogQuery, 'limit'>, string[]][] = [
      [{ from: [a] }, [a]],
      [{ from: [a, b, c] }, [a, b, c]],
      [{ from: [b], firstParent: true }, ['--first-parent', b]],
      [{ from: [a], not: [b] }, [a, `^${b}`]],
      [{ from: [], all: true }, ['--all']],
      [{ from: [c], order: 'topo' }, ['--topo-order', c]],
      [{ from: [c], order: 'date' }, ['--date-order', c]],
      [{ from: [a], paths: ['src'] }, [a, '--', 'src']],
      [{ from: [a], paths: ['/docs/"quoted"\tname'] }, [a, '--', 'docs/"quoted"\tname']],
      [{ from: [a], paths: ['/'] }, [a]],
      [{ from: [a], author: 'ANN@' }, ['-i', '-F', '--author=ANN@', a]],
      [{ from: [a], author: '-x.*' }, ['-i', '-F', '--author=-x.*', a]],
      [{ from: [a], grep: 'change 1' }, ['-i', '-F', '--grep=change 1', a]],
      [{ from: [a], since: 1_700_000_300, until: 1_700_000_800 }, ['--since=@1700000300', '--until=@1700000800', a]],
      [{ from: [a], noMerges: true }, ['--no-merges', a]],
    ];
    for (const [query, args] of queries) {
      const expected = revList(repo, args);
      expect([query, await logIds(repo, { ...query, limit: 1000 })]).toEqual([query, expected]);
      expect(await logIds(repo, { ...query, limit: 7, skip: 3 })).toEqual(expected.slice(3, 10));
      expect(await countCommits(repo, query)).toBe(expected.length);
    }
    expect(await countCommits(repo, { from: [a] }, 5)).toBe(5);
    expect((await log(repo, { from: [a], limit: 3 })).map(({ id }) => id)).toEqual(revList(repo, ['-3', a]));
  });

  test('windows deep in a long history are those of rev-list, whatever was asked before them', async () => {
    const repo = await fixture.create();
    const commit = (at: number) =>
      `commit refs/heads/main\nmark :${at}\ncommitter A <a@example.com> ${1_700_000_000 + at} +0000\ndata 1\n.` +
      `${at > 1 ? `\nfrom :${at - 1}` : ''}${at % 10 === 0 ? `\nmerge :${at - 7}` : ''}\n`;
    const input = Array.from({ length: 9000 }, (_none, at) => commit(at + 1)).join('\n');
    fixture.plain(repo.path, ['fast-import', '--quiet'], input);
    const [head] = revList(repo, ['-1', 'main']) as [Sha];
    const whole = revList(repo, [head]);
    const straight = revList(repo, ['--first-parent', head]);
    const windows = [150, 4090, 200, 8995, 20_000, 199_990];
    const found = await Promise.all(windows.map((skip) => logIds(repo, { from: [head], skip, limit: 10 })));
    expect(found).toEqual(windows.map((skip) => whole.slice(skip, skip + 10)));
    for (const skip of windows)
      expect(await logIds(repo, { from: [head], firstParent: true, skip, limit: 7 })).toEqual(
        straight.slice(skip, skip + 7),
      );
    expect(await logIds(repo, { from: [head], skip: 250_000 })).toEqual([]);
    const unknown = '1'.repeat(40) as Sha;
    await expect(logIds(repo, { from: [unknown], skip: 300 })).rejects.toThrow();
    await expect(logIds(repo, { from: [unknown], skip: 300 })).rejects.toThrow();
  });

  test('ranges and counts between any two commits equal rev-list, asked from the root upwards', async () => {
    const { repo, tips } = cases[0] as (typeof cases)[number];
    const all = revList(repo, ['--reverse', '--topo-order', ...tips]) as Sha[];
    const some = all.filter((_, index) => index % 3 === 0);
    for (const head of all) expect(await countCommits(repo, { from: [head] })).toBe(revList(repo, [head]).length);
    for (const base of some)
      for (const head of some) {
        const expected = revList(repo, [head, `^${base}`]);
        const range = { from: [head], not: [base] };
        expect([head, base, await logIds(repo, { ...range, limit: 1000 })]).toEqual([head, base, expected]);
        expect(await logIds(repo, { ...range, skip: 1, limit: 2 })).toEqual(expected.slice(1, 3));
        expect([await countCommits(repo, range), await countCommits(repo, range, 2)]).toEqual([
          expected.length,
          Math.min(2, expected.length),
        ]);
      }
  });

  test('following renames equals git log --follow', async () => {
    for (const { repo, tips } of cases) {
      for (const path of ['moved/z', 'moved/README.md', 'moved/src/a.ts']) {
        const expected = fixture.plain(repo.path, ['log', '--follow', '--format=%H', tips[0] as string, '--', path]);
        const ids = await logIds(repo, { from: [tips[0] as Sha], paths: [path], follow: true, limit: 1000 });
        expect(ids).toEqual(expected.split('\n').filter((line) => line !== ''));
      }
    }
  });

  test('security 4: option-like paths and patterns stay paths and patterns', async () => {
    const { repo, tips } = cases[0] as (typeof cases)[number];
    const from = [tips[0] as Sha];
    for (const path of ['--output=/tmp/x', '-h', '--all', ':(glob)**', ':/', '*']) {
      expect(await logIds(repo, { from, paths: [path] })).toEqual([]);
    }
    await expect(logIds(repo, { from, paths: ['../..'] })).rejects.toMatchObject({ code: 'invalid' });
    await expect(logIds(repo, { from, author: 'a\n--all' })).rejects.toMatchObject({ code: 'invalid' });
    expect(await logIds(repo, { from, grep: '--output=/tmp/x' })).toEqual([]);
  });

  test('missing commits are not_found', async () => {
    const { repo } = cases[0] as (typeof cases)[number];
    const absent = 'deadbeef'.repeat(5) as Sha;
    await expect(logIds(repo, { from: [absent] })).rejects.toMatchObject({ code: 'not_found' });
    await expect(logIds(repo, { from: [absent], paths: ['x'] })).rejects.toMatchObject({ code: 'not_found' });
    await expect(mergeBase(repo, absent, 'cafe0000'.repeat(5) as Sha)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('new commits are those behind no reference', async () => {
    const { repo, tips } = cases[1] as (typeof cases)[number];
    const tree = fixture.plain(repo.path, ['rev-parse', `${tips[0]}^{tree}`]).trim();
    const make = (parent: string) =>
      shaFromGit(fixture.plain(repo.path, ['commit-tree', tree, '-p', parent, '-m', 'n']).trim());
    const first = make(tips[0] as string);
    const second = make(first);
    expect(await newCommits(repo, [second], { limit: 10 })).toEqual([second, first]);
    expect(await newCommits(repo, [second], { limit: 10, reverse: true })).toEqual([first, second]);
    expect(await newCommits(repo, [tips[0] as Sha], { limit: 10 })).toEqual([]);
  });
});

describe('relations and line counts', () => {
  test('merge base, ancestry, ahead and behind equal plain git', async () => {
    for (const { repo, tips } of cases) {
      for (const a of tips) {
        for (const b of tips) {
          const plain = fixture.plain(repo.path, ['merge-base', a, b]).trim();
          expect(await mergeBase(repo, a, b)).toBe(plain);
          expect(await isAncestor(repo, a, b)).toBe(plain === a);
          const [behind, ahead] = fixture
            .plain(repo.path, ['rev-list', '--left-right', '--count', `${a}...${b}`])
            .trim()
            .split('\t');
          expect(await aheadBehind(repo, a, b)).toEqual({ ahead: Number(ahead), behind: Number(behind) });
        }
      }
    }
    const { repo, tips } = cases[0] as (typeof cases)[number];
    const tree = fixture.plain(repo.path, ['rev-parse', `${tips[0]}^{tree}`]).trim();
    const orphan = shaFromGit(fixture.plain(repo.path, ['commit-tree', tree, '-m', 'orphan']).trim());
    expect(await mergeBase(repo, orphan, tips[0] as Sha)).toBeNull();
  });

  test('line counts of all commits, asked for at once, equal git show against the first parent', async () => {
    for (const { repo, tips } of cases) {
      const ids = await logIds(repo, { from: tips, limit: 1000 });
      const all = await Promise.all(ids.map((id) => commitStats(repo, id)));
      for (const [i, id] of ids.entries()) {
        const rows = fixture
          .plain(repo.path, ['show', '-m', '--first-parent', '--format=', '--numstat', '-M', id])
          .trim()
          .split('\n');
        const sum = (column: number) => rows.reduce((total, row) => total + (Number(row.split('\t')[column]) || 0), 0);
        expect(all[i]).toMatchObject({ additions: sum(0), deletions: sum(1), total: sum(0) + sum(1) });
      }
      const root = revList(repo, ['--max-parents=0', ...tips])[0] as Sha;
      expect(await diffStats(repo, null, root)).toEqual(await commitStats(repo, root));
    }
    expect(await commitStats((cases[0] as (typeof cases)[number]).repo, 'deadbeef'.repeat(5) as Sha)).toBeNull();
  });

  test('last commits of entries equal git log -1 of each', async () => {
    for (const { repo, tips } of cases) {
      for (const directory of ['', 'src', 'moved/src', 'docs']) {
        const tip = tips[0] as Sha;
        const { entries: found, complete } = await lastCommitsOf(repo, tip, directory);
        expect(complete).toBe(true);
        for (const [name, id] of found) {
          const path = directory === '' ? name : `${directory}/${name}`;
          expect([path, id]).toEqual([
            path,
            fixture.plain(repo.path, ['log', '-1', '--format=%H', tip, '--', path]).trim(),
          ]);
          expect(await lastCommitOf(repo, tip, path)).toBe(id);
        }
        const entries = (await listTree(repo, tip, directory))?.map(({ name }) => name) ?? [];
        expect([...found.keys()].sort()).toEqual(entries.sort());
      }
    }
  });

  test('the walk of git finds what the walk in process finds, with and without an answer for an earlier commit', async () => {
    for (const { repo, tips } of cases) {
      const commits = (await logIds(repo, { from: tips, limit: 500 })).filter((_id, index) => index % 5 === 0);
      for (const directory of ['', 'src', 'moved/src', 'docs'])
        for (const [index, commit] of commits.entries()) {
          fixture.git.cache.clear();
          const inProcess = await lastCommitsOf(repo, commit, directory, { inProcessMs: 60_000 });
          fixture.git.cache.clear();
          const options = { inProcessMs: -1, timeoutMs: 60_000 };
          expect(await lastCommitsOf(repo, commit, directory, options)).toEqual(inProcess);
          // Before it, beside it, or after it in history.
          const other = commits[(index * 7 + 3) % commits.length] as Sha;
          const earlier = { commit: other, entries: (await lastCommitsOf(repo, other, directory)).entries };
          for (const inProcessMs of [-1, 60_000]) {
            fixture.git.cache.clear();
            expect(await lastCommitsOf(repo, commit, directory, { ...options, inProcessMs, earlier })).toEqual(
              inProcess,
            );
          }
        }
    }
  });

  test('any two commits meet where git says, with as many commits of their own', async () => {
    const { repo, tips } = cases[1] as (typeof cases)[number];
    fixture.git.cache.clear();
    const some = (await logIds(repo, { from: tips, limit: 500 })).filter((_, index) => index % 4 === 0);
    for (const a of some)
      for (const b of some) {
        const bases = fixture.plain(repo.path, ['merge-base', '--all', a, b]).trim().split('\n');
        expect(bases).toContain(await mergeBase(repo, a, b));
        const { ahead, behind } = await aheadBehind(repo, a, b);
        const [left, right] = [revList(repo, [a, `^${b}`]), revList(repo, [b, `^${a}`])];
        expect([behind, ahead]).toEqual([left.length, right.length]);
      }
  });

  test('a walk that is cut off tells what it found until then', async () => {
    const { repo, tips } = cases[0] as (typeof cases)[number];
    fixture.git.cache.clear();
    const found = await lastCommitsOf(repo, tips[0] as Sha, 'src', { inProcessMs: -1, timeoutMs: -1 });
    expect(found.complete).toBe(false);
    fixture.git.cache.clear();
    const all = (await lastCommitsOf(repo, tips[0] as Sha, 'src')).entries;
    for (const [name, id] of found.entries) expect(all.get(name)).toBe(id);
  });

  test('ancestors among many equal git, with and without answers at hand', async () => {
    for (const { repo, tips } of cases) {
      fixture.git.cache.clear();
      const all = await logIds(repo, { from: tips, limit: 500 });
      for (const tip of tips) {
        const history = new Set(revList(repo, [tip]));
        const expected = all.filter((id) => history.has(id)).sort();
        expect([...(await ancestorsAmong(repo, all.slice(0, 7), tip))].sort()).toEqual(
          all
            .slice(0, 7)
            .filter((id) => history.has(id))
            .sort(),
        );
        expect([...(await ancestorsAmong(repo, all, tip))].sort()).toEqual(expected);
        for (const id of all.slice(0, 20)) expect(await isAncestor(repo, id, tip)).toBe(history.has(id));
      }
      const missing = 'deadbeef'.repeat(5) as Sha;
      await expect(ancestorsAmong(repo, [missing], tips[0] as Sha)).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  test('answers stay the same with a commit-graph', async () => {
    const { repo, tips } = cases[2] as (typeof cases)[number];
    const before = await logIds(repo, { from: [tips[0] as Sha], paths: ['src'], limit: 500 });
    await writeCommitGraph(repo);
    fixture.git.cache.clear();
    expect(await logIds(repo, { from: [tips[0] as Sha], paths: ['src'], limit: 500 })).toEqual(before);
  });
});

test('an aborted caller ends its process and frees its place', async () => {
  const { repo, tips } = cases[3] as (typeof cases)[number];
  const controller = new AbortController();
  const mine = openRepository(fixture.git, repo.path, { caller: 'anonymous', signal: controller.signal });
  const walk = logIds(mine, { from: tips, paths: ['bin'], limit: 400 });
  controller.abort();
  await expect(walk).rejects.toMatchObject({ code: 'aborted' });
  expect(fixture.git.limiter.usage()['heavy:anonymous']?.active ?? 0).toBe(0);
});
