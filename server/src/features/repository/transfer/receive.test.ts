/** What pushes may name and bring: refs of the service, names, forged objects, counts, and a reason for each ref. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/app.ts';
import { type BuiltToken, unique } from '../../../../test/factories.ts';
import { type GitClient, gitClient } from '../../../../test/git.ts';
import { buildRepositoryProject, type Json, type RepositoryProject } from '../../../../test/repositories.ts';
import { fsckReasons } from './fsck-reasons.ts';

let app: TestApp;
let git: GitClient;
let project: RepositoryProject;
let developer: BuiltToken;
beforeAll(async () => {
  app = await startTestApp();
  git = await gitClient();
  project = await buildRepositoryProject(app);
  developer = await project.member(30);
});
afterAll(async () => {
  await git.close();
  await app.close();
});

async function cloned(as = developer, ...flags: string[]): Promise<string> {
  const where = unique('clone');
  await git.run(['clone', '-q', ...flags, project.remote(as.secret), where]);
  return where;
}
const tipOf = (where: string, what = 'HEAD') => git.run(['rev-parse', what], where);
const remoteRefs = async (where: string) => await git.run(['ls-remote', 'origin'], where);
const zeros = '0'.repeat(40);
/** The report for commands that real clients do not send. */
async function raw(...commands: readonly (string | Buffer)[]): Promise<string> {
  const lines = commands.map((command, at) => {
    const line = Buffer.concat([Buffer.from(command), Buffer.from(at === 0 ? '\0report-status' : '')]);
    return Buffer.concat([Buffer.from((line.length + 4).toString(16).padStart(4, '0')), line]);
  });
  const body = Buffer.concat([
    ...lines,
    Buffer.from('0000PACK\0\0\0\x02\0\0\0\0', 'latin1'),
    Buffer.from('029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex'),
  ]);
  const Authorization = `Basic ${Buffer.from(`git:${project.owner.secret}`).toString('base64')}`;
  const answer = await app.request<string>('POST', `/${project.fullPath}.git/git-receive-pack`, {
    raw: body,
    headers: { 'Content-Type': 'application/x-git-receive-pack-request', Authorization },
  });
  return answer.body;
}
/** Without the line breaks and marks of the terminal. */
const plain = (stderr: string) => stderr.replaceAll(/\s*\nremote: ?/g, '\n').trim();

