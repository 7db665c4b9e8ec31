/** Jobs from a server's queue to its records, with real shells, real git and real files. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { crc32, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ZipFile } from 'yazl';
import { type Harness, harness, withCredential, zipNames } from '../testdata/harness.ts';
import { DEFAULT_PATH } from './runner.ts';

let h: Harness;
beforeEach(async () => {
  h = await harness();
});
afterEach(() => h.close());

const NONE = { key: 'GIT_STRATEGY', value: 'none' };

test('runs a script, sends its log in sections and its result with a checksum', async () => {
  h.start();
  const record = h.run({ script: ['echo hello', 'X=1\necho "two $X"', 'echo err >&2'] });
  const final = await record.final;
  const trace = record.trace.toString();
  expect(final).toMatchObject({
    state: 'success',
    checksum: `crc32:${crc32(record.trace).toString(16).padStart(8, '0')}`,
  });
  expect(final.output?.bytesize).toBe(record.trace.length);
  expect(trace).toMatch(/section_start:\d+:step_script\r/);
  expect(trace).toMatch(/section_end:\d+:step_script\r/);
  expect(trace).toContain('\u001b[32;1m$ echo hello\u001b[0;m\nhello\n');
  expect(trace).toContain('$ X=1 # collapsed multi-line command\u001b[0;m\ntwo 1\n');
  expect(trace).toMatch(/\$ echo err >&2\S*\nerr\n/);
  expect(trace).toContain('Job succeeded');
});

test('a short log goes with the end of its job where the server takes it, and is sent again where it arrived damaged', async () => {
  h.start();
  const record = h.server.enqueue(h.job({ script: ['echo hello'], features: { last_piece: true } }));
  record.finalAnswers.push(503, 412);
  const final = await record.final;
  expect(record.patches).toEqual([]);
  expect(final).toMatchObject({
    state: 'success',
    last_piece: { start: 0 },
    output: { bytesize: record.trace.length },
  });
  expect(record.trace.toString()).toMatch(/^Running with [\s\S]+\nhello\n[\s\S]+Job succeeded/);
  expect(final.checksum).toBe(`crc32:${crc32(record.trace).toString(16).padStart(8, '0')}`);
  // What is longer comes before, and the rest of it with the end.
  const long = h.server.enqueue(h.job({ script: ['seq 1 20000', 'sleep 0.3'], features: { last_piece: true } }));
  expect(await long.final).toMatchObject({ last_piece: { start: long.patches.at(-1)?.size } });
  expect(long.trace.toString()).toMatch(/\n20000\n[\s\S]+Job succeeded/);
});

test('a failing command ends the script; exit code, reason and after_script with CI_JOB_STATUS', async () => {
  h.start();
  const record = h.run({ script: ['false | true', 'echo never'], after: ['echo "after $CI_JOB_STATUS"', 'exit 3'] });
  expect(await record.final).toMatchObject({ state: 'failed', failure_reason: 'script_failure', exit_code: 1 });
  const trace = record.trace.toString();
  expect(trace).not.toMatch(/^never$/m);
  expect(trace).toMatch(/^after failed$/m);
  expect(trace).toContain('ERROR: Job failed: exit status 1');
  const other = h.run({ script: ['exit 42'] });
  expect(await other.final).toMatchObject({ state: 'failed', exit_code: 42 });
});

test('variables: expansion, raw, files; nothing of the environment of the runner', async () => {
  process.env.SECRET_OF_THE_SERVER = 'leaked';
  h.start();
  const record = h.run({
    script: ['env | sort', 'cat "$CERT"', 'echo "dir=$PWD"'],
    variables: [
      NONE,
      { key: 'NAME', value: 'world' },
      { key: 'GREETING', value: `hello $${'{NAME}'} $NAME $$ $UNKNOWN.` },
      { key: 'RAW', value: '$NAME', raw: true },
      { key: 'CERT', value: 'line 1\nline 2', file: true },
    ],
  });
  await record.final;
  delete process.env.SECRET_OF_THE_SERVER;
  const trace = record.trace.toString();
  expect(trace).toContain('GREETING=hello world world $ .\n');
  expect(trace).toContain('RAW=$NAME\n');
  expect(trace).toContain('line 1\nline 2');
  expect(trace).toMatch(/dir=.*\/project-7\/demo\n/);
  expect(trace).not.toContain('leaked');
  expect(trace).toMatch(/CI_PROJECT_DIR=.*\/project-7\/demo\n/);
});

test('[security 21] masked values stay hidden, also encoded, across chunks and in announced commands', async () => {
  h.start();
  const record = h.run({
    script: [
      'echo "value=$PASS"',
      'printf %s "$PASS" | base64',
      'printf "user:%s" "$PASS" | base64',
      'printf super-; sleep 0.4; echo "secret value!"',
      `echo token=$CI_JOB_TOKEN glpat-abcdefghijk.xyz end`,
      'echo super-secret value!',
    ],
    features: { token_mask_prefixes: ['glpat-'] },
    variables: [
      NONE,
      { key: 'PASS', value: 'super-secret value!', masked: true },
      { key: 'CI_JOB_TOKEN', value: 'token-of-this-job', masked: true },
    ],
  });
  await record.final;
  const trace = record.trace.toString();
  expect(trace).not.toContain('super-secret value!');
  expect(trace).not.toContain('token-of-this-job');
  expect(trace).not.toContain(Buffer.from('super-secret value!').toString('base64'));
  expect(trace).not.toMatch(/c3VwZXItc2Vjcm|VyLXNlY3JldCB2|dXBlci1zZWNyZXQ/);
  expect(trace).toContain('value=[MASKED]\n');
  expect(trace).toContain('token=[MASKED] glpat-[MASKED] end');
});

test('fetches real git over HTTP with the job token, reuses the clone, and keeps the token out of it', async () => {
  h.start();
  const info = h.repository('app', { 'a.txt': 'first\n', 'dir/b.txt': 'x\n' });
  const script = [
    'cat a.txt',
    'git log --oneline | wc -l',
    'touch junk',
    'git fetch origin main',
    'cat .git/config',
    'mkdir -p .git/hooks; echo "#!/bin/sh" > .git/hooks/post-checkout; echo "echo PLANTED" >> .git/hooks/post-checkout; chmod +x .git/hooks/post-checkout',
  ];
  const first = withCredential(h.job({ git_info: info, variables: [], script }));
  const record = h.server.enqueue(first);
  expect(await record.final).toMatchObject({ state: 'success' });
  expect(record.trace.toString()).toMatch(/Checking out \w{8} as detached HEAD \(ref is main\)[\s\S]*\nfirst\n/);
  expect(record.trace.toString()).not.toContain(first.token);
  expect(h.server.gitHeaders[0]).toBe(`gitlab-ci-token:${first.token}`);
  const again = h.server.enqueue(withCredential(h.job({ git_info: info, variables: [], script: ['ls'] })));
  expect(await again.final).toMatchObject({ state: 'success' });
  expect(again.trace.toString()).not.toMatch(/^junk$|PLANTED/m);
  const missing = h.server.enqueue(
    withCredential(h.job({ git_info: { ...info, sha: 'a'.repeat(40) }, variables: [], script: ['ls'] })),
  );
  expect(await missing.final).toMatchObject({ state: 'failed', failure_reason: 'runner_system_failure' });
});

test('what an earlier job has fetched is not fetched again, unless its refs moved or more history is wanted', async () => {
  h.start();
  const info = h.repository('again', { 'a.txt': 'first\n' });
  const at = (sha: string) => ({
    ...info,
    refspecs: ['+refs/heads/main:refs/remotes/origin/main'],
    refs: { 'refs/remotes/origin/main': sha },
  });
  const fetches = async (git: ReturnType<typeof at>, script: string[] = []) => {
    const before = h.server.gitHeaders.length;
    const record = h.server.enqueue(
      withCredential(h.job({ git_info: git, variables: [], script: ['cat a.txt', ...script] })),
    );
    expect(await record.final).toMatchObject({ state: 'success' });
    expect(record.trace.toString()).toMatch(/^first$/m);
    return h.server.gitHeaders.length > before;
  };
  expect(await fetches(at(info.sha), ['rm a.txt'])).toBe(true);
  expect(await fetches(at(info.sha))).toBe(false);
  expect(await fetches({ ...at(info.sha), depth: 1 })).toBe(true);
  expect(await fetches({ ...at(info.sha), depth: 1 }, ['git update-ref -d refs/remotes/origin/main'])).toBe(false);
  expect(await fetches({ ...at(info.sha), depth: 1 }, ['git pack-refs --all'])).toBe(true);
  expect(await fetches({ ...at(info.sha), depth: 1 })).toBe(true);
  expect(await fetches({ ...at('a'.repeat(40)), depth: 1 })).toBe(true);
});

test('a repository that an earlier job prepared is not that of the next one', async () => {
  h.start();
  const info = h.repository('prepared', { 'a.txt': 'first\n' });
  const run = async (script: string[]) => {
    const record = h.server.enqueue(withCredential(h.job({ git_info: info, variables: [], script })));
    await record.final;
    return record.trace.toString();
  };
  for (const plant of [
    ['git config core.fsmonitor "echo PLANTED >&2; false"', 'touch .git/index.lock .git/refs/heads/x.lock'],
    ['mkdir -p .git/hooks', 'printf "#!/bin/sh\\necho PLANTED\\n" > .git/hooks/post-checkout', 'chmod +x .git/hooks/*'],
    [
      'cp -r .git moved',
      'git -C moved config core.fsmonitor "echo PLANTED >&2; false"',
      'echo "$PWD/moved" > .git/commondir',
    ],
    [
      'mv .git moved',
      'git --git-dir moved config core.fsmonitor "echo PLANTED >&2; false"',
      'echo "gitdir: moved" > .git',
    ],
    ['mv .git moved', 'git --git-dir moved config core.fsmonitor "echo PLANTED >&2; false"', 'ln -s moved .git'],
    ['rm -rf .git/config', 'mkdir .git/config'],
    ['rm .git/HEAD', 'rm -rf .git/refs'],
  ]) {
    await run(plant);
    const next = await run(['cat a.txt', 'git status --porcelain']);
    expect(next, plant.at(-1)).toMatch(/^first$/m);
    expect(next, plant.at(-1)).not.toContain('PLANTED');
    expect(next).toContain('Job succeeded');
  }
});

test('GIT_STRATEGY clone starts anew, GIT_CLEAN_FLAGS=none keeps files, GIT_CHECKOUT=false leaves the tree', async () => {
  h.start();
  const info = h.repository('strategies', { 'a.txt': 'first\n' });
  const run = async (variables: Record<string, string>, script: string[]) => {
    const list = Object.entries(variables).map(([key, value]) => ({ key, value }));
    const record = h.server.enqueue(withCredential(h.job({ git_info: info, variables: list, script })));
    await record.final;
    return record.trace.toString();
  };
  await run({}, ['touch junk']);
  expect(await run({ GIT_CLEAN_FLAGS: 'none' }, ['ls'])).toMatch(/^junk$/m);
  expect(await run({ GIT_CHECKOUT: 'false' }, ['rm a.txt', 'ls'])).toMatch(/^junk$/m);
  expect(await run({ GIT_CHECKOUT: 'false' }, ['ls'])).not.toMatch(/^a\.txt$/m);
  const cloned = await run({ GIT_STRATEGY: 'clone' }, ['ls']);
  expect(cloned).not.toMatch(/^junk$/m);
  expect(cloned).toMatch(/^a\.txt$/m);
});

/** A PATH whose git-lfs says where it was started. */
function withLargeFiles(): string {
  const tools = join(h.root, 'tools');
  mkdirSync(tools);
  writeFileSync(join(tools, 'git-lfs'), '#!/bin/sh\necho "large files: $1 in $(basename "$PWD")"\n', { mode: 0o755 });
  return `${tools}:${DEFAULT_PATH}`;
}

