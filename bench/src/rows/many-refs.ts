/** A repository with 100,000 references, beside a bare server on the same one. */
import { chmodSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Context } from '../context.ts';
import { spread } from '../context.ts';
import { alternate, load, send, timed } from '../load.ts';
import { gitServer } from '../native.ts';
import { git, memoryOfTree, startInstance, token } from '../process.ts';
import { connect, createProject } from '../target.ts';

const count = 100_000;
const megabytes = (pid: number) =>
  memoryOfTree(pid).reduce((sum, { program, megabytes: size }) => sum + (program === 'millrace' ? size : 0), 0);

/** References as `git pack-refs` writes them. */
function addPackedRefs(repository: string, tips: readonly string[]): void {
  const file = join(repository, 'packed-refs');
  const known = readFileSync(file, 'utf8')
    .split('\n')
    .filter((text) => text && !text.startsWith('#'));
  const added = Array.from(
    { length: count },
    (_, index) => `${tips[index % tips.length]} refs/heads/many/branch-${String(index).padStart(6, '0')}`,
  );
  const lines = [...known, ...added].sort((a, b) => (a.slice(41) < b.slice(41) ? -1 : 1));
  writeFileSync(file, `# pack-refs with: peeled fully-peeled sorted \n${lines.join('\n')}\n`);
}

export async function manyRefs(context: Context): Promise<void> {
  const { repository, add } = context;
  const directory = mkdtempSync(join(context.directory, 'refs-'));
  // The embedded database runs under another uid and must be able to pass.
  chmodSync(directory, 0o711);
  const data = join(directory, 'instance');
  let running = await startInstance(data);
  const project = await createProject(connect('ours', running.url, token), 'refs');
  await git(repository.path, ['push', '--quiet', project.remote, 'main']);
  await running.stop();
  const repositories = join(data, 'millrace/repositories');
  const [found = ''] = readdirSync(repositories, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.git') && !name.endsWith('.wiki.git'),
  );
  const ours = join(repositories, found);
  await git(ours, ['pack-refs', '--all']);
  addPackedRefs(ours, repository.commits.slice(0, 5000));
  const limit = await gitServer((name) => join(directory, name));
  cpSync(ours, join(directory, 'native.git'), { recursive: true });
  await git(join(directory, 'native.git'), ['config', 'http.receivepack', 'true']);
  const native = `${limit.url}/native.git`;
  running = await startInstance(data);
  try {
    const before = megabytes(running.pid);
    const remote = new URL(new URL(project.remote).pathname, running.url);
    [remote.username, remote.password] = ['oauth2', token];
    const remotes = { ours: remote.href, native };
    const row = async (
      name: string,
      times: number,
      work: (address: string, round: number, who: string) => Promise<number>,
    ) => {
      const results = await alternate(times, {
        ours: (round) => work(remotes.ours, round, 'ours'),
        native: (round) => work(remotes.native, round, 'native'),
      });
      add({ name: `100,000 references: ${name}`, ours: spread(results.ours), native: spread(results.native) });
    };
    const run = (where: string, ...args: string[]) => timed(() => git(where, args));
    await row('ls-remote, the first', 1, (address) => run(directory, 'ls-remote', address));
    await row('ls-remote', 10, (address) => run(directory, 'ls-remote', address));
    await row('ls-remote, version 0', 10, (address) =>
      run(directory, '-c', 'protocol.version=0', 'ls-remote', address),
    );
    await row('ls-remote of one branch', 10, (address) => run(directory, 'ls-remote', address, 'refs/heads/main'));
    for (const [who, address] of Object.entries(remotes))
      await git(directory, ['clone', '--quiet', '--single-branch', '--branch', 'main', address, who]);
    await row('fetch of one branch, nothing new', 10, (_address, _round, who) =>
      run(join(directory, who), 'fetch', '--quiet', 'origin', 'main'),
    );
    await row('clone of all, bare', 3, async (address, round, who) => {
      const into = join(directory, `${who}-${round}.git`);
      const time = await run(directory, 'clone', '--quiet', '--bare', address, into);
      rmSync(into, { recursive: true, force: true });
      return time;
    });
    await row('push of one commit', 10, async (_address, round, who) => {
      await git(join(directory, who), ['commit', '--quiet', '--allow-empty', '-m', `Push ${round}`]);
      return run(join(directory, who), 'push', '--quiet', 'origin', `HEAD:refs/heads/pushed-${round}`);
    });
    const base = new URL(running.url);
    const pages = [1, 2, 500, 2000].map((page) => ({
      path: `/api/v4${project.api}/repository/branches?per_page=20&page=${page}`,
    }));
    for (const ask of pages) await send(base, token, ask);
    const one = await load(running.url, token, pages, { connections: 1, seconds: context.seconds });
    add({ name: '100,000 references: page of 20 branches', ours: { rate: one.rate, p50: one.p50, p95: one.p95 } });
    const search = [{ path: `/api/v4${project.api}/repository/branches?search=branch-0999` }];
    const found_ = await load(running.url, token, search, { connections: 1, seconds: context.seconds });
    add({
      name: '100,000 references: search among branches',
      ours: { rate: found_.rate, p50: found_.p50, p95: found_.p95 },
    });
    add({
      name: '100,000 references: memory of the server after this',
      ours: { megabytes: megabytes(running.pid) },
      note: `before it ${Math.round(before)} MB`,
    });
  } finally {
    await running.stop();
    await limit.close();
    rmSync(directory, { recursive: true, force: true });
  }
}
