/**
 * Delivery of facts to consumers. One process at a time delivers. Each consumer gets the facts of one project in their
 * order, those of different projects side by side, and waits for no other consumer: what a branch of a large push costs one
 * of them holds up nothing that another does for the next push. Facts about the jobs of a project have an order of their own
 * beside it. A consumer that handles several facts of a kind at once gets those that wait together. What people wait for
 * goes first: prompt consumers have a head start over the others, which would take the same processor and database.
 *
 * A consumer that fails gets the fact again by a job of its own, with back-off, and holds nobody up. Delivery is at least
 * once: after a crash a fact may come again, with the same id. A process that stops notes who has what is not done.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import Type from 'typebox';
import { type Db, type Listener, transaction } from '../db/index.ts';
import { addJob, type CronItem, defineTask, type Task } from '../queue/index.ts';
import { type DeliveryLoaders, deliveryOf, type FactConsumer, type SharedLoads } from './consumer.ts';
import type { StoredFact } from './fact.ts';
import {
  factById,
  markDelivered,
  markDeliveredTo,
  type OpenFact,
  openFacts,
  removeDelivered,
} from './facts.queries.ts';
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
  /** Facts that are held while consumers are busy with them; default 5,000. The others wait in their table. */
  readonly mostHeld?: number;
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
/**
 * Milliseconds between looks for facts while each look finds some: those of several transactions are then read, handled and
 * marked together. Who comes first does not wait.
 */
const pace = 8;
const keepDays = 30;
const lockName = 'facts-delivery';

/** Facts of one lane are delivered in order. */
const laneOf = ({ kind, project_id: project, namespace_id: namespace }: StoredFact) =>
  project === null ? `namespace:${namespace ?? 0}` : `project:${project}${kind.startsWith('job.') ? ':jobs' : ''}`;

const mostTogether = 50;
/** Milliseconds that prompt consumers are ahead of the others, at most. */
const headStart = 50;
/** Milliseconds that consumers share what was loaded for a fact: some come to it later than others. */
const sharedFor = 1000;

/** A fact on its way. */
interface Entry {
  readonly fact: StoredFact;
  readonly loads: ReturnType<typeof sharedLoads>;
  /** Who still waits for it. */
  readonly left: Set<FactConsumer>;
  /** Who failed, and gets it again. */
  readonly failed: FactConsumer[];
}

/** What is loaded once for the facts of a lane that one read found. */
function sharedLoads(loaders: DeliveryLoaders) {
  let since = performance.now();
  let shared: SharedLoads = new Map();
  let ofFacts = new Map<number, ReturnType<typeof deliveryOf>>();
  return (fact: StoredFact) => {
    if (performance.now() - since > sharedFor) {
      since = performance.now();
      shared = new Map();
      ofFacts = new Map();
    }
    const delivery = ofFacts.get(fact.id) ?? deliveryOf(fact, loaders, shared);
    ofFacts.set(fact.id, delivery);
    return delivery;
  };
}

/** Takes the first facts that wait for a consumer, as many as it handles at once. */
function takeGroup(consumer: FactConsumer, waiting: Entry[]): Entry[] {
  const kind = waiting[0]?.fact.kind ?? '';
  if (!handlerOf(consumer, kind)?.handleMany) return waiting.splice(0, 1);
  const end = waiting.findIndex(({ fact }, at) => at === mostTogether || fact.kind !== kind);
  return waiting.splice(0, end === -1 ? waiting.length : end);
}

const promptFirst = (one: FactConsumer, other: FactConsumer) => Number(other.prompt ?? 0) - Number(one.prompt ?? 0);

/** Until those ahead are done, or have had their time. */
async function headStartOf(ahead: readonly Promise<void>[]): Promise<void> {
  const over = new AbortController();
  const time = sleep(headStart, undefined, { ref: false, signal: over.signal }).catch(() => undefined);
  await Promise.race([Promise.all(ahead), time]);
  over.abort();
}

const handlerOf = (consumer: FactConsumer, kind: string) => consumer.handlers.find(({ kinds }) => kinds.includes(kind));