test('submodules are fetched with the same credential, their large files too', async () => {
  h.start({ path: withLargeFiles() });
  h.repository('child', { 'inner.txt': 'from the submodule\n', '.gitattributes': '*.bin filter=lfs\n' });
  h.repository('parent', { 'a.txt': 'x\n' });
  const tree = join(h.root, 'parent-tree');
  const git = (...args: string[]) =>
    execFileSync(
      'git',
      ['-c', 'protocol.file.allow=always', '-c', 'user.name=T', '-c', 'user.email=t@e.org', '-C', tree, ...args],
      { encoding: 'utf8' },
    ).trim();
  git('submodule', 'add', '-q', join(h.repositories, 'child.git'), 'sub');
  git('config', '-f', '.gitmodules', 'submodule.sub.url', '../child.git');
  git('commit', '-aqm', 'submodule');
  git('push', '-q', join(h.repositories, 'parent.git'), 'main');
  const info = {
    repo_url: `${h.server.url}/git/parent.git`,
    ref: 'main',
    sha: git('rev-parse', 'HEAD'),
    refspecs: ['+refs/heads/*:refs/remotes/origin/*'],
    depth: 20,
  };
  const variables = [{ key: 'GIT_SUBMODULE_STRATEGY', value: 'recursive' }];
  const record = h.server.enqueue(withCredential(h.job({ git_info: info, variables, script: ['cat sub/inner.txt'] })));
  expect(await record.final).toMatchObject({ state: 'success' });
  expect(record.trace.toString()).toContain('from the submodule');
  expect(record.trace.toString().match(/large files: .*/g)).toEqual(['large files: pull in sub']);
});

