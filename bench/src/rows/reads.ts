/** Reads over the API, on varied ids and paths. */

import { numbers } from '../../../scripts/lib/numbers.ts';
import { type Context, type Loaded, readRow, timeRow } from '../context.ts';
import { type Ask, timed } from '../load.ts';
import { git } from '../process.ts';
import { asks } from '../target.ts';

const sample = <T>(items: readonly T[], count: number): T[] => {
  const below = numbers(7);
  return Array.from({ length: count }, () => items[below(items.length)]).filter((item) => item !== undefined);
};

export async function reads(context: Context): Promise<void> {
  const { repository } = context;
  const deepest = Math.max(1, Math.floor(repository.commits.length / 20));
  const pages = sample(
    Array.from({ length: deepest }, (_item, index) => index + 1),
    200,
  );
  const files = sample(
    repository.files.filter((file) => file.startsWith('src/')),
    200,
  );
  const large = repository.files.filter((file) => file.startsWith('docs/'));
  const commits = sample(repository.commits, 400);
  const branches = sample(repository.branches, 200);
  const row = (name: string, of: (loaded: Loaded) => Ask[]) => readRow(context, name, of);

  await row('/version', () => [{ path: '/api/v4/version' }]);
  await row('/user', () => [{ path: '/api/v4/user' }]);
  await readRow(context, 'single project', ({ project }) => [{ path: `/api/v4${project.api}` }], {
    text: '> 2,000/s',
    met: ({ rate = 0 }) => rate > 2000,
  });
  await row('20 commits of a branch, any page', ({ project }) =>
    asks(project, pages, (page) => `/repository/commits?ref_name=main&per_page=20&page=${page}`),
  );
  await row('20 commits of one path', ({ project }) =>
    asks(project, files, (file) => `/repository/commits?ref_name=main&path=${encodeURIComponent(file)}`),
  );
  await row('single commit with stats', ({ project }) =>
    asks(project, commits, (commit) => `/repository/commits/${commit}?stats=true`),
  );
  await row('raw file of about 47 KB', ({ project }) =>
    asks(project, large, (file) => `/repository/files/${encodeURIComponent(file)}/raw?ref=main`),
  );
  await row('root tree', ({ project }) =>
    asks(project, branches, (branch) => `/repository/tree?ref=${encodeURIComponent(branch)}`),
  );
  await row('branches, 20 of all', ({ project }) =>
    asks(project, [1, 2, 3, 4, 5], (page) => `/repository/branches?per_page=20&page=${page}`),
  );

  // The first time of something is asked once each, so a cache by object id cannot answer it.
  const fresh = repository.commits.slice(1, 1000).filter((_commit, index) => index % 11 === 5);
  await timeRow(
    context,
    'first look at a commit with stats',
    Math.min(40, fresh.length),
    ({ target, project }, round) =>
      timed(() => target.call('GET', `${project.api}/repository/commits/${fresh[round]}`)),
    (round) => timed(() => git(repository.path, ['show', '--stat', '--format=raw', fresh[round] ?? 'HEAD'])),
  );
  await timeRow(
    context,
    'first look at a page of commits',
    Math.min(40, repository.branches.length),
    ({ target, project }, round) =>
      timed(() =>
        target.call(
          'GET',
          `${project.api}/repository/commits?ref_name=${encodeURIComponent(repository.branches[round] ?? '')}&page=2`,
        ),
      ),
    (round) =>
      timed(() => git(repository.path, ['log', '-20', '--skip=20', '--format=raw', repository.branches[round] ?? ''])),
  );

  const looked = repository.files.filter((file) => file.startsWith('src/')).filter((_file, index) => index % 7 === 3);
  await timeRow(
    context,
    'first look at the commits of a path',
    Math.min(40, looked.length),
    ({ target, project }, round) =>
      timed(() =>
        target.call(
          'GET',
          `${project.api}/repository/commits?ref_name=${repository.commits[round]}&path=${encodeURIComponent(looked[round] ?? '')}`,
        ),
      ),
    (round) =>
      timed(() =>
        git(repository.path, [
          'log',
          '-20',
          '--format=raw',
          repository.commits[round] ?? '',
          '--',
          looked[round] ?? '',
        ]),
      ),
  );

  const requests = new Map<Loaded, number>();
  const branch = repository.branches.find((name) => name !== 'main') ?? 'main';
  for (const loaded of [context.ours, ...(context.peer ? [context.peer] : [])]) {
    const { iid } = await loaded.target.call<{ iid: number }>('POST', `${loaded.project.api}/merge_requests`, {
      source_branch: branch,
      target_branch: 'main',
      title: 'Measured',
    });
    requests.set(loaded, iid);
  }
  await row('one merge request', (loaded) =>
    asks(loaded.project, [requests.get(loaded)], (iid) => `/merge_requests/${iid}`),
  );
  await row('merge request diff', (loaded) =>
    asks(loaded.project, [requests.get(loaded)], (iid) => `/merge_requests/${iid}/diffs`),
  );
}
