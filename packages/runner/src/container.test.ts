/** Jobs in containers: a real engine and an image made here, or a program in its place. Slow, sampled: each makes containers. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Harness, harness, withCredential } from '../testdata/harness.ts';
import { connect } from '../testdata/shell.ts';
import { aliasesOf } from './executors/container/arguments.ts';
import { checkImageName, policiesOf, qualified } from './executors/container/images.ts';
import { runJobLocally } from './local.ts';
import type { JobPayload } from './protocol.ts';
import { markOf } from './workspace.ts';

const IMAGE = 'localhost/millrace-test:1';
const podman = ['/usr/bin/podman', '/usr/local/bin/podman'].find((path) => existsSync(path));
const busybox = ['/usr/bin/busybox', '/bin/busybox'].find((path) => existsSync(path));

const root = mkdtempSync(join(tmpdir(), 'millrace-container-'));
chmodSync(root, 0o755);

/** An engine whose images and containers are this test's own; undefined where none works. */
function ownEngine(): string | undefined {
  if (!podman || !busybox) return undefined;
  const conf = join(root, 'containers.conf');
  // Sandboxes refuse crun, and limits above their own.
  const runtime = existsSync('/usr/sbin/runc')
    ? '[engine]\nruntime="runc"\ncgroup_manager="cgroupfs"\nevents_logger="file"\n'
    : '';
  writeFileSync(conf, `[containers]\ndefault_ulimits=["nproc=1000:1000","nofile=1024:1024"]\n${runtime}`);
  const program = join(root, 'podman');
  const store = `--root ${root}/storage --runroot ${root}/run --storage-driver vfs`;
  writeFileSync(program, `#!/bin/sh\nexport CONTAINERS_CONF=${conf}\nexec ${podman} ${store} "$@"\n`, { mode: 0o755 });
  const tree = join(root, 'image');
  for (const directory of ['bin', 'tmp', 'etc']) mkdirSync(join(tree, directory), { recursive: true });
  copyFileSync(busybox, join(tree, 'bin/busybox'));
  for (const name of [
    'sh',
    'cat',
    'echo',
    'env',
    'grep',
    'httpd',
    'id',
    'ls',
    'mkdir',
    'nslookup',
    'sleep',
    'true',
    'wget',
    'touch',
    'ln',
    'rm',
    'stty',
  ])
    symlinkSync('busybox', join(tree, 'bin', name));
  writeFileSync(join(tree, 'etc/passwd'), 'root:x:0:0::/:/bin/sh\nworker:x:1000:1000::/:/bin/sh\n');
  writeFileSync(join(tree, 'index.html'), 'served\n');
  writeFileSync(join(tree, 'bin/entry'), '#!/bin/sh\nexport FROM_ENTRYPOINT=yes\nexec "$@"\n', { mode: 0o755 });
  chmodSync(join(tree, 'tmp'), 0o1777);
  execFileSync('tar', ['-C', tree, '-cf', join(root, 'image.tar'), '.']);
  try {
    const changes = ['--change', 'ENV PATH=/bin', '--change', 'EXPOSE 8080/tcp'];
    execFileSync(program, ['import', ...changes, join(root, 'image.tar'), IMAGE], { stdio: 'pipe' });
    execFileSync(program, ['run', '--rm', '--network=host', IMAGE, 'true'], { stdio: 'pipe' });
    return program;
  } catch {
    return undefined;
  }
}

// Skipped without podman and a static busybox (Debian: podman, runc, busybox-static), or where the machine refuses containers.
const engine = ownEngine();
const containers = { engine, pullPolicies: ['never' as const] };

let h: Harness;
beforeEach(async () => {
  h = await harness();
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await h.close();
});
afterAll(() => {
  if (engine) execFileSync(engine, ['rm', '--all', '--force'], { stdio: 'pipe' });
  rmSync(root, { recursive: true, force: true });
});

const listed = () => execFileSync(engine!, ['ps', '--all', '--quiet'], { encoding: 'utf8' }).trim();
const inImage = (details: Partial<JobPayload> & { script?: string[]; after?: string[] }) => ({
  image: { name: IMAGE },
  ...details,
});

