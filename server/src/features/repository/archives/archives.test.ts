/** Archives over HTTP: every parameter, and files of Git LFS with their content in them. */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { lfsClient, made, pointer } from '../../../../test/lfs.ts';
import { buildRepositoryProject, type RepositoryProject } from '../../../../test/repositories.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let large: RepositoryProject;
const object = made(Buffer.alloc(300_000, 'large file '));
const lost = made('never sent');
const long = `${'directory'.repeat(12)}/${'name'.repeat(30)}.txt`;

beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  await app.settings.write({ project_repositories_archive_limit: 0 });
  const files = {
    'a.txt': 'a\n',
    'docs/b.txt': 'b\n',
    'docs/c,d.txt': 'c\n',
    'src/deep/e.ts': 'e\n',
    '*.txt': 'star\n',
  };
  project = await buildRepositoryProject(app, { files });
  large = await buildRepositoryProject(app, { files: null });
  expect((await lfsClient(app, large).put(object)).status).toBe(200);
  const directory = path.join(git.directory, 'work');
  await git.run(['init', '-q', 'work']);
  const write = async (name: string, text: string) => {
    await mkdir(path.dirname(path.join(directory, name)), { recursive: true });
    await writeFile(path.join(directory, name), text);
  };
  await write('big.bin', pointer(object));
  await write('dir/again.bin', pointer(object));
  await write('plain.txt', 'plain\n');
  await write('run.sh', '#!/bin/sh\n');
  await write('empty', '');
  await write(long, 'long\n');
  await symlink('dir/again.bin', path.join(directory, 'link'));
  await git.run(['add', '-A'], 'work');
  await git.run(['update-index', '--chmod=+x', 'run.sh'], 'work');
  await git.run(['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`], 'work');
  await git.run(['commit', '-q', '-m', 'Large files'], 'work');
  await git.run(['push', '-q', large.remote(large.owner.secret), 'HEAD:main'], 'work');
});
afterAll(async () => {
  await git.close();
  await app.close();
});

async function bytes(of: RepositoryProject, target: string) {
  const response = await fetch(`${app.url}/api/v4/projects/${of.id}/repository/${target}`, {
    headers: { 'PRIVATE-TOKEN': of.owner.secret },
  });
  return { status: response.status, headers: response.headers, data: Buffer.from(await response.arrayBuffer()) };
}

async function names(target: string): Promise<string[]> {
  const { status, data } = await bytes(project, target);
  expect(status).toBe(200);
  const listed = execFileSync('tar', ['tf', '-'], { input: data, encoding: 'utf8' }).trim().split('\n');
  return listed.filter((name) => !name.endsWith('/')).map((name) => name.slice(name.indexOf('/') + 1));
}

describe('what is in them', () => {
  it('exclude_paths leaves files and directories out, as they are written', async () => {
    const all = ['*.txt', 'a.txt', 'docs/b.txt', 'docs/c,d.txt', 'src/deep/e.ts'];
    expect((await names('archive.tar')).sort()).toEqual(all);
    expect(await names('archive.tar?exclude_paths=docs,src/deep')).toEqual(['*.txt', 'a.txt']);
    // No patterns: the star is a file.
    expect(await names('archive.tar?exclude_paths=*.txt')).not.toContain('*.txt');
    expect(await names('archive.tar?exclude_paths=*.txt')).toContain('a.txt');
    expect(await names('archive.tar?path=docs&exclude_paths=docs/b.txt')).toEqual(['docs/c,d.txt']);
    expect(await names('archive.tar?exclude_paths=nothing')).toHaveLength(all.length);
    expect((await bytes(project, 'archive.zip?exclude_paths=docs')).data.includes('docs/b.txt')).toBe(false);
    for (const path of ['../x', ':(glob)**', 'a%00b', '--output=/tmp/x']) {
      const { status } = await bytes(project, `archive.tar?exclude_paths=${path}`);
      expect([path, [200, 400].includes(status)]).toEqual([path, true]);
    }
  });

  it('without files there is an empty archive, also where some are left out', async () => {
    const bare = await buildRepositoryProject(app, { files: { 'only.txt': 'x' } });
    const listed = async (query: string) => {
      const { status, data } = await bytes(bare, `archive.tar${query}`);
      expect(status).toBe(200);
      const found = execFileSync('tar', ['tf', '-'], { input: data, encoding: 'utf8' }).trim().split('\n');
      return found.filter((name) => !name.endsWith('/'));
    };
    expect(await listed('?exclude_paths=only.txt')).toEqual([]);
    const json = { branch: 'main', commit_message: 'Empty', actions: [{ action: 'delete', file_path: 'only.txt' }] };
    expect((await bare.api('POST', '/repository/commits', { json })).status).toBe(201);
    expect(await listed('')).toEqual([]);
    expect(await listed('?exclude_paths=only.txt')).toEqual([]);
    expect((await bytes(bare, 'archive.zip?exclude_paths=docs')).status).toBe(200);
  });

  it('path and sha are in the name, as in the ecosystem; another selection is another answer', async () => {
    const tip = String((await project.api('GET', '/repository/commits/main')).body.id);
    const { path: name } = await project.row();
    const disposition = async (query: string) =>
      (await bytes(project, `archive.zip?${query}`)).headers.get('content-disposition') ?? '';
    expect(await disposition(`sha=${tip}`)).toContain(`${name}-${tip}-${tip}.zip`);
    expect(await disposition('path=src/deep')).toContain(`${name}-main-${tip}-src-deep.zip`);
    const tag = async (query: string) => (await bytes(project, `archive.tar?${query}`)).headers.get('etag');
    expect(await tag('')).toBe(await tag(''));
    expect(await tag('exclude_paths=docs')).not.toBe(await tag(''));
    const kept = await fetch(`${app.url}/api/v4/projects/${project.id}/repository/archive.tar`, {
      headers: { 'PRIVATE-TOKEN': project.owner.secret, 'If-None-Match': (await tag('')) ?? '' },
    });
    expect(kept.status).toBe(304);
    expect((await bytes(project, 'archive.tgz')).data.subarray(0, 2).toString('hex')).toBe('1f8b');
    expect((await bytes(project, 'archive.gz')).data.subarray(0, 2).toString('hex')).toBe('1f8b');
  });
});