test('git-lfs is started where attributes name it alone', async () => {
  h.start({ path: withLargeFiles() });
  const attributes = '*.bin filter=lfs diff=lfs merge=lfs -text\n';
  const pulls = async (files: Record<string, string>) => {
    const info = h.repository(`lfs-${Object.keys(files).length}`, { 'a.txt': 'filter=lfs\n', ...files });
    const record = h.server.enqueue(withCredential(h.job({ git_info: info, variables: [], script: ['true'] })));
    expect(await record.final).toMatchObject({ state: 'success' });
    return record.trace.toString().includes('large files: pull');
  };
  expect(await pulls({})).toBe(false);
  expect(await pulls({ '.gitattributes': attributes })).toBe(true);
  expect(await pulls({ '.gitattributes': '*.txt text\n', 'deep/er/.gitattributes': attributes })).toBe(true);
});

test('artifacts: globs, excludes, untracked, names, reports as gzip; next job downloads them', async () => {
  h.start();
  const record = h.run({
    variables: [NONE, { key: 'NAME', value: 'bundle' }],
    script: [
      'mkdir -p out/deep/er && echo 1 > out/a.txt && echo 2 > out/deep/er/b.txt && echo 3 > out/deep/c.log && ln -s a.txt out/link',
      'echo "<testsuite/>" > junit.xml; echo A=1 > one.env; chmod +x out/a.txt; ln -s /etc/passwd out/escape',
    ],
    artifacts: [
      {
        name: '$NAME',
        paths: ['out/**/*', '../../secret', '/etc/passwd'],
        exclude: ['**/*.log'],
        artifact_type: 'archive',
        artifact_format: 'zip',
        expire_in: '1 week',
      },
      { name: 'junit.xml', paths: ['junit.xml'], when: 'always', artifact_type: 'junit', artifact_format: 'gzip' },
      { name: '.env', paths: ['*.env'], artifact_type: 'dotenv', artifact_format: 'gzip' },
      { paths: ['never'], when: 'on_failure', artifact_type: 'archive', artifact_format: 'zip' },
      { paths: ['missing/**'], artifact_type: 'archive', artifact_format: 'zip' },
    ],
  });
  expect(await record.final).toMatchObject({ state: 'success' });
  const trace = record.trace.toString();
  expect(record.uploads.map(({ type, filename, expireIn }) => ({ type, filename, expireIn }))).toEqual([
    { type: 'archive', filename: 'bundle.zip', expireIn: '1 week' },
    { type: 'junit', filename: 'junit.xml.gz', expireIn: null },
    { type: 'dotenv', filename: '.env.gz', expireIn: null },
  ]);
  const names = await zipNames(record.uploads[0]!.body);
  expect(names).toEqual(['out/a.txt', 'out/deep/', 'out/deep/er/', 'out/deep/er/b.txt', 'out/link']);
  expect(gunzipSync(record.uploads[1]!.body).toString()).toBe('<testsuite/>\n');
  expect(gunzipSync(record.uploads[2]!.body).toString()).toBe('A=1\n');
  expect(trace).toContain('missing/**: no matching files');
  expect(trace).toMatch(/escape: is a link out of the project directory/);
  expect(trace).toMatch(/\.\.\/\.\.\/secret: is outside of the project directory/);

  h.server.archives.set(5, record.uploads[0]!.body);
  const next = h.run({
    variables: [{ key: 'GIT_STRATEGY', value: 'empty' }],
    dependencies: [
      { id: 5, name: 'build', token: 'dependency-5', artifacts_file: { filename: 'bundle.zip', size: 1 } },
    ],
    script: ['cat out/link out/deep/er/b.txt', 'test -x out/a.txt', 'touch out/deep/mine'],
  });
  expect(await next.final).toMatchObject({ state: 'success' });
  expect(next.trace.toString()).toMatch(/\n1\n2\n/);
});

