/** Objects read through the helper process equal what plain git prints, and damage is an error, not an answer. */
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openRepository, type Repo } from '../context.ts';
import { createFixture, type Fixture, randomHistory } from '../test-repository.ts';
import { repoPath, type Sha, shaFromGit, ZERO_SHA } from '../types.ts';
import { parseCommit, parseIdent, parseTrailers } from './parse.ts';
import { blobHash, readBlob, readCommit, readHeader, readTag, readTree, streamBlob } from './read.ts';
import { listTree, lookupPath, walkTree } from './tree.ts';

let fixture: Fixture;
let repo: Repo;
let tips: Sha[];

beforeAll(async () => {
  fixture = createFixture();
  repo = await fixture.create();
  tips = randomHistory(fixture, repo, 1);
});
afterAll(() => fixture.close());

describe('commits', () => {
  test('every commit equals what git log prints', async () => {
    const format = '%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%ad%x00%cn%x00%ct%x00%s%x00%B%x01';
    const rows = fixture.plain(repo.path, ['log', '--all', '--date=iso-strict', `--format=${format}`]).split('\x01\n');
    expect(rows.length).toBeGreaterThan(30);
    for (const row of rows.filter((text) => text !== '')) {
      const [id, tree, parents, name, email, seconds, date, committer, committed, subject, body] = row.split('\0');
      const commit = await readCommit(repo, shaFromGit(id ?? ''));
      expect(commit).toMatchObject({ id, tree, title: subject, message: body });
      expect(commit?.parents.join(' ')).toBe(parents);
      expect(commit?.author).toMatchObject({ name, email, seconds: Number(seconds) });
      expect(commit?.author.date.replace('.000', '')).toBe(date?.replace('Z', '+00:00'));
      expect(commit?.committer).toMatchObject({ name: committer, seconds: Number(committed) });
      expect(commit?.trailers).toEqual([{ key: 'Signed-off-by', value: 'Ann <ann@example.org>' }]);
    }
  });

  test('encodings, signatures and broken identities are read as they are', () => {
    const data = Buffer.concat([
      Buffer.from(`tree ${ZERO_SHA}\nauthor J\xf6rg < <j@x>> 12 +0100\n`, 'latin1'),
      Buffer.from('committer nobody\nencoding ISO-8859-1\ngpgsig -----BEGIN\n abc\n -----END\n\n'),
      Buffer.from('Gr\xfc\xdfe\nan alle\n\nText\n', 'latin1'),
    ]);
    const commit = parseCommit(tips[0] as Sha, data);
    expect(commit.title).toBe('Grüße an alle');
    expect(commit.author.name).toContain('Jörg');
    expect(commit.signature).toBe('-----BEGIN\nabc\n-----END');
    expect(commit.committer).toMatchObject({ seconds: 0, date: '1970-01-01T00:00:00.000+00:00' });
    expect(parseIdent('A <a@b> 99999999999999999999 +9999').seconds).toBe(0);
  });

  test.each([
    ['Title only\n', []],
    ['Title\n\nKey: value\n', [{ key: 'Key', value: 'value' }]],
    ['Title\n\nprose here\nKey: value\n', []],
    ['Title\n\nsome prose\nSigned-off-by: A\n', [{ key: 'Signed-off-by', value: 'A' }]],
    ['Title\n\nA: one\n  two\n', [{ key: 'A', value: 'one two' }]],
  ])('trailers of %j', (message, expected) => {
    expect(parseTrailers(message)).toEqual(expected);
    const printed = fixture.plain(fixture.directory, ['interpret-trailers', '--parse'], message);
    expect(
      parseTrailers(message)
        .map(({ key, value }) => `${key}: ${value}\n`)
        .join(''),
    ).toBe(printed);
  });
});

