/** Settings of maintenance, of repositories and of the instance: what is seen before they are changed, and after. */
import { maintenanceDue } from '../src/features/repository/index.ts';
import { transaction } from '../src/kernel/db/index.ts';
import type { World } from './ci.ts';
import { buildProject, unique } from './factories.ts';
import { queuedFor } from './queue.queries.ts';

export function maintenanceEffects(world: () => World) {
  /** Whether a write asks for maintenance, so many writes after the last one. */
  const asked = (writes: number) => async () => {
    const { app, owner } = world();
    const { id } = await buildProject(app, { owner: owner.user });
    const at = { refs_generation: 100 + writes, maintained_generation: 100 };
    const undone = new Error('nothing is kept');
    let found = false;
    await transaction(app.db, async (tx) => {
      await maintenanceDue(tx, app.settings, id, at, 'api');
      found = (await queuedFor(tx, `repository.maintain:${id}`)) !== null;
      throw undone;
    }).catch((error: unknown) => {
      if (error !== undone) throw error;
    });
    return found;
  };
  const refusal = 'You cannot perform write operations on a read-only instance';
  const newProject = async () => {
    const { app, owner } = world();
    return await app.api<{ message?: unknown }>('POST', '/projects', {
      token: owner.token,
      json: { name: unique('made') },
    });
  };
  return {
    maintenance_mode: {
      value: true,
      look: async () => [(await newProject()).status, (await world().app.api('GET', '/projects')).status],
      before: [201, 200],
      after: [503, 200],
    },
    maintenance_mode_message: {
      value: 'Back at noon.',
      look: async () => {
        const { settings } = world().app;
        await settings.write({ maintenance_mode: true });
        const { message } = (await newProject()).body;
        await settings.write({ maintenance_mode: false });
        return message;
      },
      before: refusal,
      after: `${refusal}: Back at noon.`,
    },
    housekeeping_enabled: { value: false, look: asked(50), before: true, after: false },
    housekeeping_optimize_repository_period: { value: 20, look: asked(15), before: true, after: false },
  };
}
