/** What every group of rows gets. */
import type { Repository } from './data.ts';
import { type Ask, alternate, load, quantile, send } from './load.ts';
import { bytesServer } from './native.ts';
import type { Figure, Row } from './report.ts';
import type { Project, Target } from './target.ts';

export interface Loaded {
  readonly target: Target;
  /** Holds the generated repository. */
  readonly project: Project;
}

export interface Context {
  /** A directory for whatever a row needs. */
  readonly directory: string;
  readonly repository: Repository;
  readonly ours: Loaded;
  readonly peer: Loaded | null;
  readonly connections: number;
  readonly seconds: number;
  /** How many issues are made before lists of them are measured. */
  readonly issues: number;
  add(row: Row): void;
  /** Of our processes now (PSS). */
  megabytes(): number;
}

/** p50 and p95 of milliseconds. */
export const spread = (times: readonly number[]): Figure => ({ p50: quantile(times, 0.5), p95: quantile(times, 0.95) });

async function both(
  context: Context,
  { url, token, wire }: Pick<Target, 'url' | 'token' | 'wire'>,
  asks: readonly Ask[],
): Promise<Figure> {
  const sent = asks.map(wire);
  const many = await load(url, token, sent, context);
  const single = await load(url, token, sent, { connections: 1, seconds: context.seconds / 2 });
  return { rate: many.rate, p50: single.p50, p95: single.p95 };
}

/** A row of reads: rate at several connections, latency at one; the limit sends the first answer's bytes. */
export async function readRow(
  context: Context,
  name: string,
  asksOf: (loaded: Loaded) => readonly Ask[] | Promise<readonly Ask[]>,
  goal?: { readonly text: string; met(figure: Figure): boolean },
): Promise<void> {
  const { ours, peer } = context;
  const asks = await asksOf(ours);
  const [first] = asks;
  if (!first) throw new Error(`${name}: nothing to ask`);
  const figure = await both(context, ours.target, asks);
  const answer = await send(new URL(ours.target.url), ours.target.token, first);
  const limit = await bytesServer(answer.body);
  const native = await both(
    { ...context, seconds: context.seconds / 2 },
    { url: limit.url, token: '', wire: (ask) => ask },
    [{ path: '/' }],
  );
  await limit.close();
  context.add({
    name,
    ours: figure,
    native,
    ...(peer ? { peer: await both(context, peer.target, await asksOf(peer)) } : {}),
    ...(goal ? { goal: { text: goal.text, met: goal.met(figure) } } : {}),
  });
}

/** The goal of a time that is at most so many times the machine's limit. */
export const within = (factor: number) => (ours: Figure, native: Figure | undefined) => ({
  text: `<= ${factor} x native`,
  met: (ours.p50 ?? 0) <= factor * (native?.p50 ?? 0),
});

/** A row of single measurements, the contestants in turn. Each answers milliseconds. */
export async function timeRow(
  context: Context,
  name: string,
  times: number,
  measure: (loaded: Loaded, round: number) => Promise<number>,
  native?: (round: number) => Promise<number>,
  more: { readonly note?: string; readonly goal?: (ours: Figure, native: Figure | undefined) => Row['goal'] } = {},
): Promise<void> {
  const { ours, peer } = context;
  const results = await alternate(times, {
    ours: (round) => measure(ours, round),
    ...(native ? { native } : {}),
    ...(peer ? { peer: (round: number) => measure(peer, round) } : {}),
  } as Record<'ours' | 'native' | 'peer', (round: number) => Promise<number>>);
  const figure = spread(results.ours);
  const limit = native ? spread(results.native) : undefined;
  const goal = more.goal?.(figure, limit);
  context.add({
    name,
    ours: figure,
    ...(limit ? { native: limit } : {}),
    ...(peer ? { peer: spread(results.peer) } : {}),
    ...(goal ? { goal } : {}),
    ...(more.note ? { note: more.note } : {}),
  });
}
