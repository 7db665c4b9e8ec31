/** What the settings of pushes do: looked at before and after each is changed. */
import { randomBytes } from 'node:crypto';
import type { AccountEffect } from './account-effects.ts';
import type { World } from './ci.ts';
import { gitClient } from './git.ts';

const megabyte = 1024 ** 2;
const noise = () => randomBytes(megabyte + megabyte / 4).toString('latin1');

/** `world` is asked when a case runs. */
export function pushEffects(world: () => World): Readonly<Record<string, AccountEffect>> {
  /** How git ends that pushes a little more than a megabyte. */
  const pushed = async () => {
    const { app, owner } = world();
    const { path } = await world().project();
    const git = await gitClient();
    try {
      await git.run(['init', '-q', 'work']);
      await git.commit('work', 'large.bin', noise());
      const remote = new URL(`${app.url}/${path}.git`);
      [remote.username, remote.password] = ['git', owner.token];
      return (await git.try(['push', '-q', remote.href, 'HEAD:refs/heads/large'], 'work')).code;
    } finally {
      await git.close();
    }
  };
  /** What becomes of a commit with a token in it. */
  const leaked = async () => {
    const { app, owner } = world();
    const { id } = await world().project();
    const call = async (method: 'PUT' | 'POST', path: string, json: object) =>
      (await app.api(method, `/projects/${id}${path}`, { token: owner.token, json })).status;
    await call('PUT', '/security_settings', { secret_push_protection_enabled: true });
    const actions = [{ action: 'create', file_path: 'leak', content: `npm_${'a1'.repeat(18)}` }];
    return await call('POST', '/repository/commits', {
      branch: 'leak',
      start_branch: 'main',
      commit_message: 'x',
      actions,
    });
  };
  /** How many branches the newest entry of the activity is of; null for one that names its branch. */
  const told = async () => {
    const { app, owner } = world();
    const project = await world().project();
    await project.commit(null, { files: { 'told.txt': 'x' } });
    await app.delivery.drain();
    type Event = { readonly push_data: { readonly ref_count: number | null } };
    const asked = { token: owner.token, query: { action: 'pushed' } };
    return (await app.api<Event[]>('GET', `/projects/${project.id}/events`, asked)).body[0]?.push_data.ref_count;
  };
  return {
    push_event_activities_limit: { value: 0, look: told, before: null, after: 1 },
    secret_push_protection_available: { value: true, look: leaked, before: 201, after: 400 },
    receive_max_input_size: { value: 1, look: pushed, before: 0, after: 1 },
    repository_size_limit: { value: 1, look: pushed, before: 0, after: 1 },
  };
}
