/** What settings do to documents: what pages are told to draw, and what groups may say of it. */
import type { World as ContinuousWorld } from './ci.ts';
import { unique } from './factories.ts';

type World = Pick<ContinuousWorld, 'app' | 'admin'>;

export function documentEffects(world: () => World) {
  const told = (name: 'limited' | 'locked') => async () =>
    (await world().app.api<{ formulas: Record<string, unknown> }>('GET', '/instance_configuration')).body.formulas[
      name
    ];
  const newGroup = async () => {
    const { app, admin } = world();
    const name = unique('documents');
    const json = { name, path: name };
    return (await app.api<Record<string, unknown>>('POST', '/groups', { token: admin.token, json })).body;
  };
  /** Of a group that changes what it was made with. */
  const changed = async () => {
    const { app, admin } = world();
    const group = await newGroup();
    const json = { math_rendering_limits_enabled: group.math_rendering_limits_enabled !== true };
    return (await app.api('PUT', `/groups/${group.id}`, { token: admin.token, json })).status;
  };
  return {
    math_rendering_limits_enabled: {
      value: false,
      look: async () => [await told('limited')(), (await newGroup()).math_rendering_limits_enabled],
      before: [true, true],
      after: [false, false],
    },
    lock_math_rendering_limits_enabled: {
      value: true,
      look: async () => [await told('locked')(), await changed()],
      before: [false, 200],
      after: [true, 400],
    },
  };
}
