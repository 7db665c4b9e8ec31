/**
 * Delivery of facts to consumers. One process at a time delivers; facts of one project arrive in their order, those of
 * different projects side by side. Facts about the jobs of a project have an order of their own beside it: a push does not
 * wait for the reports of hundreds of them. A consumer that fails gets the fact again by a job of its own, with back-off,
 * and holds nobody up. Delivery is at least once: after a crash a fact may come again, with the same id.
 */
import Type from 'typebox';
import { type Db, type Listener, transaction } from '../db/index.ts';
import { addJob, type CronItem, defineTask, type Task } from '../queue/index.ts';
import { type DeliveryLoaders, deliveryOf, type FactConsumer } from './consumer.ts';
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

  /** Names of the consumers that failed. */
  async function offer(fact: StoredFact): Promise<string[]> {
    const delivery = deliveryOf(fact, loaders);
    const failed = await Promise.all(
      consumers.map(async (consumer) => {
        const handler = handlerOf(consumer, fact.kind);
        if (!handler) return null;
        const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeout)]);
        try {
          await within(handler.handle(fact, { ...delivery, signal }), signal);
          return null;
        } catch (error) {
          if (stopping.signal.aborted) throw error;
          log.error({ err: error, consumer: consumer.name, fact: fact.id, kind: fact.kind }, 'consumer failed');
          return consumer.name;
        }
      }),
    );
    return failed.filter((name) => name !== null);
  }

  async function deliver(fact: StoredFact): Promise<void> {
    const failed = await offer(fact);
    await transaction(db, async (tx) => {
      await markDelivered(tx, fact.id);
      for (const consumer of failed) {
        const runAt = new Date(Date.now() + 1000);
        await addJob(tx, retry, { fact: fact.id, consumer }, { runAt });
      }
    });
  }

  /** Delivers until nothing is open, reading on while slow lanes are still busy. */
  async function deliverOpen(): Promise<void> {
    const lanes = new Map<string, Promise<void>>();
    const taken = new Set<number>();
    let delivered: number[] = [];
    let failure: unknown;
    for (;;) {
      woken = Promise.withResolvers<void>();
      const known = delivered;
      delivered = [];
      const facts = stopping.signal.aborted || failure ? [] : await openFacts(db, batch + taken.size);
      const fresh = facts.filter(({ id }) => !taken.has(id));
      // Only now: what was delivered while the query ran may still look open in its answer.
      for (const id of known) taken.delete(id);
      for (const fact of fresh) {
        taken.add(fact.id);
        const lane = laneOf(fact);
        const mine = (lanes.get(lane) ?? Promise.resolve())
          .then(async () => {
            if (stopping.signal.aborted || failure) return;
            await deliver(fact);
            delivered.push(fact.id);
          })
          .catch((error: unknown) => {
            failure ??= error;
          })
          .finally(() => {
            if (lanes.get(lane) === mine) lanes.delete(lane);
          });
        lanes.set(lane, mine);
      }
      if (lanes.size === 0 && fresh.length === 0) break;
      await Promise.race([...lanes.values(), woken.promise]);
    }
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