describe('refs of the service', () => {
  it('merge requests, pipelines and environments are seen and fetched, and nobody writes them', async () => {
    await project.commit('topic', { 'topic.txt': 'x' }, { start_branch: 'main' });
    const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    const { body } = await project.api('POST', '/merge_requests', { json });
    const where = await cloned();
    const topic = await tipOf(where, 'origin/topic');
    const main = await tipOf(where);
    const keep = async (ref: string, sha: string) =>
      await git.run(['-C', project.directory, 'update-ref', ref, sha], '.');
    await keep('refs/pipelines/7', main);
    await keep('refs/environments/live/deployments/1', main);
    await keep('refs/keep-around/x', main);
    await app.db
      .updateTable('projects')
      .set(({ eb }) => ({ refs_generation: eb('refs_generation', '+', 1) }))
      .where('id', '=', project.id)
      .execute();
    const seen = await remoteRefs(where);
    for (const ref of [
      `refs/merge-requests/${body.iid}/head`,
      'refs/pipelines/7',
      'refs/environments/live/deployments/1',
    ])
      expect(seen).toContain(ref);
    expect(seen).not.toContain('refs/keep-around');
    await git.run(['fetch', '-q', 'origin', `refs/merge-requests/${body.iid}/head`], where);
    expect(await tipOf(where, 'FETCH_HEAD')).toBe(topic);
    for (const ref of [
      `refs/merge-requests/${body.iid}/head`,
      'refs/merge-requests/99/head',
      'refs/pipelines/7',
      'refs/environments/live/deployments/1',
      'refs/keep-around/x',
      'refs/tmp/x',
      'refs/remotes/origin/x',
    ]) {
      await git.run(['commit', '-q', '--allow-empty', '-m', 'other'], where);
      const pushed = await git.try(['push', '-f', 'origin', `HEAD:${ref}`], where);
      expect([ref, pushed.code, plain(pushed.stderr)]).toEqual([
        ref,
        1,
        expect.stringContaining(`Millrace: You are not allowed to write to ${ref}`),
      ]);
    }
    expect(await remoteRefs(where)).toBe(seen);
  });

  it('who may not see merge requests does not see their refs', async () => {
    const hidden = await buildRepositoryProject(app, { visibility: 'public' });
    await hidden.commit('topic', { 'topic.txt': 'x' }, { start_branch: 'main' });
    const json = { source_branch: 'topic', target_branch: 'main', title: 'Topic' };
    expect((await hidden.api('POST', '/merge_requests', { json })).status).toBe(201);
    // git tells who it is only when it is asked to, which public projects do not.
    const refs = async (secret?: string, version = 2) => {
      const known = secret ? ['-c', `http.extraHeader=Authorization: Basic ${btoa(`git:${secret}`)}`] : [];
      const seen = await git.run([...known, '-c', `protocol.version=${version}`, 'ls-remote', hidden.remote()]);
      return seen.includes('merge-requests');
    };
    expect(await refs()).toBe(true);
    const access = { json: { merge_requests_access_level: 'private' } };
    expect((await hidden.api('PUT', '', access)).status).toBe(200);
    for (const version of [0, 2]) {
      expect(await refs(undefined, version)).toBe(false);
      expect(await refs(hidden.owner.secret, version)).toBe(true);
    }
    const where = unique('anonymous');
    await git.run(['clone', '-q', hidden.remote(), where]);
    const fetched = await git.try(['fetch', 'origin', 'refs/merge-requests/1/head'], where);
    expect([fetched.code, fetched.stderr]).toEqual([128, expect.stringContaining("couldn't find remote ref")]);
  });

  it('a mirror pushes back what it has, and leaves them alone', async () => {
    const mirror = await cloned(project.owner, '--mirror');
    const before = await remoteRefs(mirror);
    expect(before).toContain('refs/merge-requests/');
    await git.run(['update-ref', 'refs/heads/by-mirror', 'main'], mirror);
    const pushed = await git.try(['push', '--mirror', 'origin'], mirror);
    expect(pushed).toMatchObject({ code: 0 });
    const after = await remoteRefs(mirror);
    expect(after.split('\n').filter((line) => !line.includes('by-mirror'))).toEqual(before.split('\n'));
    expect(after).toContain('refs/heads/by-mirror');
    // A clone that never saw them does not take them away either.
    const usual = await cloned(project.owner);
    await git.run(['fetch', '-q', 'origin', 'refs/heads/*:refs/heads/*', '--update-head-ok'], usual);
    await git.run(['remote', 'set-head', '-d', 'origin'], usual);
    for (const line of (await git.run(['for-each-ref', '--format=%(refname)', 'refs/remotes'], usual)).split('\n'))
      await git.run(['update-ref', '-d', line], usual);
    expect(await git.try(['push', '--mirror', 'origin'], usual)).toMatchObject({ code: 0 });
    expect(await remoteRefs(usual)).toBe(after);
  });
});

describe('names', () => {
  it('notes are pushed and updated; other namespaces are refused with a word about it', async () => {
    const where = await cloned();
    for (const note of ['one', 'two']) {
      await git.run(['notes', 'add', '-f', '-m', note], where);
      await git.run(['push', '-q', 'origin', 'refs/notes/commits'], where);
    }
    expect(await remoteRefs(where)).toContain(`${await tipOf(where, 'refs/notes/commits')}\trefs/notes/commits`);
    for (const ref of ['refs/for/main', 'refs/replace/x', 'refs/stash/x', 'refs/other/x']) {
      const { code, stderr } = await git.try(['push', 'origin', `HEAD:${ref}`], where);
      expect([ref, code, stderr]).toEqual([ref, 1, expect.stringContaining('only branches and tags can be pushed')]);
    }
  });

  it('security 22: the same names are refused to pushes and to the API', async () => {
    const where = await cloned(project.owner);
    const tip = await tipOf(where);
    for (const name of [tip, '-x', 'HEAD', 'refs/heads/refs', 'a..b', 'a.lock', 'x~1', '@{x}', 'a//b']) {
      const told = await raw(`${zeros} ${tip} refs/heads/${name}`);
      expect([name, told]).toEqual([name, expect.stringContaining(`ng refs/heads/${name} `)]);
      const { status } = await project.api('POST', '/repository/branches', { json: { branch: name, ref: 'main' } });
      expect([name, status]).toEqual([name, 400]);
    }
  });
});