describe('files of Git LFS', () => {
  async function unpacked(target: string, unpack: (file: string, to: string) => void) {
    const { status, data } = await bytes(large, target);
    expect([target, status]).toEqual([target, 200]);
    const directory = await mkdtemp(path.join(tmpdir(), 'millrace-archive-'));
    try {
      await writeFile(path.join(directory, 'packed'), data);
      unpack(path.join(directory, 'packed'), directory);
      const [top = ''] = execFileSync('find', [directory, '-mindepth', '1', '-maxdepth', '1', '-type', 'd'], {
        encoding: 'utf8',
      }).split('\n');
      const read = async (name: string) => await readFile(path.join(top, name));
      return {
        big: await read('big.bin'),
        again: await read('dir/again.bin'),
        plain: String(await read('plain.txt')),
        long: String(await read(long)),
        empty: (await read('empty')).length,
        link: await readlink(path.join(top, 'link')),
        executable: ((await stat(path.join(top, 'run.sh'))).mode & 0o111) !== 0,
        module: (await stat(path.join(top, 'module'))).isDirectory(),
        time: Math.floor((await stat(path.join(top, 'plain.txt'))).mtimeMs / 1000),
      };
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  }
  const tar = (file: string, to: string) => execFileSync('tar', ['xf', file, '-C', to]);
  const zip = (file: string, to: string) =>
    execFileSync('python3', [
      '-c',
      [
        'import os,stat,sys,zipfile',
        'z=zipfile.ZipFile(sys.argv[1])',
        'assert z.testzip() is None',
        'for i in z.infolist():',
        '  m=i.external_attr>>16; p=os.path.join(sys.argv[2],i.filename)',
        '  if stat.S_ISLNK(m): os.symlink(z.read(i),p); continue',
        '  z.extract(i,sys.argv[2]); os.chmod(p,m&0o777)',
        '  if not i.is_dir(): import datetime; os.utime(p,(0,datetime.datetime(*i.date_time).timestamp()))',
      ].join('\n'),
      file,
      to,
    ]);

  it('are in every kind of archive with their content, beside everything else unchanged', async () => {
    const time = Number(await git.run(['log', '-1', '--format=%ct'], 'work'));
    for (const [kind, unpack] of [
      ['tar', tar],
      ['tar.gz', tar],
      ['tar.bz2', tar],
      ['zip', zip],
    ] as const) {
      const { time: at, ...found } = await unpacked(`archive.${kind}`, unpack);
      expect([
        kind,
        { ...found, big: found.big.equals(object.bytes), again: found.again.equals(object.bytes) },
      ]).toEqual([
        kind,
        {
          ...{ big: true, again: true, plain: 'plain\n', long: 'long\n', empty: 0 },
          ...{ link: 'dir/again.bin', executable: true, module: true },
        },
      ]);
      // A zip has even seconds.
      if (kind !== 'zip') expect(at).toBe(time);
    }
  });

  it('stay pointers where include_lfs_blobs is false, LFS is off, or the object is not the project’s', async () => {
    const big = async (query: string) => String((await unpacked(`archive.tar?${query}`, tar)).big);
    expect(await big('include_lfs_blobs=false')).toBe(pointer(object));
    expect((await big('include_lfs_blobs=true')).length).toBe(object.size);
    await large.api('PUT', '', { json: { lfs_enabled: false } });
    expect(await big('')).toBe(pointer(object));
    await large.api('PUT', '', { json: { lfs_enabled: true } });
    // Security: a pointer to an object of another project gives nothing away.
    const other = await buildRepositoryProject(app, { files: null });
    const own = made('own');
    expect((await lfsClient(app, other).put(own)).status).toBe(200);
    await other.api('PUT', '', { json: { lfs_enabled: false } });
    await other.commit('main', { 'taken.bin': pointer(object), 'lost.bin': pointer(lost), 'own.bin': pointer(own) });
    await other.api('PUT', '', { json: { lfs_enabled: true } });
    const { data } = await bytes(other, 'archive.tar');
    for (const [text, there] of [
      [object.oid, true],
      [lost.oid, true],
      [own.oid, false],
      ['large file ', false],
    ] as const)
      expect([text, data.includes(text)]).toEqual([text, there]);
  });

  it('whoever goes away in the middle ends the work', async () => {
    const leaving = new AbortController();
    const response = await fetch(`${app.url}/api/v4/projects/${large.id}/repository/archive.zip`, {
      headers: { 'PRIVATE-TOKEN': large.owner.secret },
      signal: leaving.signal,
    });
    leaving.abort();
    await expect(response.arrayBuffer()).rejects.toThrow();
    expect((await bytes(large, 'archive.zip')).status).toBe(200);
  });
});
