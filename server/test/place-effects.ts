/** What settings do to members, addresses, integrations, pushes and exports of places: before and after each is changed. */

import { Level } from '../src/kernel/authz/levels.ts';
import type { AccountEffect } from './account-effects.ts';
import type { World } from './ci.ts';
import { buildMember, buildProject, buildToken, buildUser, unique } from './factories.ts';

/** `world` is asked when a case runs. */
export function placeEffects(world: () => World): Readonly<Record<string, AccountEffect>> {
  const project = () => buildProject(world().app, { owner: world().owner.user });
  const call = (method: 'GET' | 'POST' | 'PUT', path: string, json?: object) =>
    world().app.api<Record<string, unknown>>(method, path, { token: world().owner.token, ...(json ? { json } : {}) });

  const invited = async () => {
    const { id } = await project();
    const user = await buildUser(world().app);
    return (await call('POST', `/projects/${id}/members`, { user_id: user.id, access_level: 30 })).status;
  };
  /** Where a project is cloned from, without what is its own. */
  const cloned = async () => {
    const { id } = await project();
    const shown = (await call('GET', `/projects/${id}`)).body;
    const addresses = (await call('GET', `/projects/${id}/git_addresses`)).body;
    const rootOf = (address: unknown) =>
      String(address).replace(`${shown.path_with_namespace}.git`, '').replace(world().app.url, 'here');
    return [rootOf(shown.http_url_to_repo), rootOf(addresses.http)];
  };
  const integrated = async () => {
    const { id } = await project();
    const answer = await call('PUT', `/projects/${id}/integrations/slack`, { webhook: 'https://hooks.example.com/x' });
    const listed = (await call('GET', `/projects/${id}/integrations`)).body as unknown as unknown[];
    return [answer.status, listed.length];
  };
  /** Of somebody without a role, of a guest, and of a developer: a project and a group of their own. */
  const created = async () => {
    const { app } = world();
    const place = await buildProject(app);
    const found: number[] = [];
    for (const level of [null, Level.guest, Level.developer]) {
      const { secret, user } = await buildToken(app);
      if (level !== null) await buildMember(app, { user, of: place, level });
      const made = (path: string) =>
        app.api('POST', `/${path}`, { token: secret, json: { name: unique('own'), path: unique('own') } });
      found.push((await made('projects')).status, (await made('groups')).status);
    }
    return found;
  };
  return {
    allow_project_creation_for_guest_and_below: {
      value: false,
      look: created,
      before: [201, 201, 201, 201, 201, 201],
      after: [403, 403, 403, 403, 201, 201],
    },
    project_export_enabled: {
      value: false,
      look: async () => (await call('POST', `/projects/${(await project()).id}/export`, {})).status,
      before: 202,
      after: 404,
    },
    keep_latest_artifact: {
      value: false,
      look: async () => (await call('GET', `/projects/${(await project()).id}`)).body.keep_latest_artifact,
      before: true,
      after: false,
    },
    disable_invite_members: { value: true, look: invited, before: 201, after: 403 },
    custom_http_clone_url_root: {
      value: 'https://git.example.com/code',
      look: cloned,
      before: ['here/', 'here/'],
      after: ['https://git.example.com/code/', 'https://git.example.com/code/'],
    },
    allow_all_integrations: { value: false, look: integrated, before: [200, 1], after: [400, 0] },
    allowed_integrations: {
      value: ['slack'],
      around: { allow_all_integrations: false },
      look: integrated,
      before: [400, 0],
      after: [200, 1],
    },
  };
}