test('a refused artifact fails the job, a passing trouble does not', async () => {
  h.start();
  const details = {
    script: ['echo x > f'],
    artifacts: [{ paths: ['f'], artifact_type: 'archive', artifact_format: 'zip' }],
  };
  h.server.state.uploadAnswers.push(503);
  const retried = h.run(details);
  expect(await retried.final).toMatchObject({ state: 'success' });
  expect(retried.uploads).toHaveLength(1);
  h.server.state.uploadAnswers.push(413);
  const refused = h.run(details);
  expect(await refused.final).toMatchObject({ state: 'failed', failure_reason: 'script_failure' });
  expect(refused.trace.toString()).toContain('larger than the server allows');
});

test('caches are kept per project and key, with fallbacks, and closed to jobs', async () => {
  h.start();
  const cache = { key: 'deps-$REF', paths: ['node_modules/'], policy: 'pull-push', when: 'on_success' };
  const variables = [
    { key: 'GIT_STRATEGY', value: 'empty' },
    { key: 'REF', value: 'main' },
  ];
  await h.run({
    variables,
    cache: [cache],
    script: ['mkdir -p node_modules/.bin; echo v1 > node_modules/x; ln -s ../x node_modules/.bin/x'],
  }).final;
  const hit = h.run({ variables, cache: [cache], script: ['cat node_modules/.bin/x'] });
  expect(await hit.final).toMatchObject({ state: 'success' });
  const fallback = h.run({
    variables: [...variables, { key: 'POLICY', value: 'pull' }],
    cache: [{ ...cache, key: 'other', policy: '$POLICY', fallback_keys: ['deps-main'] }],
    script: ['cat node_modules/x'],
  });
  expect(await fallback.final).toMatchObject({ state: 'success' });
  const last = (key: string, command: string) =>
    h.run({
      variables: [...variables, { key: 'CACHE_FALLBACK_KEY', value: key }],
      cache: [{ ...cache, key: 'other', policy: 'pull' }],
      script: [command],
    }).final;
  expect(await last('deps-$REF', 'cat node_modules/x')).toMatchObject({ state: 'success' });
  expect(await last('deps-$REF-protected', 'test ! -e node_modules')).toMatchObject({ state: 'success' });
  const elsewhere = h.job({ variables, cache: [cache], script: ['test ! -e node_modules'] });
  elsewhere.job_info.project_id = 8;
  expect(await h.server.enqueue(elsewhere).final).toMatchObject({ state: 'success' });
  expect(readdirSync(join(h.workDir, 'cache/project-7'))).toHaveLength(1);
});

