/** What programs print, for readers who come early and late. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Repo } from '../context.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { createBundle, readBundle } from '../transfer/bundle.ts';

let fixture: Fixture;
let repo: Repo;
beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  randomHistory(fixture, repo, 3);
});
afterAll(() => fixture.close());

const running = () => Object.values(repo.git.limiter.usage()).reduce((sum, { active }) => sum + active, 0);

test('a short output waits for a reader who comes when git has ended', async () => {
  const late = await createBundle(repo);
  await expect.poll(running).toBe(0);
  const { refs } = await readBundle(late);
  expect(refs.length).toBeGreaterThan(0);
});

test('a reader who goes away ends git, and a failure is told to whoever reads', async () => {
  (await createBundle(repo)).destroy();
  await expect.poll(running).toBe(0);
  // git bundles nothing that is empty; it says so behind the head of the file.
  const broken = await createBundle(await fixture.create());
  const read = async () => {
    for await (const _ of broken) await Promise.resolve();
  };
  await expect(read()).rejects.toMatchObject({ name: 'GitError' });
  await expect.poll(running).toBe(0);
});
