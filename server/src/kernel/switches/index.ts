/** Switches: parts of the product that an administrator turns on and off; kept and told like the application settings. */
import { hash } from 'node:crypto';
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
  set(name: SwitchName, changes: Partial<Gate>): Promise<NamedGate>;
  /** Back to the default. */
  reset(name: string): Promise<void>;
}

/** 0 to 99, evenly spread and always the same for the same words. */
const bucketOf = (name: string, actor: string) =>
  Number.parseInt(hash('sha1', `${name}:${actor}`, 'hex').slice(0, 8), 16) % 100;

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
    set: async (name, gate) => {
      const row = await transaction(db, (tx) => writeGate(tx, name, gate));
      cache.forget();
      return row;
    },
    reset: async (name) => {
      await transaction(db, (tx) => deleteGate(tx, name));
      cache.forget();
    },
  };
}