describe('commands that git does not send, or rarely', () => {
  it('security 22: names that are no text make no branch, and are reported as they came', async () => {
    const tip = await tipOf(await cloned());
    const told = await raw(Buffer.concat([Buffer.from(`${zeros} ${tip} refs/heads/`), Buffer.from([0xff, 0xfe])]));
    expect(told).toContain('the name of the ref is not valid UTF-8');
    const { body } = await project.api<Json[]>('GET', '/repository/branches', { query: { search: '\ufffd' } });
    expect(body).toEqual([]);
  });

  it('security 22: names that begin like ids of objects', async () => {
    const tip = await tipOf(await cloned());
    for (const [ref, reason] of [
      [`refs/heads/${tip}`, 'a branch cannot have the name of an object'],
      [`refs/heads/${tip}/x`, 'a branch cannot have the name of an object'],
      [`refs/heads/${tip}-/x`, 'a branch cannot have the name of an object'],
      [`refs/tags/${tip}`, 'the name of a tag cannot begin like that of an object'],
      [`refs/tags/${tip}-rc1`, 'the name of a tag cannot begin like that of an object'],
    ] as const)
      expect([ref, await raw(`${zeros} ${tip} ${ref}`)]).toEqual([ref, expect.stringContaining(`ng ${ref} ${reason}`)]);
    const tag = { json: { tag_name: `${tip}-rc1`, ref: 'main' } };
    expect((await project.api('POST', '/repository/tags', tag)).status).toBe(400);
    const branch = { json: { branch: `${tip}/x`, ref: 'main' } };
    expect((await project.api('POST', '/repository/branches', branch)).status).toBe(400);
  });

  it('what is not there is deleted already; where it is there now, nothing is', async () => {
    const gone = await raw(`${zeros} ${zeros} refs/heads/never-was`);
    expect(gone).toContain('unpack ok\n');
    expect(gone).toContain('ok refs/heads/never-was\n');
    expect(await raw(`${zeros} ${zeros} refs/heads/main`)).toMatch(/ng refs\/heads\/main .*fetch first/);
    const where = await cloned();
    expect((await git.try(['push', 'origin', ':refs/heads/never-was'], where)).code).toBe(0);
    expect(await remoteRefs(where)).toContain('refs/heads/main');
  });

  it('a ref that is named twice, and branches of what is no commit, are refused, and the others move', async () => {
    const where = await cloned();
    const tree = await tipOf(where, 'HEAD^{tree}');
    await git.run(['tag', '-a', '-m', 'x', 'annotated'], where);
    const tag = await tipOf(where, 'annotated');
    for (const id of [tree, tag]) {
      const refs = [`${id}:refs/heads/odd`, 'HEAD:refs/heads/with-odd'];
      const each = await git.try(['push', 'origin', ...refs], where);
      expect([each.code, each.stderr]).toEqual([1, expect.stringContaining('a branch points at a commit')]);
      expect(await remoteRefs(where)).toContain('refs/heads/with-odd');
      await git.run(['push', '-q', 'origin', ':refs/heads/with-odd'], where);
      const all = await git.try(['push', '--atomic', 'origin', ...refs], where);
      expect([all.code, all.stderr]).toEqual([1, expect.stringContaining('a branch points at a commit')]);
      expect(await remoteRefs(where)).not.toContain('odd');
    }
    const twice = `${zeros} ${await tipOf(where)} refs/heads/twice`;
    const nothing = `${zeros} ${zeros} refs/heads/twice`;
    for (const commands of [
      [twice, twice],
      [twice, nothing],
      [nothing, twice],
    ])
      expect(await raw(...commands)).toContain('ng refs/heads/twice a ref can be named once in a push');
    expect(await remoteRefs(where)).not.toContain('twice');
  });
});

