/** Writes over the API, one after the other; the limits are git commands with the same durability. */
import { join } from 'node:path';
import { type Context, timeRow } from '../context.ts';
import { timed } from '../load.ts';
import { durable } from '../native.ts';
import { git } from '../process.ts';

export async function writes(context: Context): Promise<void> {
  const { repository, directory } = context;
  const stamp = Date.now().toString(36);
  const copy = join(directory, `native-writes-${stamp}.git`);
  await git(directory, ['clone', '--quiet', '--bare', repository.path, copy]);
  const head = await git(copy, ['rev-parse', 'main']);

  await timeRow(
    context,
    'create branch',
    30,
    ({ target, project }, round) =>
      timed(() =>
        target.call('POST', `${project.api}/repository/branches`, { branch: `made-${stamp}-${round}`, ref: 'main' }),
      ),
    (round) => timed(() => git(copy, [...durable, 'update-ref', `refs/heads/made-${round}`, head, ''])),
  );
  await timeRow(
    context,
    'create file, as a commit',
    30,
    ({ target, project }, round) =>
      timed(() =>
        target.call('POST', `${project.api}/repository/commits`, {
          branch: 'main',
          commit_message: `Add file ${round}`,
          actions: [{ action: 'create', file_path: `made/${stamp}-${round}.txt`, content: `file ${round}\n` }],
        }),
      ),
    (round) =>
      timed(() =>
        git(
          copy,
          [...durable, '-c', 'fastimport.unpackLimit=100', 'fast-import', '--quiet'],
          `commit refs/heads/main\ncommitter B <b@example.com> 1700000000 +0000\ndata 4\nAdd\nfrom refs/heads/main^0\nM 100644 inline made/${round}.txt\ndata 5\nfile\n\n`,
        ),
      ),
    { note: 'native: fast-import' },
  );

  const prepared = (round: number) => `merge-${stamp}-${round}`;
  await timeRow(
    context,
    'create and merge a merge request',
    15,
    async ({ target, project }, round) => {
      await target.call('POST', `${project.api}/repository/commits`, {
        branch: prepared(round),
        start_branch: 'main',
        commit_message: 'Change',
        actions: [{ action: 'create', file_path: `merged/${stamp}-${round}.txt`, content: `${round}\n` }],
      });
      return timed(async () => {
        const { iid } = await target.call<{ iid: number }>('POST', `${project.api}/merge_requests`, {
          source_branch: prepared(round),
          target_branch: 'main',
          title: `Merge ${round}`,
        });
        await target.call('PUT', `${project.api}/merge_requests/${iid}/merge`, {});
      });
    },
    (round) =>
      timed(async () => {
        const source = repository.branches[round + 1] ?? 'main';
        const tree = await git(copy, [...durable, 'merge-tree', '--write-tree', 'main', source]);
        const made = await git(copy, [...durable, 'commit-tree', tree, '-p', 'main', '-p', source, '-m', 'Merge']);
        await git(copy, [...durable, 'update-ref', 'refs/heads/main', made]);
      }),
    { note: 'native: merge-tree, commit-tree, update-ref' },
  );
}
