/** Switches: parts of the product that an administrator turns on and off; kept and told like the application settings. */
import { hash } from 'node:crypto';
import { type AuditOrigin, instanceEntity, recordAudit } from '../audit/index.ts';
import { type Db, transaction } from '../db/index.ts';
import { type ChangeFeed, kept } from '../settings/index.ts';
import { type SwitchName, switchDefinitions } from './definitions.ts';
import { deleteGate, type Gate, type NamedGate, readGates, switchesChannel, writeGate } from './switches.queries.ts';

export { isSwitch, type SwitchName, switchDefinitions } from './definitions.ts';
export type { Gate, NamedGate } from './switches.queries.ts';

export interface Switches {
  /** Whether it is on for an actor, such as `Project:5`: percentages of actors always choose the same ones. */
  enabled(name: SwitchName, actor: string): Promise<boolean>;
  /** What administrators set, by name. */
  gates(): Promise<readonly NamedGate[]>;
  /** Also of a name that no part of the product has: it changes nothing. */
  set(name: string, changes: Partial<Gate>, origin: AuditOrigin): Promise<NamedGate>;
  /** Back to the default. */
  reset(name: string, origin: AuditOrigin): Promise<void>;
}

/** 0 to 99, evenly spread and always the same for the same words. */
const bucketOf = (name: string, actor: string) =>
  Number.parseInt(hash('sha1', `${name}:${actor}`, 'hex').slice(0, 8), 16) % 100;

const eventOf = (event: string, name: string, details: object, origin: AuditOrigin) => ({
  ...origin,
  entity: instanceEntity,
  event,
  details: { change: name, ...details },
  target: { type: 'FeatureFlag', id: null, details: name },
});

/** One per process. `random` answers 0 to 1, for percentages of time. */
export function createSwitches(db: Db, changes: ChangeFeed, random: () => number = Math.random): Switches {
  const cache = kept(
    changes,
    switchesChannel,
    async () => new Map((await readGates(db)).map((gate) => [gate.name, gate])),
  );
  return {
    enabled: async (name, actor) => {
      const gate = (await cache.read()).get(name);
      if (!gate) return switchDefinitions[name].defaultEnabled;
      if (gate.enabled) return true;
      if (gate.percentage_of_time !== null && random() * 100 < gate.percentage_of_time) return true;
      return gate.percentage_of_actors !== null && bucketOf(name, actor) < gate.percentage_of_actors;
    },
    gates: async () => [...(await cache.read()).values()],
    set: async (name, gate, origin) => {
      const row = await transaction(db, async (tx) => {
        const { name: _, ...to } = await writeGate(tx, name, gate);
        await recordAudit(tx, eventOf('feature_flag_updated', name, { to }, origin));
        return { name, ...to };
      });
      cache.forget();
      return row;
    },
    reset: async (name, origin) => {
      await transaction(db, async (tx) => {
        if (await deleteGate(tx, name)) await recordAudit(tx, eventOf('feature_flag_reset', name, {}, origin));
      });
      cache.forget();
    },
  };
}
