/** git's default order of the commits behind a head, kept as far as it was asked for: pages deep in a history are cut from it. */
import { type Repo, sharedWork } from '../context.ts';
import { keepLoading } from '../lru.ts';
import { gitText } from '../process/run.ts';
import { isSha, type Sha } from '../types.ts';

/** Further down each window is walked for: so much of one head is 4 MB. */
const MOST_COMMITS = 200_000;
const LEAST_COMMITS = 4096;

interface Order {
  /** Ids one after the other, without spaces between them. */
  readonly ids: Buffer;
  /** Bytes of an id. */
  readonly width: number;
  readonly count: number;
  /** There are no more commits behind the last one. */
  readonly whole: boolean;
}

interface Kept {
  readonly loading: Promise<Order>;
}

async function read(repo: Repo, from: readonly Sha[], firstParent: boolean, count: number): Promise<Order> {
  const flags = firstParent ? ['--first-parent'] : [];
  const text = await gitText(repo, ['rev-list', `--max-count=${count}`, ...flags, ...from, '--'], { work: 'heavy' });
  const shas = text.split('\n').filter(isSha);
  return {
    ids: Buffer.from(shas.join(''), 'hex'),
    width: (from[0]?.length ?? 0) / 2,
    count: shas.length,
    whole: shas.length < count,
  };
}

/** The order as far as `end`; of many who look at one history the first starts git, the others wait for it. */
async function orderTo(repo: Repo, from: readonly Sha[], firstParent: boolean, end: number): Promise<Order> {
  const { cache } = repo.git;
  const key = `order${repo.key}:${firstParent ? 1 : 0}:${from.join(',')}`;
  const known = cache.get(key) as Kept | undefined;
  if (known) {
    const order = await known.loading;
    if (order.whole || order.count >= end) return order;
    // Somebody else who waited for it reads on already.
    if (cache.get(key) !== known) return await orderTo(repo, from, firstParent, end);
  }
  const count = Math.min(MOST_COMMITS, Math.max(LEAST_COMMITS, 2 * end));
  const loading = read(sharedWork(repo), from, firstParent, count);
  const entry: Kept = { loading };
  keepLoading(cache, key, entry, ({ ids }) => ids.length + 2 * key.length);
  return await loading;
}

/**
 * A window of `git rev-list FROM...`: `end - skip` ids at most. Null when it lies deeper than is kept. Costs one walk of
 * twice the depth at most, once for all windows up to there.
 */
export async function keptWindow(
  repo: Repo,
  from: readonly Sha[],
  firstParent: boolean,
  skip: number,
  end: number,
): Promise<Sha[] | null> {
  if (end > MOST_COMMITS) return null;
  const { ids, width, count } = await orderTo(repo, from, firstParent, end);
  const window: Sha[] = [];
  for (let at = skip; at < Math.min(end, count); at += 1)
    window.push(ids.toString('hex', at * width, (at + 1) * width) as Sha);
  return window;
}