describe('forged objects', () => {
  let where: string;
  let blob: string;
  beforeAll(async () => {
    where = await cloned();
    blob = await written('blob', 'harmless\n');
  });
  /** Writes an object as it is, whatever git thinks of it. */
  async function written(type: string, content: string | Buffer): Promise<string> {
    await writeFile(path.join(git.directory, where, 'object'), content);
    return await git.run(['hash-object', '-t', type, '--literally', '-w', 'object'], where);
  }
  const entry = (mode: string, name: string, id: string) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
  const commitOf = (tree: string) => git.run(['commit-tree', tree, '-p', 'HEAD', '-m', 'forged'], where);
  async function refused(commit: string, object: string, rule: string, meaning: string): Promise<void> {
    const { code, stderr } = await git.try(['push', 'origin', `${commit}:refs/heads/forged`], where);
    const said = plain(stderr);
    expect([rule, code, said]).toEqual([
      rule,
      1,
      expect.stringContaining(`Millrace: object ${object} breaks the rule ${rule}: ${meaning}`),
    ]);
    expect(said).not.toContain(app.directory);
    expect(said).not.toContain('incoming-');
  }
  const dotgit = 'a tree has an entry that some systems read as';
  it.each([
    ['hasDotgit', '.git', dotgit],
    ['hasDotgit', '.GiT', dotgit],
    ['hasDotgit', 'git~1', dotgit],
    ['hasDotgit', '.git. ', dotgit],
    ['hasDotgit', '.g\u200cit', dotgit],
    ['hasDotgit', '.git::$INDEX_ALLOCATION', dotgit],
    ['hasDotdot', '..', "a tree has an entry named '..'"],
    ['hasDot', '.', "a tree has an entry named '.'"],
    ['fullPathname', 'a/b', 'an entry of a tree has a slash in its name'],
  ])('security 3: %s: %j', async (rule, name, meaning) => {
    const tree = await written('tree', entry('100644', name, blob));
    await refused(await commitOf(tree), tree, rule, meaning);
  });

  it('security 3: entries twice, out of order, to nowhere; .gitmodules that is more than it seems', async () => {
    const twice = await written('tree', Buffer.concat([entry('100644', 'a', blob), entry('100644', 'a', blob)]));
    await refused(await commitOf(twice), twice, 'duplicateEntries', 'a tree has two entries');
    const unsorted = await written('tree', Buffer.concat([entry('100644', 'b', blob), entry('100644', 'a', blob)]));
    await refused(await commitOf(unsorted), unsorted, 'treeNotSorted', 'the entries of a tree');
    const nowhere = await written('tree', entry('160000', 'module', zeros));
    await refused(await commitOf(nowhere), nowhere, 'nullSha1', 'a tree has an entry that points nowhere');
    const link = await written('tree', entry('120000', '.gitmodules', blob));
    await refused(await commitOf(link), link, 'gitmodulesSymlink', '.gitmodules is a symbolic link');
    for (const [rule, lines] of [
      ['gitmodulesUrl', '[submodule "a"]\n path = a\n url = -u./payload\n'],
      ['gitmodulesPath', '[submodule "a"]\n path = --all\n url = https://example.com/a\n'],
      ['gitmodulesName', '[submodule "../../x"]\n path = a\n url = https://example.com/a\n'],
      ['gitmodulesUpdate', '[submodule "a"]\n path = a\n url = https://example.com/a\n update = !touch x\n'],
    ] as const) {
      const modules = await written('blob', lines);
      const tree = await written('tree', entry('100644', '.gitmodules', modules));
      await refused(await commitOf(tree), modules, rule, '');
    }
    const head = `tree ${await tipOf(where, 'HEAD^{tree}')}\nparent ${await tipOf(where)}\n`;
    const nobody = await written('commit', `${head}author A <a@b> 1 +0000\n\nx\n`);
    await refused(nobody, nobody, 'missingCommitter', 'a commit has no committer');
    expect(await remoteRefs(where)).not.toContain('refs/heads/forged');
  });

  it('flaws of old histories are taken', async () => {
    const head = `tree ${await tipOf(where, 'HEAD^{tree}')}\nparent ${await tipOf(where)}\n`;
    const old = await written('commit', `${head}author A <a@b> 1 +051800\ncommitter A <> 1 +0000\n\nx\n`);
    const tree = await written('tree', entry('0100644', 'padded', blob));
    await git.run(
      ['push', '-q', 'origin', `${old}:refs/heads/old`, `${await commitOf(tree)}:refs/heads/padded`],
      where,
    );
    const refs = await remoteRefs(where);
    for (const name of ['refs/heads/old', 'refs/heads/padded']) expect(refs).toContain(name);
  });

  it('security 3: the API does not write such names either', async () => {
    for (const file_path of [
      '.git/config',
      '.GIT/x',
      'git~1',
      '.g\u200cit/x',
      'a/../b',
      './x',
      '.git::$INDEX_ALLOCATION/x',
    ]) {
      const actions = [{ action: 'create', file_path, content: 'x' }];
      const json = { branch: 'main', commit_message: 'x', actions };
      expect([file_path, (await project.api('POST', '/repository/commits', { json })).status]).toEqual([
        file_path,
        400,
      ]);
    }
  });

  it('security 3: nor files that git reads, by whichever way they would get there: commits, moves, the files API, merges, wikis', async () => {
    const bad = (line: string) => `[submodule "a"]\n path = a\n url = https://example.com/a\n ${line}\n`;
    const commit = async (actions: Json[], branch: Json = { branch: unique('modules'), start_branch: 'main' }) =>
      await project.api<Json>('POST', '/repository/commits', { json: { ...branch, commit_message: 'x', actions } });
    const told = (rule: string) => ({
      status: 400,
      body: { message: expect.stringMatching(new RegExp(`^The change was refused: .*\\(${rule}\\)\\.$`)) },
    });
    const created = (file_path: string, content: string) => commit([{ action: 'create', file_path, content }]);
    for (const [rule, line] of [
      ['gitmodulesUrl', 'url = -u./payload'],
      ['gitmodulesPath', 'path = --all'],
      ['gitmodulesName', '[submodule "../../x"]\n path = b\n url = https://example.com/a'],
      ['gitmodulesUpdate', 'update = !touch x'],
    ] as const)
      expect([rule, await created('.gitmodules', bad(line))]).toMatchObject([rule, told(rule)]);
    for (const name of [
      'deep/below/.gitmodules',
      '.GITMODULES',
      '.gitmodules ',
      'GITMOD~1',
      'gi7eba~1',
      '.git\u200cmodules',
    ])
      expect([name, await created(name, bad('update = !x'))]).toMatchObject([name, told('gitmodulesUpdate')]);
    expect(await created('.gitattributes', `* text=${'a'.repeat(3000)}\n`)).toMatchObject(
      told('gitattributesLineLength'),
    );
    expect((await created('.gitmodules', bad('update = rebase'))).status).toBe(201);
    expect((await created('docs/modules.txt', bad('update = !x'))).status).toBe(201);
    const branch = unique('moved');
    const start = { branch, start_branch: 'main' };
    expect((await commit([{ action: 'create', file_path: 'plain', content: bad('update = !x') }], start)).status).toBe(
      201,
    );
    const move = { action: 'move', previous_path: 'plain', file_path: '.gitmodules' };
    expect(await commit([move], { branch })).toMatchObject(told('gitmodulesUpdate'));
    const file = { branch, commit_message: 'x', content: bad('update = !x') };
    expect(await project.api('POST', '/repository/files/.gitmodules', { json: file })).toMatchObject(
      told('gitmodulesUpdate'),
    );
    const page = { title: '.gitmodules', content: bad('update = !x'), format: 'markdown' };
    expect((await project.api<Json>('POST', '/wikis', { json: page })).status).toBe(201);
    // Two halves, each harmless.
    const whole = (head: string, update: string) => `[${head} "a"]\n#1\n#2\n#3\n#4\n#5\n update = ${update}\n`;
    const [into, from] = [unique('into'), unique('from')];
    const put = (action: string, content: string) => [{ action, file_path: '.gitmodules', content }];
    for (const [action, content, where] of [
      ['create', whole('other', 'x'), { branch: into, start_branch: 'main' }],
      ['update', whole('other', '!x'), { branch: from, start_branch: into }],
      ['update', whole('submodule', 'x'), { branch: into }],
    ] as const)
      expect((await commit(put(action, content), where)).status).toBe(201);
    const json = { source_branch: from, target_branch: into, title: 'Halves' };
    const request = await project.api<Json>('POST', '/merge_requests', { json });
    const merge = await project.api('PUT', `/merge_requests/${request.body.iid}/merge`, { json: {} });
    expect(merge).toMatchObject(told('gitmodulesUpdate'));
    const head = await project.api<Json>('GET', `/repository/branches/${from}`);
    const pick = { branch: into };
    const picked = await project.api('POST', `/repository/commits/${(head.body.commit as Json).id}/cherry_pick`, {
      json: pick,
    });
    expect(picked).toMatchObject(told('gitmodulesUpdate'));
  });

  it('what git says of our disk is not told', () => {
    const stderr =
      "error: cannot open /var/x/objects/ab\nfatal: '/srv/y' is bad\nerror: inflate: data stream error\nfatal: serious\n";
    expect(fsckReasons(stderr)).toEqual(['inflate: data stream error', 'serious']);
  });
});

