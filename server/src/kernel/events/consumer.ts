/** Consumers of facts, and what they share while one fact is delivered. */
import { type Acting, type ActingLoaders, actingAs } from '../authz/acting.ts';
import { Level } from '../authz/levels.ts';
import type { ProjectSubject } from '../authz/subjects.ts';
import type { User } from '../db/rows.ts';
import type { Fact, FactDefinition, StoredFact } from './fact.ts';

/** One delivery of one fact. What its consumers load of the same thing is loaded once. */
export interface FactDelivery {
  /** Aborted when the consumer's time is over or the process stops. */
  readonly signal: AbortSignal;
  user(id: number): Promise<User | null>;
  /** A project for nobody in particular: without a role. */
  project(id: number): Promise<ProjectSubject | null>;
  /**
   * Loaded once for all facts that are delivered together. For what was so when they were recorded if it is so now: that
   * nobody listens, for example.
   */
  once<T>(key: string, load: () => Promise<T>): Promise<T>;
  /** The user and the project; null when either is gone or the user is not active. */
  actingAs(userId: number, projectId: number): Promise<Acting | null>;
}

interface FactHandler {
  readonly kinds: readonly string[];
  /** Where it has nothing to do for some of them, as their payloads say: it does not get those. */
  wants?(fact: StoredFact): boolean;
  handle(fact: StoredFact, delivery: FactDelivery): Promise<void>;
  /** Where several that are delivered together are handled at once; they are of one kind. */
  handleMany?(facts: readonly StoredFact[], delivery: FactDelivery): Promise<void>;
}

export interface FactConsumer {
  /** Stable: retries that wait in the queue find the consumer by it. */
  readonly name: string;
  /** Somebody waits for what it does: it has a short head start over the other consumers of the same facts. */
  readonly prompt?: boolean;
  /** At most one for each kind. */
  readonly handlers: readonly FactHandler[];
}

/** A handler of facts of the given definitions, or of those of them that it `wants`. */
export const on = <const D extends FactDefinition>(
  facts: D | readonly D[],
  handle: (fact: Fact<D>, delivery: FactDelivery) => Promise<void>,
  wants?: (fact: Fact<D>) => boolean,
): FactHandler => ({
  ...(wants ? { wants: wants as NonNullable<FactHandler['wants']> } : {}),
  kinds: (Array.isArray(facts) ? (facts as readonly D[]) : [facts as D]).map(({ kind }) => kind),
  handle: handle as FactHandler['handle'],
});

/** The same for what is done for several facts at once. */
export const onMany = <const D extends FactDefinition>(
  facts: D | readonly D[],
  handleMany: (facts: readonly Fact<D>[], delivery: FactDelivery) => Promise<void>,
): FactHandler => ({
  ...on(facts, (fact, delivery) => handleMany([fact], delivery)),
  handleMany: handleMany as NonNullable<FactHandler['handleMany']>,
});

/** What a delivery loads with. */
export type DeliveryLoaders = ActingLoaders;

/** Remembers what was loaded; not what failed, which is tried again. */
function memoised<K, V>(load: (key: K) => Promise<V>): (key: K) => Promise<V> {
  const known = new Map<K, Promise<V>>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const loading = load(key);
    known.set(key, loading);
    loading.catch(() => known.delete(key));
    return loading;
  };
}

/** What is loaded once for facts that are delivered together. */
export type SharedLoads = Map<string, Promise<unknown>>;

/** What the consumers of one fact share; each gets it with a signal of its own. */
export function deliveryOf(
  fact: StoredFact,
  loaders: DeliveryLoaders,
  shared: SharedLoads = new Map(),
): Omit<FactDelivery, 'signal'> {
  const user = memoised(loaders.user);
  const projectsOf = memoised(async (userId: number | null) =>
    memoised((projectId: number) => loaders.project(projectId, userId)),
  );
  const project = async (projectId: number, userId: number | null) => (await projectsOf(userId))(projectId);
  return {
    user,
    once: <T>(key: string, load: () => Promise<T>) => {
      const loading = (shared.get(key) as Promise<T> | undefined) ?? load();
      shared.set(key, loading);
      loading.catch(() => shared.delete(key));
      return loading;
    },
    project: async (id) => {
      // Loaded as whoever caused the fact, as most consumers need it; the role is theirs and stays out.
      const found = await project(id, fact.actor_id);
      if (!found) return null;
      const { parts: _parts, ...place } = found;
      return { ...place, level: Level.none };
    },
    actingAs: (userId, projectId) => actingAs({ user, project }, userId, projectId),
  };
}