test.runIf(engine)(
  'a job runs in its image: sources, script, after_script and artifacts are one workspace',
  async () => {
    h.start({ executor: 'auto', containers });
    const git_info = h.repository('demo', { 'file.txt': 'from git\n' });
    const job = withCredential(
      h.job(
        inImage({
          git_info,
          variables: [
            { key: 'GREETING', value: 'hello' },
            { key: 'LINES', value: 'one\ntwo' },
          ],
          script: ['cat file.txt', 'echo "$GREETING $LINES" > made.txt', 'ls /bin/busybox', 'touch /tmp/kept', 'id -u'],
          after: [
            'ls /tmp/kept',
            'echo "after $CI_JOB_STATUS, disposable $CI_DISPOSABLE_ENVIRONMENT$CI_SHARED_ENVIRONMENT"',
          ],
          artifacts: [
            { name: 'out', paths: ['made.txt'], when: 'on_success', artifact_type: 'archive', artifact_format: 'zip' },
          ],
        }),
      ),
    );
    const record = h.server.enqueue(job);
    await record.final;
    const log = record.trace.toString();
    expect(log).toMatch(/^from git$/m);
    expect(log).toMatch(/^0$/m);
    expect(log).toMatch(/^after success, disposable true$/m);
    expect(log).toContain('Using the container executor');
    expect((await record.final).state).toBe('success');
    expect(record.uploads).toHaveLength(1);
    expect(listed()).toBe('');
    // The next job of the slot fetches into the same directory, which the container's root wrote to.
    const next = h.server.enqueue(
      withCredential(
        h.job({
          git_info,
          variables: [],
          script: ['ls', 'echo "shared $CI_SHARED_ENVIRONMENT$CI_DISPOSABLE_ENVIRONMENT"'],
        }),
      ),
    );
    await next.final;
    expect(next.trace.toString()).toMatch(/^file\.txt$/m);
    expect(next.trace.toString()).toMatch(/^shared true$/m);
    expect(next.trace.toString()).toMatch(/^Removing made\.txt$/m);
  },
);

test.runIf(engine)('[security 25] a container has few capabilities, its limits, and nothing of the host', async () => {
  h.start({ executor: 'container', containers, limits: { memoryBytes: 96 * 1024 * 1024, processes: 40, cpus: 0.5 } });
  const record = h.run(
    inImage({
      script: [
        'grep -E "NoNewPrivs|CapEff" /proc/self/status',
        `ls ${h.workDir}/cache ${h.root}/image 2>&1 || echo nothing`,
        'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null || true',
        'cat /sys/fs/cgroup/pids/pids.max /sys/fs/cgroup/pids.max 2>/dev/null || true',
      ],
    }),
  );
  await record.final;
  const log = record.trace.toString();
  expect(log).toMatch(/^NoNewPrivs:\s+1$/m);
  // CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, NET_BIND_SERVICE.
  expect(log).toMatch(/^CapEff:\s+00000000000004fb$/m);
  expect(log).toMatch(/^nothing$/m);
  expect(log).toMatch(/^100663296$/m);
  expect(log).toMatch(/^40$/m);
});

test.runIf(engine)('a script that takes more memory than it may is ended, and its log names the limit', async () => {
  h.start({ executor: 'container', containers, limits: { memoryBytes: 32 * 1024 * 1024 } });
  const script = ['x=1234567890123456; while true; do x=$x$x; done'];
  const record = h.run(inImage({ script, after: ['echo "after: $CI_JOB_STATUS"'] }));
  expect((await record.final).state).toBe('failed');
  const log = record.trace.toString();
  expect(log).toMatch(/most likely it used more memory than MILLRACE_RUNNER_MEMORY allows, 33554432 bytes/);
  expect(log).toMatch(/^after: failed$/m);
});

test.runIf(engine)('entrypoints and users of images count, also a user that owns nothing', async () => {
  h.start({ executor: 'container', containers });
  const record = h.run({
    image: { name: IMAGE, entrypoint: ['entry'], executor_opts: { docker: { user: 'worker' } } },
    script: ['echo "entry: $FROM_ENTRYPOINT"', 'id -u', 'grep CapEff /proc/self/status', 'echo x > mine', 'ls mine'],
  });
  await record.final;
  expect(record.trace.toString()).toMatch(/^entry: yes$/m);
  expect(record.trace.toString()).toMatch(/^1000$/m);
  // Whoever is not root in the image has nothing of root either.
  expect(record.trace.toString()).toMatch(/^CapEff:\s+0{16}$/m);
  expect((await record.final).state).toBe('success');
});

test.runIf(engine)(
  'services answer by name when the script begins; one that ends is named with its output',
  async () => {
    h.start({ executor: 'container', containers });
    const record = h.run(
      inImage({
        services: [
          { name: IMAGE, alias: 'web', command: ['httpd', '-f', '-p', '8080', '-h', '/'] },
          {
            name: IMAGE,
            alias: 'broken',
            command: ['sh', '-c', 'echo "no $WORD"; exit 3'],
            variables: [{ key: 'WORD', value: 'luck' }],
          },
        ],
        script: [
          'wget -q -O - http://web:8080/index.html',
          'wget -q -O - http://localhost__millrace-test:8080/index.html',
        ],
      }),
    );
    await record.final;
    const log = record.trace.toString();
    expect(log.match(/^served$/gm)).toHaveLength(2);
    expect(log).toContain('has ended');
    expect(log).toContain('no luck');
    expect(listed()).toBe('');
  },
);