describe('what each ref is told', () => {
  it('its own reason; the others move, and nothing moves when the push is atomic', async () => {
    const where = await cloned();
    await git.commit(where, unique('file'), 'x');
    const refs = ['HEAD:refs/heads/main', 'HEAD:refs/heads/fine', 'HEAD:refs/for/x', 'HEAD:refs/heads/fine/below'];
    const some = await git.try(['push', 'origin', ...refs], where);
    expect(some.code).toBe(1);
    const lines = some.stderr.split('\n');
    const of = (what: string) => lines.find((line) => line.includes('[remote rejected]') && line.includes(what));
    expect(of('-> main')).toContain(
      '(pre-receive hook declined: You are not allowed to push code to protected branches on this project.)',
    );
    expect(of('-> refs/for/x')).toContain('(pre-receive hook declined: You are not allowed to write to refs/for/x');
    expect(lines.filter((line) => line.includes('[new branch]') && line.includes('fine'))).toHaveLength(1);
    expect(lines.some((line) => line.includes('(a ref with a conflicting name exists)'))).toBe(true);
    const before = await remoteRefs(where);
    const atomic = await git.try(['push', '--atomic', 'origin', 'HEAD:main', 'HEAD:refs/heads/whole'], where);
    expect([atomic.code, plain(atomic.stderr)]).toEqual([
      1,
      expect.stringContaining('(Another ref of the atomic push was refused.)'),
    ]);
    expect(await remoteRefs(where)).toBe(before);
  });
});

