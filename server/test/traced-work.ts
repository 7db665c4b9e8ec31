/** What some work asks of the database and of git: every statement that is sent, every process that is started. */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import pg from 'pg';

export interface TracedWork<T> {
  readonly result: T;
  /** Texts of the statements, `begin` and `commit` among them. */
  readonly statements: readonly string[];
  /** How often statements were sent: those that are written to one connection together count once. */
  readonly trips: number;
  /** Arguments of the processes. */
  readonly processes: readonly (readonly string[])[];
}

/** What the listener for notifications sends from time to time. */
const keepAlive = 'select 1';

/** Runs `work` and records what this process does meanwhile: nothing else may run beside it. */
export async function tracedWork<T>(work: () => Promise<T>): Promise<TracedWork<T>> {
  const statements: string[] = [];
  const writing = new Set<pg.Client>();
  let trips = 0;
  const children: ChildProcess[] = [];
  const { query } = pg.Client.prototype;
  const started = (message: unknown) => {
    // It knows its arguments only a moment later.
    children.push((message as { process: ChildProcess }).process);
  };
  pg.Client.prototype.query = function traced(this: pg.Client, ...given: unknown[]) {
    const [first] = given;
    const text = typeof first === 'string' ? first : String((first as { text?: unknown }).text);
    if (text !== keepAlive) {
      statements.push(text);
      if (!writing.has(this)) {
        trips += 1;
        writing.add(this);
        setImmediate(() => writing.delete(this));
      }
    }
    return Reflect.apply(query, this, given);
  } as typeof query;
  subscribe('child_process', started);
  try {
    const result = await work();
    return { result, statements, trips, processes: children.map(({ spawnargs }) => spawnargs) };
  } finally {
    unsubscribe('child_process', started);
    pg.Client.prototype.query = query;
  }
}
