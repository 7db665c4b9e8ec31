/** Connectivity of small pushes without git: yes only where everything arrived or is behind a reference. */
import { renameSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Repo } from '../context.ts';
import { createQuarantine, discardQuarantine, type Quarantine } from '../objects/quarantine.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { EMPTY_TREE, type RefName, type Sha, shaFromGit } from '../types.ts';
import { surelyConnected } from './connected.ts';
import { ingestPack } from './ingest.ts';

let fixture: Fixture;
/** Where commits are made, and where they are pushed to. */
let source: Repo;
let repo: Repo;
beforeAll(async () => {
  fixture = createFixture();
  source = await fixture.create();
});
afterAll(() => fixture.close());

const made = (...args: string[]) => fixture.plain(source.path, args).trim();
const plain = (...args: string[]) => fixture.plain(repo.path, args).trim();
const refs = ['refs/heads/first', 'refs/heads/second'] as RefName[];

function packOf(wanted: readonly Sha[], without: readonly Sha[]): Buffer {
  const ids = [...wanted, ...without.map((id) => `^${id}`)];
  const list = fixture.plain(source.path, ['rev-list', '--objects', '--no-object-names', ...ids]);
  return fixture.bytes(source.path, ['pack-objects', '--stdout', '-q'], list);
}

/** A repository that has these commits, the first two of them behind `refs`. */
async function having(commits: readonly Sha[]): Promise<void> {
  repo = await fixture.create();
  if (commits.length > 0) fixture.bytes(repo.path, ['index-pack', '--stdin'], packOf(commits, []));
  for (const [at, commit] of commits.slice(0, 2).entries()) plain('update-ref', refs[at] as string, commit);
}

/** What a client sends that has the parents: the objects that only the commit has. */
async function pushed(commit: Sha, without: readonly Sha[]): Promise<Quarantine> {
  const pack = packOf([commit], without);
  const quarantine = await createQuarantine(repo);
  async function* sent() {
    yield pack;
  }
  await ingestPack(quarantine, sent(), {});
  return quarantine;
}

async function filesOf({ path }: Quarantine): Promise<string[]> {
  const names = await readdir(path, { recursive: true });
  return names.filter((name) => /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(name)).map((name) => join(path, name));
}

it('commits of a random history on their parents; and none of them when any object is missing', async () => {
  randomHistory(fixture, source, 4711, 20);
  const commits = made('rev-list', '--all', '--parents')
    .split('\n')
    .map((line) => line.split(' ').map(shaFromGit) as [Sha, ...Sha[]]);
  let connected = 0;
  for (const [commit, ...parents] of commits) {
    await having(parents);
    const near = refs.slice(0, parents.length);
    const quarantine = await pushed(commit, parents);
    try {
      const found = await surelyConnected(quarantine, [commit], near);
      connected += found ? 1 : 0;
      if (parents.length > 0) expect(await surelyConnected(quarantine, [commit], [])).toBe(false);
      for (const file of found ? await filesOf(quarantine) : []) {
        renameSync(file, `${file}.gone`);
        expect(await surelyConnected(quarantine, [commit], near), file).toBe(false);
        renameSync(`${file}.gone`, file);
      }
    } finally {
      await discardQuarantine(quarantine);
    }
  }
  // Files that move are elsewhere in the repository already: those are left to git.
  expect(connected).toBeGreaterThan(commits.length / 2);
});

it('a commit on an older one of the default branch; a tag of it; none that only lies there', async () => {
  const commit = (...args: string[]) => shaFromGit(made('commit-tree', ...args));
  const old = commit(EMPTY_TREE, '-m', 'old');
  const head = commit(EMPTY_TREE, '-p', old, '-m', 'head');
  const lost = commit(EMPTY_TREE, '-m', 'behind nothing');
  await having([head, head, lost]);
  plain('symbolic-ref', 'HEAD', refs[0] as string);
  const topic = commit(EMPTY_TREE, '-p', old, '-m', 'on an older one');
  const text = `object ${topic}\ntype commit\ntag v\ntagger T <t@example.org> 1 +0000\n\nv\n`;
  const tag = shaFromGit(fixture.plain(source.path, ['mktag'], text).trim());
  const answers: Array<[Sha, readonly Sha[], readonly Sha[], boolean]> = [
    [tag, [old], [tag], true],
    [topic, [old], [topic, old, head], true],
    [topic, [old], [topic, lost], false],
    [commit(EMPTY_TREE, '-p', lost, '-m', 'on what is behind nothing'), [lost], [], false],
  ];
  for (const [sent, without, tips, expected] of answers) {
    const quarantine = await pushed(sent, without);
    try {
      expect(await surelyConnected(quarantine, [sent, ...tips], [])).toBe(expected);
    } finally {
      await discardQuarantine(quarantine);
    }
  }
});
