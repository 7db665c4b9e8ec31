/** git over HTTP: the same client against ours, the peer, and a bare server that pipes to git. */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Context, timeRow, within } from '../context.ts';
import { timed } from '../load.ts';
import { gitServer } from '../native.ts';
import { git } from '../process.ts';
import { createProject, pushAll } from '../target.ts';
import { clonesAtOnce } from './clones.ts';

export async function gitRows(context: Context): Promise<void> {
  const { repository } = context;
  const directory = mkdtempSync(join(context.directory, 'git-'));
  const bare = (name: string) => join(directory, name);
  const limit = await gitServer(bare);
  const native = `${limit.url}/native.git`;
  // Filled by a push, as the instance's is: neither has seen maintenance beyond what it does by itself.
  await git(directory, ['init', '--quiet', '--bare', '--initial-branch=main', bare('native.git')]);
  await git(bare('native.git'), ['config', 'http.receivepack', 'true']);
  await pushAll(repository, native);
  let made = 0;
  const fresh = () => join(directory, `clone-${made++}`);

  const clone = async (remote: string, ...options: string[]) => {
    const into = fresh();
    const time = await timed(() => git(directory, ['clone', '--quiet', '--bare', ...options, remote, into]));
    rmSync(into, { recursive: true, force: true });
    return time;
  };
  const remotes = new Map([[context.ours, context.ours.project.remote]]);
  if (context.peer) remotes.set(context.peer, context.peer.project.remote);
  const remoteOf = (loaded: typeof context.ours) => remotes.get(loaded) ?? '';

  const ls = (remote: string) => timed(() => git(directory, ['ls-remote', remote]));
  await timeRow(
    context,
    'ls-remote',
    30,
    (loaded) => ls(remoteOf(loaded)),
    () => ls(native),
    { goal: within(1.1) },
  );

  const work = new Map<string, string>();
  for (const remote of [native, ...remotes.values()]) {
    const into = fresh();
    await git(directory, ['clone', '--quiet', remote, into]);
    work.set(remote, into);
  }
  const workOf = (remote: string) => work.get(remote) ?? directory;
  const fetchNothing = (remote: string) => timed(() => git(workOf(remote), ['fetch', '--quiet', 'origin']));
  await timeRow(
    context,
    'fetch, nothing new',
    30,
    (loaded) => fetchNothing(remoteOf(loaded)),
    () => fetchNothing(native),
    { goal: within(1.1) },
  );
  await timeRow(
    context,
    'full clone',
    7,
    (loaded) => clone(remoteOf(loaded)),
    () => clone(native),
    {
      goal: within(1.02),
    },
  );
  await timeRow(
    context,
    'clone, depth 1',
    10,
    (loaded) => clone(remoteOf(loaded), '--depth', '1'),
    () => clone(native, '--depth', '1'),
    { goal: within(1.02) },
  );

  const tips = (await git(repository.path, ['for-each-ref', '--format=%(objectname)', 'refs/heads'])).split('\n');
  await clonesAtOnce(context, remoteOf, native, [...new Set(tips)]);

  const pushOne = async (remote: string, round: number) => {
    const directory = workOf(remote);
    await git(directory, ['commit', '--quiet', '--allow-empty', '-m', `Push ${round}`]);
    return timed(() => git(directory, ['push', '--quiet', 'origin', `HEAD:refs/heads/pushed-${round}`]));
  };
  await timeRow(
    context,
    'push of one small commit',
    20,
    (loaded, round) => pushOne(remoteOf(loaded), round),
    (round) => pushOne(native, round),
    { goal: within(1.5) },
  );

  await timeRow(
    context,
    'push of the whole history',
    3,
    async ({ target }) => {
      const project = await createProject(target, 'bench-push');
      return timed(() => pushAll(repository, project.remote));
    },
    async (round) => {
      const name = `empty-${round}.git`;
      await git(directory, ['init', '--quiet', '--bare', '--initial-branch=main', bare(name)]);
      await git(bare(name), ['config', 'http.receivepack', 'true']);
      return timed(() => pushAll(repository, `${limit.url}/${name}`));
    },
    { goal: within(1.03) },
  );
  await limit.close();
  rmSync(directory, { recursive: true, force: true });
}
