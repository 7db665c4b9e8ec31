/** How long a merge train takes for requests whose pipelines pass at once: from the first that joins to the last that is merged. */
import type { Context } from '../context.ts';
import { createProject, type Target } from '../target.ts';
import { until } from '../waiting.ts';

const requests = 20;
const goalSeconds = 20;

const config = `test:
  script: ['true']
  rules: [{ if: '$CI_MERGE_REQUEST_EVENT_TYPE == "merge_train"' }]
`;

interface Entry {
  readonly merge_request: { readonly iid: number };
  readonly merged_at: string | null;
}

async function opened(target: Target): Promise<{ readonly api: string; readonly iids: readonly number[] }> {
  const { api } = await createProject(target, 'bench-train');
  await target.call('PUT', api, { merge_pipelines_enabled: true, merge_trains_enabled: true });
  const commit = (branch: string, path: string, content: string, more: object = {}) =>
    target.call('POST', `${api}/repository/commits`, {
      branch,
      commit_message: `Add ${path}`,
      actions: [{ action: 'create', file_path: path, content }],
      ...more,
    });
  await commit('main', '.gitlab-ci.yml', config);
  const iids: number[] = [];
  for (let at = 0; at < requests; at++) {
    const branch = `work-${at}`;
    await commit(branch, `${branch}.txt`, 'text\n', { start_branch: 'main' });
    const json = { source_branch: branch, target_branch: 'main', title: `Add ${branch}` };
    iids.push((await target.call<{ iid: number }>('POST', `${api}/merge_requests`, json)).iid);
  }
  return { api, iids };
}

/** Seconds until everything was merged; fails when an entry was dropped. */
async function through(target: Target): Promise<number> {
  const { api, iids } = await opened(target);
  const begin = performance.now();
  for (const iid of iids) await target.call('POST', `${api}/merge_trains/merge_requests/${iid}`);
  return await until(
    'the end of the train',
    300,
    async () => {
      // In this order: an entry that is merged between the two answers is not missed by both.
      const left = await target.call<Entry[]>('GET', `${api}/merge_trains?scope=active&per_page=100`);
      const merged = await target.call<Entry[]>('GET', `${api}/merge_trains?scope=complete&per_page=100`);
      if (merged.length === requests) return (performance.now() - begin) / 1000;
      if (left.length === 0)
        throw new Error(`${requests - merged.length} of ${requests} requests left the train unmerged`);
      return null;
    },
    50,
  );
}

export async function trains({ ours, add }: Context): Promise<void> {
  // The first one starts the built-in runner.
  await through(ours.target);
  const seconds = await through(ours.target);
  add({
    name: `${requests} requests through a merge train, instant pipelines`,
    ours: { p50: seconds * 1000 },
    goal: { text: `< ${goalSeconds} s`, met: seconds < goalSeconds },
    note: 'jobs of the built-in runner',
  });
}