test.runIf(engine)('a job without a server has its image and services, of the engine that PATH has first', async () => {
  const workDir = join(root, 'local');
  mkdirSync(workDir);
  const chunks: Buffer[] = [];
  const job = {
    ...{ id: 1, token: 'local-1', job_info: { name: 'j', stage: 's', project_id: 1, project_name: 'p' } },
    git_info: { repo_url: '/nowhere', ref: 'main', sha: '0'.repeat(40) },
    variables: [{ key: 'GIT_STRATEGY', value: 'empty' }],
    image: { name: IMAGE },
    services: [{ name: IMAGE, alias: 'web', command: ['httpd', '-f', '-p', '8080', '-h', '/'] }],
    steps: [{ name: 'script', script: ['wget -q -O - http://web:8080/index.html'] }],
  };
  const sink = { output: (chunk: Buffer) => void chunks.push(chunk) };
  const result = await runJobLocally(job, 'container', sink, { workDir, path: `${root}:${process.env.PATH}` });
  const log = Buffer.concat(chunks).toString();
  expect([result, log]).toEqual([{ state: 'success' }, expect.stringMatching(/^served$/m)]);
  expect(listed()).toBe('');
});

test.runIf(engine)('a cancelled job ends with all its containers, and its after_script still runs', async () => {
  h.start({ executor: 'container', containers });
  const record = h.run(
    inImage({ script: ['trap "echo polite; exit 1" TERM', 'echo started', 'sleep 60 & wait'], after: ['echo after'] }),
  );
  await expect.poll(() => record.trace.toString()).toMatch(/^started$/m);
  record.status = 'canceling';
  await record.final;
  expect(record.trace.toString()).toMatch(/^polite$/m);
  expect(record.trace.toString()).toMatch(/^after$/m);
  expect(listed()).toBe('');
});

/** A job in its container that waits for a file, and the offer of its runner. */
async function waiting() {
  h.start({ executor: 'container', containers });
  const variables = [
    { key: 'GIT_STRATEGY', value: 'none' },
    { key: 'GREETING', value: 'hello there' },
  ];
  const script = ['echo ready-now', 'while [ ! -e go ]; do sleep 0.05; done', 'echo went-on'];
  const record = h.run(inImage({ variables, script }));
  await expect.poll(() => record.trace.toString()).toContain('\nready-now');
  const offer = h.server.sessions.get(record.payload.id);
  if (!offer) throw new Error('the runner offered no session');
  return { record, offer };
}

test.runIf(engine)('a terminal is a shell in the container: its files, variables, size and user', async () => {
  const { record, offer } = await waiting();
  const shell = await connect(offer);
  shell.socket.send(JSON.stringify({ columns: 101, rows: 33 }), { binary: false });
  shell.socket.send(Buffer.from('stty size; echo "<$GREETING>"; pwd; ls /bin/entry; id -u; echo seen-$((0+1))\n'));
  const said = await shell.until(/seen-1\r\n/);
  expect(said).toContain('33 101\r\n');
  expect(said).toContain('<hello there>\r\n');
  expect(said).toMatch(/\/project-\d+\/demo\r\n/);
  expect(said).toContain('/bin/entry\r\n0\r\n');
  shell.socket.send(JSON.stringify({ columns: 77, rows: 22 }), { binary: false });
  shell.socket.send(Buffer.from('until [ "$(stty size)" = "22 77" ]; do sleep 0.05; done; echo resized-$((1+1))\n'));
  await shell.until(/resized-2/);
  shell.socket.send(Buffer.from('touch go; exit\n'));
  expect(await shell.closed).toMatchObject({ code: 1000 });
  expect((await record.final).state).toBe('success');
  expect(record.trace.toString()).toMatch(/^went-on$/m);
  expect(listed()).toBe('');
});

test.runIf(engine)('terminals in a container end with a canceled job, and leave nothing', async () => {
  const { record, offer } = await waiting();
  const shell = await connect(offer);
  shell.socket.send(Buffer.from('echo open-$((1+1)); sleep 1000\n'));
  await shell.until(/open-2/);
  record.status = 'canceled';
  await shell.closed;
  await expect.poll(listed).toBe('');
});

test.runIf(engine)('what a killed runner left is removed by the next one', async () => {
  const first = h.start({ executor: 'container', containers });
  const record = h.run(inImage({ script: ['echo hi'] }));
  await record.final;
  await first.stop();
  const labels = execFileSync(
    engine!,
    ['create', '--label', `millrace.runner=${markOf(h.workDir)}`, IMAGE, 'sleep', '60'],
    { encoding: 'utf8' },
  );
  expect(labels.trim()).not.toBe('');
  h.start({ executor: 'container', containers });
  await expect.poll(listed).toBe('');
});

