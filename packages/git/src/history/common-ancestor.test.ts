/** Common ancestors that are found in process, against git, over random histories with merges and wrong clocks. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { type Sha, shaFromGit } from '../types.ts';
import { commonAncestor } from './common-ancestor.ts';

let fixture: Fixture;
beforeAll(() => {
  fixture = createFixture();
});
afterAll(() => fixture.close());

it.each([3, 17, 99])(
  'history %i: what is found is the one best ancestor, and the commits of either side',
  async (seed) => {
    const repo = await fixture.create();
    randomHistory(fixture, repo, seed, 24);
    const parents = new Map(
      fixture
        .plain(repo.path, ['rev-list', '--all', '--parents'])
        .trim()
        .split('\n')
        .map((line) => line.split(' ').map(shaFromGit))
        .map(([id, ...rest]) => [id, rest] as const),
    );
    const all = [...parents.keys()].flatMap((id) => id ?? []);
    /** A commit with all before it, whatever the clocks say. */
    const history = (id: (typeof all)[number], seen = new Set([id])) => {
      for (const parent of parents.get(id) ?? []) if (!seen.has(parent)) history(parent, seen.add(parent));
      return seen;
    };
    const histories = new Map(all.map((id) => [id, history(id)]));
    let found = 0;
    for (const a of all)
      for (const b of all) {
        const known = await commonAncestor(repo, a, b);
        if (!known) continue;
        found += 1;
        const [left, right] = [histories.get(a) ?? new Set<Sha>(), histories.get(b) ?? new Set<Sha>()];
        const common = [...left].filter((id) => right.has(id));
        const best = common.filter((id) => !common.some((other) => other !== id && histories.get(other)?.has(id)));
        expect(best).toEqual([known.fork]);
        expect([known.ofA, known.ofB]).toEqual([left.size - common.length, right.size - common.length]);
      }
    expect(found).toBeGreaterThan((all.length * all.length) / 5);
  },
);
