/**
 * Delivery of facts to consumers. One process at a time delivers; facts of one project arrive in their order, those of
 * different projects side by side. Facts about the jobs of a project have an order of their own beside it: a push does not
 * wait for the reports of hundreds of them. Of new issues and comments that follow each other, several are delivered
 * together: each consumer gets them in their order and does not wait for the others in between. A consumer that fails gets the fact again by a job of its own, with back-off,
 * and holds nobody up. Delivery is at least once: after a crash a fact may come again, with the same id.
 */
import Type from 'typebox';
import { type Db, type Listener, transaction } from '../db/index.ts';
import { addJob, type CronItem, defineTask, type Task } from '../queue/index.ts';
import { issueFacts, noteFacts } from './catalogue/index.ts';
import { type DeliveryLoaders, deliveryOf, type FactConsumer, type SharedLoads } from './consumer.ts';
import type { StoredFact } from './fact.ts';
import { factById, markDelivered, openFacts, removeDelivered } from './facts.queries.ts';
import { factsChannel } from './outbox.queries.ts';

interface DeliveryOptions {
  readonly db: Db;
  readonly listener: Listener;
  readonly consumers: readonly FactConsumer[];
  readonly loaders: DeliveryLoaders;
  readonly log: {
    debug(details: object, message: string): void;
    warn(details: object, message: string): void;
    error(details: object, message: string): void;
  };
  /** Milliseconds that a consumer has for one fact; default 30,000. */
  readonly timeout?: number;
  /** Milliseconds between looks for facts whose wake-up was missed; default 5,000. */
  readonly sweepInterval?: number;
}

export interface Delivery {
  readonly tasks: readonly Task[];
  readonly cron: readonly CronItem[];
  start(): void;
  /** Delivers what is there now and resolves when it is done, for tests and a clean stop. */
  drain(): Promise<void>;
  stop(): Promise<void>;
}

const batch = 200;
const keepDays = 30;
const lockName = 'facts-delivery';

/** Facts of one lane are delivered in order. */
const laneOf = ({ kind, project_id: project, namespace_id: namespace }: StoredFact) =>
  project === null ? `namespace:${namespace ?? 0}` : `project:${project}${kind.startsWith('job.') ? ':jobs' : ''}`;

/** What no consumer changes for another, and comes in crowds: an import, or a script that files issues. */
const grouped: ReadonlySet<string> = new Set([issueFacts.opened.kind, noteFacts.created.kind]);
const mostTogether = 50;

/** Takes the first facts of a lane, as many as are delivered together. */
function takeGroup(lane: StoredFact[]): StoredFact[] {
  const kind = lane[0]?.kind;
  if (kind === undefined || !grouped.has(kind)) return lane.splice(0, 1);
  const end = lane.findIndex((fact, at) => at === mostTogether || fact.kind !== kind);
  return lane.splice(0, end === -1 ? lane.length : end);
}