function isWanted(consumer: FactConsumer, fact: StoredFact): boolean {
  const handler = handlerOf(consumer, fact.kind);
  return handler !== undefined && (handler.wants?.(fact) ?? true);
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
  const { db, listener, consumers, loaders, log, timeout = 30_000, mostHeld = 5000 } = options;
  const byName = new Map(consumers.map((consumer) => [consumer.name, consumer]));
  if (byName.size !== consumers.length) throw new Error('two consumers of facts have the same name');
  for (const { name, handlers } of consumers) {
    const kinds = handlers.flatMap((handler) => handler.kinds);
    if (new Set(kinds).size !== kinds.length) throw new Error(`${name} handles a kind of fact twice`);
  }
  const stopping = new AbortController();
  let draining: Promise<void> | undefined;
  let again = false;
  /** Resolved by a wake-up: new facts are looked for although a slow consumer still runs. */
  let woken = Promise.withResolvers<void>();
  /** Resolved for somebody who waits for all that there is. */
  let hurried = Promise.withResolvers<void>();
  /** When the last look found something. */
  let found = Number.NEGATIVE_INFINITY;
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

  /** Gives a consumer facts of one kind, in their order. */
  async function offerTo(consumer: FactConsumer, group: readonly Entry[]): Promise<void> {
    const [first] = group;
    const handler = first && handlerOf(consumer, first.fact.kind);
    if (!handler) return;
    const handled = async (entries: readonly Entry[], handle: (signal: AbortSignal) => Promise<void>) => {
      const signal = AbortSignal.any([stopping.signal, AbortSignal.timeout(timeout)]);
      try {
        await within(handle(signal), signal);
      } catch (error) {
        if (stopping.signal.aborted) throw error;
        for (const { fact, failed } of entries) {
          log.error({ err: error, consumer: consumer.name, fact: fact.id, kind: fact.kind }, 'consumer failed');
          failed.push(consumer);
        }
      }
    };
    const { handleMany } = handler;
    if (handleMany && group.length > 1)
      await handled(group, (signal) =>
        handleMany(
          group.map(({ fact }) => fact),
          { ...first.loads(first.fact), signal },
        ),
      );
    else
      for (const entry of group)
        await handled([entry], (signal) => handler.handle(entry.fact, { ...entry.loads(entry.fact), signal }));
  }

  /** Until it is time for another look. */
  async function paced(): Promise<void> {
    const left = pace - (performance.now() - found);
    if (left <= 0) return;
    const over = new AbortController();
    await Promise.race([sleep(left, undefined, { signal: over.signal }).catch(() => undefined), hurried.promise]);
    over.abort();
  }

  /** Marks facts that nobody waits for any more; whoever failed gets them again. */
  async function finish(entries: readonly Entry[]): Promise<void> {
    const ids = entries.map(({ fact }) => fact.id);
    const failures = entries.flatMap(({ fact, failed }) =>
      failed.map(({ name }) => ({ fact: fact.id, consumer: name })),
    );
    if (failures.length === 0) return await markDelivered(db, ids);
    await transaction(db, async (tx) => {
      await markDelivered(tx, ids);
      const runAt = new Date(Date.now() + 1000);
      for (const each of failures) await addJob(tx, retry, each, { runAt });
    });
  }

  /** Who waits for a fact. */
  function entryOf({ fact, deliveredTo }: OpenFact, loads: Entry['loads']): Entry {
    const left = consumers.filter((consumer) => isWanted(consumer, fact) && !deliveredTo.has(consumer.name));
    return { fact, loads, left: new Set(left), failed: [] };
  }

  /** Delivers until nothing is open, reading on while slow consumers are still busy. */
  async function deliverOpen(): Promise<void> {
    /** What waits for a consumer, by its name and the lane. */
    const queues = new Map<string, { readonly waiting: Entry[]; readonly done: Promise<void> }>();
    const taken = new Map<number, Entry>();
    let delivered: number[] = [];
    let finished: Entry[] = [];
    let marking: Promise<void> | undefined;
    let failure: unknown;
    // Consumers go on while their last facts are marked: what is delivered meanwhile is marked together.
    const mark = async () => {
      try {
        while (finished.length > 0) {
          const entries = finished;
          finished = [];
          await finish(entries);
          delivered.push(...entries.map(({ fact }) => fact.id));
          // There is room for others again.
          if (taken.size >= mostHeld) woken.resolve();
        }
      } catch (error) {
        failure ??= error;
      } finally {
        marking = undefined;
      }
    };
    const done = (entry: Entry) => {
      finished.push(entry);
      marking ??= mark();
    };
    const work = async (name: string, consumer: FactConsumer, waiting: Entry[], ahead: readonly Promise<void>[]) => {
      // What the same read found for it is there before its first group is taken.
      await (ahead.length === 0 ? Promise.resolve() : headStartOf(ahead));
      try {
        while (waiting.length > 0 && !stopping.signal.aborted && !failure) {
          const group = takeGroup(consumer, waiting);
          await offerTo(consumer, group);
          for (const entry of group) {
            entry.left.delete(consumer);
            if (entry.left.size === 0) done(entry);
          }
        }
      } catch (error) {
        failure ??= error;
      } finally {
        queues.delete(name);
      }
    };
    const queue = (entry: Entry, lane: string) => {
      taken.set(entry.fact.id, entry);
      const ahead: Promise<void>[] = [];
      for (const consumer of [...entry.left].sort(promptFirst)) {
        const name = `${consumer.name} ${lane}`;
        const known = queues.get(name);
        const waiting = [entry];
        const done = known?.done ?? work(name, consumer, waiting, consumer.prompt ? [] : ahead);
        if (known) known.waiting.push(entry);
        else queues.set(name, { waiting, done });
        if (consumer.prompt) ahead.push(done);
      }
      if (entry.left.size === 0) done(entry);
    };
    for (;;) {
      await paced();
      woken = Promise.withResolvers<void>();
      const known = delivered;
      delivered = [];
      const stopped = stopping.signal.aborted || failure !== undefined;
      // A consumer that is slow must not have us hold all that the others are done with.
      const room = Math.min(batch, mostHeld - (taken.size - known.length));
      const full = !stopped && room <= 0;
      const fresh = stopped || full ? [] : await openFacts(db, room, taken.keys());
      // Only now: what was delivered while the query ran may still look open in its answer.
      for (const id of known) taken.delete(id);
      if (fresh.length > 0) found = performance.now();
      const lanes = new Map<string, Entry['loads']>();
      for (const each of fresh) {
        const lane = laneOf(each.fact);
        const loads = lanes.get(lane) ?? sharedLoads(loaders);
        lanes.set(lane, loads);
        queue(entryOf(each, loads), lane);
      }
      if (queues.size === 0 && fresh.length === 0 && !full) break;
      // Another look is for what is new, for the rest of a full batch, and for the end.
      const queuesDone = [...queues.values()].map(({ done }) => done);
      const idle = Promise.all(queuesDone).then(() => marking);
      await Promise.race([woken.promise, idle, ...(fresh.length === room ? queuesDone : [])]);
    }
    await marking;
    await leave([...taken.values()]);
    if (failure && !stopping.signal.aborted) throw failure;
  }

  /** Notes who has what is not done: it is left to whoever delivers next. */
  async function leave(entries: readonly Entry[]): Promise<void> {
    const partly = entries.flatMap(({ fact, left, failed }) => {
      if (left.size === 0) return [];
      const have = consumers.filter(
        (consumer) => handlerOf(consumer, fact.kind) && !left.has(consumer) && !failed.includes(consumer),
      );
      return have.length === 0 ? [] : [{ id: fact.id, consumers: have.map(({ name }) => name) }];
    });
    await markDeliveredTo(db, partly);
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
        if (!stopping.signal.aborted) hurried = Promise.withResolvers<void>();
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
    drain: () => {
      hurried.resolve();
      return wake();
    },
    stop: async () => {
      clearInterval(timer);
      stopping.abort(new Error('the process stops'));
      hurried.resolve();
      woken.resolve();
      await draining;
    },
  };
}
