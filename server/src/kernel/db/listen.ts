/**
 * The process's own session: notifications of other processes and locks that last as long as it. Caches bypass
 * themselves while it is lost, because changes made elsewhere do not arrive.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { lockKey } from './locks.ts';
import { clientConfig, type DatabaseAddress } from './pool.ts';

export interface Listener {
  /** False while notifications do not arrive. */
  readonly connected: boolean;
  /** Calls back with the payload of every notification on the channel; answers how to stop. */
  on(channel: string, callback: (payload: string) => void): () => void;
  onLost(callback: () => void): void;
  onRestored(callback: () => void): void;
  /** Resolves when every channel asked for so far is listened to. */
  ready(): Promise<void>;
  /** Takes a lock if it is free, keeps it, and takes it again after a lost connection. */
  hold(...name: ReadonlyArray<string | number>): Promise<boolean>;
  /** Takes a lock if it is free, until `unlock` or the connection ends. Not re-entrant. */
  tryLock(...name: ReadonlyArray<string | number>): Promise<boolean>;
  unlock(...name: ReadonlyArray<string | number>): Promise<void>;
  stop(): Promise<void>;
}

export interface ListenerOptions {
  readonly address: DatabaseAddress;
  readonly log: { info(details: object, message: string): void; warn(details: object, message: string): void };
  /** Milliseconds between checks that the session still answers; default 15,000. */
  readonly checkInterval?: number;
}

const quoted = (channel: string) => `"${channel.replaceAll('"', '""')}"`;
const tryLock = 'select pg_try_advisory_lock($1::bigint) as free';
const longestDelay = 2000;
const answerTimeout = 5000;

/** Connects; fails if the first connection does. Later losses are repaired in the background. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { log } = options;
  const channels = new Map<string, Set<(payload: string) => void>>();
  const lost: Array<() => void> = [];
  const restored: Array<() => void> = [];
  const held = new Set<string>();
  /** Of those, what the session before may still have: PostgreSQL notices a vanished peer late. */
  const missing = new Set<string>();
  let client: pg.Client | undefined;
  let stopped = false;
  /** The last command: a connection takes one at a time. */
  let last: Promise<unknown> = Promise.resolve();

  /** Sends a command on the current connection after those before it; undefined while there is none. */
  function send<R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R | undefined> {
    const result = last.then(async () => {
      if (!client) return undefined;
      const { rows } = await client.query<R>(text, values);
      return rows[0];
    });
    last = result.catch(() => undefined);
    return result;
  }

  async function open(): Promise<void> {
    const next = new pg.Client(clientConfig(options.address));
    let failed = false;
    const fail = (error: Error | undefined) => {
      if (failed) return;
      failed = true;
      if (client === next) disconnected(error);
    };
    next.on('error', fail);
    next.on('end', () => fail(undefined));
    next.on('notification', ({ channel, payload }) => {
      for (const callback of channels.get(channel) ?? []) callback(payload ?? '');
    });
    try {
      await next.connect();
      for (const key of held) await hold(next, key);
      // A map's iteration meets what is added on the way.
      for (const channel of channels.keys()) await next.query(`listen ${quoted(channel)}`);
      if (failed) throw new Error('the connection ended');
    } catch (error) {
      next.end().catch(() => undefined);
      throw error;
    }
    client = next;
  }

  function disconnected(error: Error | undefined): void {
    client = undefined;
    // A command without an answer must not hold up those of the next connection.
    last = Promise.resolve();
    if (stopped) return;
    log.warn({ err: error }, 'lost the connection for notifications');
    for (const callback of lost) callback();
    void reconnect();
  }

  async function reconnect(): Promise<void> {
    for (let delay = 20; !stopped; delay = Math.min(delay * 2, longestDelay)) {
      try {
        await open();
        break;
      } catch (error) {
        if (delay === longestDelay) log.warn({ err: error }, 'still no connection for notifications');
        await sleep(delay, undefined, { ref: false });
      }
    }
    if (stopped) {
      await client?.end();
      return;
    }
    log.info({}, 'notifications arrive again');
    for (const callback of restored) callback();
    await takeMissing();
  }

  async function hold(connection: pg.Client, key: string): Promise<void> {
    const { rows } = await connection.query<{ free: boolean }>(tryLock, [key]);
    if (rows[0]?.free) missing.delete(key);
    else missing.add(key);
  }

  const take = async (key: string) => (await send<{ free: boolean }>(tryLock, [key]))?.free === true;

  async function takeMissing(): Promise<void> {
    for (let delay = 20; missing.size > 0 && client && !stopped; delay = Math.min(delay * 2, longestDelay)) {
      await sleep(delay, undefined, { ref: false });
      for (const key of missing) if (await take(key).catch(() => false)) missing.delete(key);
    }
  }

  async function check(): Promise<void> {
    const current = client;
    if (!current) return;
    const answered = await Promise.race([
      send('select 1').then(
        () => true,
        () => true,
      ),
      sleep(answerTimeout, false, { ref: false }),
    ]);
    // A peer that vanished without a word leaves a connection that looks open.
    if (!answered && client === current) {
      disconnected(new Error(`no answer within ${answerTimeout} ms`));
      current.end().catch(() => undefined);
    }
  }

  await open();
  const timer = setInterval(() => void check(), options.checkInterval ?? 15_000);
  timer.unref();

  return {
    get connected() {
      return client !== undefined;
    },
    on: (channel, callback) => {
      let callbacks = channels.get(channel);
      if (!callbacks) {
        callbacks = new Set();
        channels.set(channel, callbacks);
        // A failure ends the connection, and the next one listens to everything.
        send(`listen ${quoted(channel)}`).catch(() => undefined);
      }
      callbacks.add(callback);
      return () => {
        channels.get(channel)?.delete(callback);
      };
    },
    onLost: (callback) => {
      lost.push(callback);
    },
    onRestored: (callback) => {
      restored.push(callback);
    },
    ready: async () => {
      await last;
    },
    hold: async (...name) => {
      const key = lockKey(...name);
      if (!(await take(key))) return false;
      held.add(key);
      return true;
    },
    tryLock: (...name) => take(lockKey(...name)),
    unlock: async (...name) => {
      const key = lockKey(...name);
      held.delete(key);
      missing.delete(key);
      await send('select pg_advisory_unlock($1::bigint)', [key]);
    },
    stop: async () => {
      stopped = true;
      clearInterval(timer);
      await Promise.race([last, sleep(answerTimeout / 5, undefined, { ref: false })]);
      const current = client;
      client = undefined;
      await current?.end();
    },
  };
}