async function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Makes the delivery of one process. Its tasks belong into the queue's list. */
export function createDelivery(options: DeliveryOptions): Delivery {
  const { db, listener, consumers, loaders, log, timeout = 30_000 } = options;
  const byName = new Map(consumers.map((consumer) => [consumer.name, consumer]));
  if (byName.size !== consumers.length) throw new Error('two consumers of facts have the same name');
  for (const { name, handlers } of consumers) {
    const kinds = handlers.flatMap((handler) => handler.kinds);
    if (new Set(kinds).size !== kinds.length) throw new Error(`${name} handles a kind of fact twice`);
  }
  const handlerOf = (consumer: FactConsumer, kind: string) =>
    consumer.handlers.find(({ kinds }) => kinds.includes(kind));
  const stopping = new AbortController();
  let draining: Promise<void> | undefined;
  let again = false;
  /** Resolved by a wake-up: new facts are looked for although a slow consumer still runs. */
  let woken = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;

  const retry = defineTask(
    'facts.retry',
    Type.Object({ fact: Type.Integer(), consumer: Type.String() }),
    async ({ fact: id, consumer: name }, run) => {
      const fact = await factById(db, id);
      const consumer = byName.get(name);
      const handler = fact && consumer && handlerOf(consumer, fact.kind);
      if (handler) await handler.handle(fact, { ...deliveryOf(fact, loaders), signal: run.signal });
    },
    { maxAttempts: 20, timeout },
  );
  const sweep = defineTask('facts.sweep', Type.Object({}), async (_payload, run) => {
    const before = new Date(Date.now() - keepDays * 86_400_000);
    while (!run.signal.aborted && (await removeDelivered(db, before, 1000)) === 1000);
  });

  interface Given {
    readonly fact: StoredFact;
    readonly delivery: ReturnType<typeof deliveryOf>;
  }
  interface Failure {
    readonly fact: number;
    readonly consumer: string;
  }

  /** Gives a consumer facts of one kind, in their order; answers those that it failed for. */
  async function offerTo(consumer: FactConsumer, given: readonly Given[]): Promise<Failure[]> {
    const [first] = given;
    const handler = first && handlerOf(consumer, first.fact.kind);
    if (!handler) return [];
    const failed: Failure[] = [];
    const handled = async (facts: readonly StoredFact[], handle: (signal: AbortSignal) => Promise<void>) => {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeout)]);
      try {
        await within(handle(signal), signal);
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        for (const fact of facts) {
          log.error({ err: error, consumer: consumer.name, fact: fact.id, kind: fact.kind }, 'consumer failed');
          failed.push({ fact: fact.id, consumer: consumer.name });
        }
      }
    };
    const { handleMany } = handler;
    const facts = given.map(({ fact }) => fact);
    if (handleMany && facts.length > 1)
      await handled(facts, (signal) => handleMany(facts, { ...first.delivery, signal }));
    else
      for (const { fact, delivery } of given)
        await handled([fact], (signal) => handler.handle(fact, { ...delivery, signal }));
    return failed;
  }

  /** Offers them; the ids that are still to be marked: all, unless a consumer failed. */
  async function deliver(facts: readonly StoredFact[]): Promise<readonly number[]> {
    const shared: SharedLoads = new Map();
    const given = facts.map((fact) => ({ fact, delivery: deliveryOf(fact, loaders, shared) }));
    const failed = (await Promise.all(consumers.map((consumer) => offerTo(consumer, given)))).flat();
    const ids = facts.map(({ id }) => id);
    if (failed.length === 0) return ids;
    await transaction(db, async (tx) => {
      await markDelivered(tx, ids);
      const runAt = new Date(Date.now() + 1000);
      for (const each of failed) await addJob(tx, retry, each, { runAt });
    });
    return [];
  }

  /** Delivers until nothing is open, reading on while slow lanes are still busy. */
  async function deliverOpen(): Promise<void> {
    const lanes = new Map<string, { readonly facts: StoredFact[]; readonly done: Promise<void> }>();
    const taken = new Set<number>();
    let delivered: number[] = [];
    let unmarked: number[] = [];
    let marking: Promise<void> | undefined;
    let failure: unknown;
    // A lane goes on while its last facts are marked: what is delivered meanwhile is marked together.
    const mark = async () => {
      try {
        while (unmarked.length > 0) {
          const ids = unmarked;
          unmarked = [];
          await markDelivered(db, ids);
          delivered.push(...ids);
        }
      } catch (error) {
        failure ??= error;
      } finally {
        marking = undefined;
      }
    };
    const work = async (name: string, facts: StoredFact[]) => {
      // What the same read found for this lane is there before its first group is taken.
      await Promise.resolve();
      try {
        while (facts.length > 0 && !stopping.signal.aborted && !failure) {
          const group = takeGroup(facts);
          const ids = await deliver(group);
          unmarked.push(...ids);
          if (unmarked.length > 0) marking ??= mark();
        }
      } catch (error) {
        failure ??= error;
      } finally {
        lanes.delete(name);
      }
    };
    for (;;) {
      woken = Promise.withResolvers<void>();
      const known = delivered;
      delivered = [];
      const fresh = stopping.signal.aborted || failure ? [] : await openFacts(db, batch, taken);
      // Only now: what was delivered while the query ran may still look open in its answer.
      for (const id of known) taken.delete(id);
      for (const fact of fresh) {
        taken.add(fact.id);
        const name = laneOf(fact);
        const lane = lanes.get(name);
        if (lane) lane.facts.push(fact);
        else {
          const queued = [fact];
          lanes.set(name, { facts: queued, done: work(name, queued) });
        }
      }
      if (lanes.size === 0 && fresh.length === 0) break;
      // Another look is for what is new, for the rest of a full batch, and for the end.
      const lanesDone = [...lanes.values()].map(({ done }) => done);
      const idle = Promise.all(lanesDone).then(() => marking);
      await Promise.race([woken.promise, idle, ...(fresh.length === batch ? lanesDone : [])]);
    }
    await marking;
    if (failure && !stopping.signal.aborted) throw failure;
  }

  async function drainOnce(): Promise<void> {
    do {
      again = false;
      if (!(await listener.tryLock(lockName))) return;
      try {
        await deliverOpen();
      } finally {
        await listener.unlock(lockName).catch(() => undefined);
      }
      // A wake-up that came while we held the lock found nobody else to hear it.
    } while (again && !stopping.signal.aborted);
  }

  function wake(): Promise<void> {
    if (stopping.signal.aborted) return draining ?? Promise.resolve();
    again = true;
    woken.resolve();
    draining ??= drainOnce()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err: error }, 'delivery of facts was interrupted');
      })
      .finally(() => {
        draining = undefined;
      });
    return draining;
  }

  return {
    tasks: [retry, sweep],
    cron: [{ task: sweep.name, schedule: '17 3 * * *' }],
    start: () => {
      listener.on(factsChannel, () => void wake());
      listener.onRestored(() => void wake());
      timer = setInterval(() => void wake(), options.sweepInterval ?? 5000);
      timer.unref();
      void wake();
    },
    drain: () => wake(),
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new Error('the process stops'));
      woken.resolve();
      await draining;
    },
  };
}