test.runIf(engine)('an image that is not here fails the job as an image that could not be pulled', async () => {
  h.start({ executor: 'container', containers });
  const record = h.run({ image: { name: 'localhost/nothing:1' }, script: ['true'] });
  await record.final;
  expect(record.trace.toString()).toContain('the image localhost/nothing:1 could not be pulled');
});

test('names of images are those of registries: no options, no files of the host', () => {
  for (const name of ['alpine', 'alpine:3', 'registry.example.com:5000/a/b-c__d:v1.2', `a@sha256:${'0'.repeat(64)}`])
    expect(checkImageName(name)).toBe(name);
  for (const name of [
    '--privileged',
    'dir:/etc',
    'oci-archive:/tmp/x',
    'docker-archive:5/x',
    'a b',
    'A',
    '../x',
    'a:',
    '',
  ])
    expect(() => checkImageName(name), name).toThrow('is not the name of an image');
  expect([qualified('alpine:3'), qualified('me/x'), qualified('ghcr.io/a/b'), qualified('localhost/x')]).toEqual([
    'docker.io/library/alpine:3',
    'docker.io/me/x',
    'ghcr.io/a/b',
    'localhost/x',
  ]);
});

test('jobs choose among the pull policies that the operator allows', () => {
  expect(policiesOf(null)).toEqual(['always']);
  expect(policiesOf(['if-not-present'], ['always', 'if-not-present'])).toEqual(['if-not-present']);
  expect(policiesOf(['never', 'always'], ['always'])).toEqual(['always']);
  expect(() => policiesOf(['if-not-present'])).toThrow('not allowed here; allowed: always');
});

test('services have the names of the ecosystem', () => {
  expect(aliasesOf('registry.example.com:5000/team/db:1', 'db, other')).toEqual([
    'registry.example.com__team__db',
    'registry.example.com-team-db',
    'db',
    'other',
  ]);
  expect(aliasesOf('postgres:17', null)).toEqual(['postgres']);
});

/** An engine that writes down what it is asked, and answers well. */
function writingEngine(): { program: string; calls(): string[] } {
  const program = join(h.root, 'docker');
  const file = join(h.root, 'calls');
  writeFileSync(
    program,
    `#!/bin/sh
{ for word in "$@"; do printf '%s ' "$word"; done; echo; } >> ${file}
case "$1 $2" in
  "--config "*) [ -f "$2/config.json" ] && { cat "$2/config.json"; echo; } >> ${file} ;;
  "image inspect") echo "sha256:1234|worker" ;;
  "start --attach") for word in "$@"; do :; done; echo "in the image" ;;
esac
env | grep -c -e SECRET_OF_RUNNER -e evil >> ${file}
exit 0
`,
    { mode: 0o755 },
  );
  writeFileSync(file, '');
  return { program, calls: () => readFileSync(file, 'utf8').split('\n') };
}

test('the engine gets passwords of registries, policies and options of the job, and nothing of the environment', async () => {
  const { program, calls } = writingEngine();
  vi.stubEnv('SECRET_OF_RUNNER', 'x');
  h.start({
    executor: 'container',
    containers: { engine: program, pullPolicies: ['always', 'if-not-present'], volumes: ['/srv/cache:/cache:ro'] },
  });
  const auth = JSON.stringify({ auths: { 'registry.example.com': { auth: 'abc' } }, credsStore: 'evil' });
  const record = h.run({
    image: { name: '$REGISTRY/tool:1', entrypoint: [''], pull_policy: ['always'] },
    variables: [
      { key: 'GIT_STRATEGY', value: 'none' },
      { key: 'REGISTRY', value: 'registry.example.com' },
      { key: 'DOCKER_AUTH_CONFIG', value: auth },
      { key: 'DOCKER_HOST', value: 'tcp://evil' },
    ],
    script: ['true'],
  });
  await record.final;
  const lines = calls();
  const line = (start: string) => lines.find((text) => text.startsWith(start)) ?? '';
  expect(lines.find((text) => text.includes('pull --quiet'))).toContain('registry.example.com/tool:1');
  expect(line('{"auths"')).toBe('{"auths":{"registry.example.com":{"auth":"abc"}}}');
  const create = line('create ');
  for (const part of [
    '--cap-drop=ALL',
    '--security-opt=no-new-privileges',
    '--volume=/srv/cache:/cache:ro',
    '--entrypoint= ',
    ' sha256:1234 sh -c',
  ])
    expect(create).toContain(part);
  expect(create).not.toContain('--privileged');
  expect(lines.filter((text) => /^\d+$/.test(text)).every((text) => text === '0')).toBe(true);
  expect(record.trace.toString()).toContain('in the image');
  expect(lines.filter((text) => text.startsWith('network create'))).toHaveLength(1);
});