test('[security 6] an archive or a repository with links out of the workspace writes nothing outside', async () => {
  h.start();
  const outside = join(h.root, 'outside');
  mkdirSync(outside, { mode: 0o777 });
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(outside), 'out', { mode: 0o120777 });
  zip.addBuffer(Buffer.from('x'), 'sub/file');
  zip.end();
  h.server.archives.set(6, await buffer(zip.outputStream));
  const dependencies = [{ id: 6, name: 'evil', token: 'dependency-6', artifacts_file: { filename: 'a.zip', size: 1 } }];
  const linked = h.run({ variables: [{ key: 'GIT_STRATEGY', value: 'empty' }], dependencies, script: ['true'] });
  expect(await linked.final).toMatchObject({ state: 'failed', failure_reason: 'script_failure' });
  expect(linked.trace.toString()).toContain('out links out of the project directory');

  // The workspace of the earlier job has a link where the archive has a directory.
  await h.run({ variables: [NONE], script: [`rm -rf sub; ln -s ${outside} sub`] }).final;
  const planted = h.run({ variables: [NONE], dependencies, script: ['true'] });
  expect(await planted.final).toMatchObject({ state: 'failed' });
  expect(planted.trace.toString()).toContain('is in the way and is not a directory');
  expect(readdirSync(outside)).toEqual([]);
});

