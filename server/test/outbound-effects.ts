/** What settings do to requests from the instance to others: what is seen before they are changed, and after. */
import { createOutbound, type OutboundKind } from '../src/kernel/outbound/index.ts';
import type { World } from './ci.ts';
import { buildGroup, buildProject } from './factories.ts';

export function outboundEffects(world: () => World) {
  const newHook = (url: string) => async () => {
    const { app, owner } = world();
    const { id } = await buildProject(app, { owner: owner.user });
    return (await app.api('POST', `/projects/${id}/hooks`, { token: owner.token, json: { url } })).status;
  };

  /** Sends a request to this instance under a name of it, which another resolver says is somewhere else. */
  const outbound = (kind: OutboundKind, addresses: readonly string[]) => async () => {
    const { app } = world();
    const { send } = createOutbound({ settings: app.settings, resolve: async () => addresses });
    const answer = await send({ url: `http://localhost:${new URL(app.url).port}/-/liveness`, kind });
    return answer.ok ? answer.status : answer.reason;
  };

  /** What a stranger gets of a group that is kept to other networks than theirs. */
  const keptOut = async () => {
    const { app } = world();
    const { id } = await buildGroup(app, { visibility: 'public' });
    await app.db.updateTable('namespaces').set({ ip_restriction_ranges: '10.0.0.0/8' }).where('id', '=', id).execute();
    return (await app.api('GET', `/groups/${id}`)).status;
  };

  return {
    globally_allowed_ips: { value: '192.0.2.0/24, 127.0.0.0/8, ::1', look: keptOut, before: 404, after: 200 },
    silent_mode_enabled: {
      value: true,
      look: outbound('system_hook', ['127.0.0.1']),
      before: 200,
      after: 'silent',
    },
    allow_local_requests_from_web_hooks_and_services: {
      value: true,
      look: newHook('http://10.0.0.1/'),
      before: 422,
      after: 201,
    },
    outbound_local_requests_whitelist: {
      value: ['10.0.0.0/24'],
      look: newHook('http://10.0.0.1/'),
      before: 422,
      after: 201,
    },
    deny_all_requests_except_allowed: {
      value: true,
      look: newHook('https://hooks.example.com/'),
      before: 201,
      after: 422,
    },
    allow_local_requests_from_system_hooks: {
      value: false,
      look: outbound('system_hook', ['127.0.0.1']),
      before: 200,
      after: 'refused',
    },
    dns_rebinding_protection_enabled: {
      value: false,
      look: outbound('system_hook', ['127.0.0.2']),
      before: 'connection',
      after: 200,
    },
    push_event_hooks_limit: {
      value: 0,
      look: async () => {
        const { app } = world();
        const project = await world().project();
        // What was pushed before there was a hook is not its matter.
        await app.delivery.drain();
        const hook = { project_id: project.id, url: 'http://127.0.0.1:9/', events: ['push_events'] };
        const { id } = await app.db.insertInto('web_hooks').values(hook).returning('id').executeTakeFirstOrThrow();
        await project.commit(null, { files: { 'told.txt': 'x' } });
        await app.delivery.drain();
        return (await app.db.selectFrom('web_hook_calls').select('id').where('hook_id', '=', id).execute()).length;
      },
      before: 1,
      after: 0,
    },
  };
}
