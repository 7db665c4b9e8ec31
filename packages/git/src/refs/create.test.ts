/** References that are created without a process, beside git at the same files. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { packRefs } from '../repository/maintenance.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { type RefName, type Sha, ZERO_SHA } from '../types.ts';
import { createRef } from './create.ts';
import { updateRefs } from './update.ts';

let fixture: Fixture;
let repo: Repo;

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
});
afterAll(() => fixture.close());

test('a reference is created without a process, as git does it, once', async () => {
  const [a, b] = randomHistory(fixture, repo, 7) as [Sha, Sha];
  const kept = (id: number) => `refs/pipelines/${id}` as RefName;
  const written = () =>
    fixture.plain(repo.path, ['for-each-ref', '--format=%(refname) %(objectname)', 'refs/pipelines']);
  const made = await Promise.all([1, 2, 3, 1, 1].map((id) => createRef(repo, kept(id), a)));
  expect(made.filter(Boolean)).toHaveLength(3);
  expect(await createRef(repo, kept(2), b)).toBe(false);
  expect(written().trim().split('\n')).toEqual([1, 2, 3].map((id) => `${kept(id)} ${a}`));
  // Packed, their directory is gone; deleted by git, they are gone.
  await packRefs(repo);
  expect(await createRef(repo, kept(4), b)).toBe(true);
  await updateRefs(
    repo,
    [1, 2, 3, 4].map((id) => ({ ref: kept(id), new: ZERO_SHA })),
  );
  expect(written()).toBe('');
  await expect(createRef(repo, kept(5), 'deadbeef'.repeat(5) as Sha)).rejects.toMatchObject({ code: 'not_found' });
  await expect(createRef(repo, 'refs/../HEAD' as RefName, a)).rejects.toMatchObject({ code: 'invalid' });
  await updateRefs(repo, [{ ref: kept(6), new: a }]);
  expect(await createRef(repo, `${kept(6)}/x` as RefName, a)).toBe(false);
  expect(readdirSync(join(repo.path, 'objects')).filter((name) => name.startsWith('tmp_'))).toEqual([]);
});