test('nothing of a job stays: private files, variables, spool', async () => {
  h.start();
  const record = h.run({
    script: ['echo $HOME; ls -la $HOME'],
    variables: [NONE, { key: 'KEY', value: 'k', file: true }],
  });
  await record.final;
  const builds = join(h.workDir, 'builds');
  for (const slot of readdirSync(builds)) {
    expect(readdirSync(join(builds, slot))).toEqual(['project-7']);
  }
  expect(readdirSync(join(h.workDir, 'spool'))).toEqual([]);
  const ended = join(h.workDir, 'ended');
  expect(statSync(ended).mode & 0o777).toBe(0o700);
  await expect.poll(() => readdirSync(ended).flatMap((slot) => readdirSync(join(ended, slot)))).toEqual([]);
  expect(existsSync(join(h.workDir, 'cache/project-7'))).toBe(false);
});

test('makes the release of its job with the job token where no program for it is in PATH', async () => {
  h.start();
  const create = [
    'if command -v glab > /dev/null 2>&1; then exit 1; fi',
    'release-cli create --name "Release $V" --description "notes.md" --tag-name "v$V" --milestone "m 1" --milestone m2',
  ].join('\n');
  const link = JSON.stringify(JSON.stringify({ name: 'a', url: 'https://example.com/$V' }));
  const steps = (command: string) => [
    { name: 'script', script: ['printf "first\\nsecond \\"line\\"" > notes.md'], when: 'on_success' },
    { name: 'release', script: [command], when: 'on_success' },
  ];
  const variables = [NONE, { key: 'V', value: '1.0' }];
  const record = h.run({ variables, steps: steps(`${create} --assets-link ${link}`) });
  expect(await record.final).toMatchObject({ state: 'success' });
  expect(record.releases).toEqual([
    {
      token: record.payload.token,
      request: {
        ref: '0'.repeat(40),
        name: 'Release 1.0',
        description: 'first\nsecond "line"',
        tag_name: 'v1.0',
        milestones: ['m 1', 'm2'],
        assets: { links: [{ name: 'a', url: 'https://example.com/1.0' }] },
      },
    },
  ]);
  expect(record.trace.toString()).toContain('Release made: https://example.com/releases/v1.0');

  const failing = { variables, steps: [{ name: 'script', script: ['false'] }, ...steps(create).slice(1)] };
  const none = h.run(failing);
  expect(await none.final).toMatchObject({ state: 'failed', exit_code: 1 });
  expect(none.releases).toEqual([]);

  const taken = h.run({ variables, steps: steps('release-cli create --tag-name taken --description x') });
  expect(await taken.final).toMatchObject({ state: 'failed', failure_reason: 'script_failure' });
  expect(taken.trace.toString()).toContain('the release was refused: 409 Release already exists');
  const odd = h.run({ variables, steps: steps('release-cli create --tag-name x --force yes') });
  expect(await odd.final).toMatchObject({ state: 'failed' });
  expect(odd.trace.toString()).toContain('release-cli: --force is not known here');
  // A link to what the runner may read and the job may not leads nowhere.
  const sly = h.run({
    variables,
    steps: steps('release-cli create --tag-name x --description y; ln -sf /etc/shadow "$TMPDIR/release/noted"; id -u'),
  });
  await sly.final;
  expect(JSON.stringify(sly.releases)).not.toContain('root:');
});

test('a program for releases in PATH is preferred to ours', async () => {
  const directory = join(h.root, 'bin');
  mkdirSync(directory, { mode: 0o755 });
  execFileSync('sh', [
    '-c',
    `printf '#!/bin/sh\\necho theirs "$@"\\n' > ${directory}/release-cli; chmod 755 ${directory}/release-cli`,
  ]);
  h.start({ path: `${directory}:/usr/local/bin:/usr/bin:/bin` });
  const record = h.run({ steps: [{ name: 'release', script: ['release-cli create --tag-name v1'] }] });
  expect(await record.final).toMatchObject({ state: 'success' });
  expect(record.trace.toString()).toContain('theirs create --tag-name v1');
  expect(record.releases).toEqual([]);
});