describe('trees and blobs', () => {
  test('walking equals ls-tree -r -t for every branch', async () => {
    for (const tip of tips) {
      const walked: string[] = [];
      for await (const entry of walkTree(repo, tip))
        walked.push(`${entry.mode} ${entry.type} ${entry.id}\t${entry.path}\0`);
      expect(walked.join('')).toBe(fixture.plain(repo.path, ['ls-tree', '-r', '-t', '-z', tip]));
    }
  });

  test('look-ups give entries, the root, and null for what is not there', async () => {
    const tip = tips[0] as Sha;
    for await (const entry of walkTree(repo, tip)) expect(await lookupPath(repo, tip, entry.path)).toEqual(entry);
    expect(await lookupPath(repo, tip, '')).toMatchObject({ type: 'tree', path: '' });
    for (const path of ['none', '../x', 'src/../src', 'src/./a.ts', '.', 'z\0', 'README.md/x']) {
      expect(await lookupPath(repo, tip, path)).toBeNull();
    }
    expect(await listTree(repo, tip, 'README.md')).toBeNull();
  });

  test('small and large blobs, in memory and as streams, with the limit', async () => {
    const small = Buffer.from('x\0y\n');
    const large = Buffer.alloc(3_000_000, 'abc\n');
    const store = (data: Buffer) => shaFromGit(fixture.plain(repo.path, ['hash-object', '-w', '--stdin'], data).trim());
    const ids = [store(small), store(large), store(Buffer.alloc(0))];
    expect((await readBlob(repo, ids[0] as Sha))?.data).toEqual(small);
    for (const [index, data] of [small, large, Buffer.alloc(0)].entries())
      expect(await blobHash(repo, ids[index] as Sha)).toBe(createHash('sha256').update(data).digest('hex'));
    expect((await readBlob(repo, ids[1] as Sha))?.data.equals(large)).toBe(true);
    expect((await readBlob(repo, ids[2] as Sha))?.size).toBe(0);
    await expect(readBlob(repo, ids[1] as Sha, { maxBytes: 1000 })).rejects.toMatchObject({ code: 'limit' });
    const stream = await streamBlob(repo, ids[1] as Sha);
    const chunks: Buffer[] = [];
    for await (const chunk of stream?.stdout ?? []) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).equals(large)).toBe(true);
  });

  test('a reader that leaves early ends its process', async () => {
    const id = shaFromGit(
      fixture.plain(repo.path, ['hash-object', '-w', '--stdin'], Buffer.alloc(30_000_000, 'abcdefg\n')).trim(),
    );
    const stream = await streamBlob(repo, id);
    for await (const _chunk of stream?.stdout ?? []) break;
    await expect.poll(() => fixture.git.limiter.usage()['download:user']?.active).toBe(0);
  });
});

describe('absence and damage', () => {
  test('absent objects and wrong types are null', async () => {
    const absent = 'deadbeef'.repeat(5) as Sha;
    expect(await readCommit(repo, absent)).toBeNull();
    expect(await readHeader(repo, absent)).toBeNull();
    expect(await readTree(repo, tips[0] as Sha)).toBeNull();
    expect(await readTag(repo, tips[0] as Sha)).toBeNull();
    expect(await readBlob(repo, tips[0] as Sha)).toBeNull();
  });

  test('an object that arrives later is found', async () => {
    const data = 'arrives later';
    const id = shaFromGit(fixture.plain(repo.path, ['hash-object', '--stdin'], data).trim());
    expect(await readBlob(repo, id)).toBeNull();
    fixture.plain(repo.path, ['hash-object', '-w', '--stdin'], data);
    expect((await readBlob(repo, id))?.data.toString()).toBe(data);
  });

  test('a missing repository is not_found', async () => {
    const gone = openRepository(fixture.git, repoPath(join(fixture.directory, 'gone.git')));
    await expect(readCommit(gone, tips[0] as Sha)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a helper that dies is started again; concurrent reads all get their own object', { retry: 0 }, async () => {
    const ids = fixture.plain(repo.path, ['rev-list', '--all']).trim().split('\n').map(shaFromGit);
    fixture.git.cache.clear();
    fixture.git.helpers.closeKey(repo.key);
    const commits = await Promise.all(ids.flatMap((id) => [readCommit(repo, id), readHeader(repo, id)]));
    expect(
      commits.filter((_, i) => i % 2 === 0).map((commit) => (commit && 'id' in commit ? commit.id : null)),
    ).toEqual(ids);
  });

  test('a damaged object is an error, not an answer', async () => {
    const other = await fixture.create();
    const content = randomBytes(50_000);
    const id = shaFromGit(fixture.plain(other.path, ['hash-object', '-w', '--stdin'], content).trim());
    const file = join(other.path, 'objects', id.slice(0, 2), id.slice(2));
    const damaged = readFileSync(file);
    damaged.fill(0, 30_000, 31_000);
    rmSync(file);
    writeFileSync(file, damaged);
    await expect(readBlob(other, id)).rejects.toMatchObject({ name: 'GitError' });
  });
});