describe('counts', () => {
  afterEach(() =>
    app.settings.write({ push_refs_limit: 50_000, push_options_limit: 20, push_option_bytes_limit: 4096 }),
  );

  it('of refs and options, and the length of options, are told by name and value; nothing moves', async () => {
    const where = await cloned();
    await app.settings.write({ push_refs_limit: 2, push_options_limit: 1, push_option_bytes_limit: 20 });
    const before = await remoteRefs(where);
    const refs = ['HEAD:refs/heads/c1', 'HEAD:refs/heads/c2'];
    await git.commit(where, unique('file'), 'x');
    for (const [args, reason] of [
      [['origin', ...refs, 'HEAD:refs/heads/c3'], 'a push moves at most 2 refs (push_refs_limit)'],
      [['-o', 'ci.skip', '-o', 'more', 'origin', ...refs], 'a push has at most 1 options (push_options_limit)'],
      [['-o', 'x'.repeat(21), 'origin', ...refs], 'a push option has at most 20 bytes (push_option_bytes_limit)'],
    ] as const) {
      const { code, stderr } = await git.try(['push', ...args], where);
      expect([code, stderr]).toEqual([1, expect.stringContaining(`remote unpack failed: ${reason}`)]);
    }
    expect(await remoteRefs(where)).toBe(before);
    await git.run(['push', '-q', '-o', 'ci.skip', 'origin', ...refs], where);
  });
});
