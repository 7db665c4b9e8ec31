/** The load generator: N connections, each with one request at a time, for some seconds; and repeated single measurements. */
import { Agent, request } from 'node:http';

export interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Load {
  /** Answers per second. */
  readonly rate: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly count: number;
}

/** The value below which the share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** One request; resolves with the status and the body once all of it is here. */
export function send(
  base: URL,
  token: string,
  { method = 'GET', path, body, headers = {} }: Ask,
  agent?: Agent,
): Promise<{ status: number; body: Buffer }> {
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: base.hostname,
        port: base.port,
        method,
        path,
        ...(agent ? { agent } : {}),
        headers: {
          ...headers,
          ...(token ? { 'PRIVATE-TOKEN': token } : {}),
          ...(payload ? { 'Content-Type': 'application/json', 'Content-Length': payload.length } : {}),
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
        response.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(payload);
  });
}

/** Asks `paths` in turn. Fails when an answer is no success: the figures of errors are worth nothing. */
export async function load(
  url: string,
  token: string,
  asks: readonly Ask[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<Load> {
  const base = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const times: number[] = [];
  let next = 0;
  const one = async () => {
    const ask = asks[next++ % asks.length];
    if (!ask) throw new Error('nothing to ask');
    const begin = performance.now();
    const { status, body } = await send(base, token, ask, agent);
    if (status >= 300)
      throw new Error(`${ask.method ?? 'GET'} ${ask.path}: ${status} ${body.toString().slice(0, 300)}`);
    return performance.now() - begin;
  };
  const lane = async (end: number, into: number[]) => {
    while (performance.now() < end) into.push(await one());
  };
  // Code is compiled and caches fill in the first part, as in a server that has been up for more than a minute.
  const lanes = Array.from({ length: connections }, () => 0);
  await Promise.all(lanes.map(() => lane(performance.now() + seconds * 250, [])));
  const begin = performance.now();
  await Promise.all(lanes.map(() => lane(begin + seconds * 1000, times)));
  const elapsed = (performance.now() - begin) / 1000;
  agent.destroy();
  return {
    rate: times.length / elapsed,
    p50: quantile(times, 0.5),
    p95: quantile(times, 0.95),
    p99: quantile(times, 0.99),
    count: times.length,
  };
}

/** Sends each request once, over so many connections. Fails when an answer is no success. */
export async function loadCount(
  { url, token, wire }: { readonly url: string; readonly token: string; wire(ask: Ask): Ask },
  asks: readonly Ask[],
  connections: number,
): Promise<{ rate: number; p50: number; p95: number }> {
  const base = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const left = [...asks].reverse();
  const times: number[] = [];
  const lane = async () => {
    for (let ask = left.pop(); ask; ask = left.pop()) {
      const begin = performance.now();
      const { status, body } = await send(base, token, wire(ask), agent);
      if (status >= 300) throw new Error(`${ask.path}: ${status} ${body.toString().slice(0, 300)}`);
      times.push(performance.now() - begin);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: connections }, lane));
  const elapsed = (performance.now() - begin) / 1000;
  agent.destroy();
  return { rate: times.length / elapsed, p50: quantile(times, 0.5), p95: quantile(times, 0.95) };
}

/**
 * Measures contestants in turn, so that what else happens on the machine meets all of them alike. Milliseconds by name;
 * what a step does before its own clock starts is its own matter: it answers the milliseconds.
 */
export async function alternate<K extends string>(
  times: number,
  contestants: Readonly<Record<K, (round: number) => Promise<number>>>,
): Promise<Record<K, number[]>> {
  const names = Object.keys(contestants) as K[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>;
  for (let round = 0; round < times; round++)
    for (const name of names) results[name].push(await contestants[name](round));
  return results;
}

/** Milliseconds that the work takes. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
}
