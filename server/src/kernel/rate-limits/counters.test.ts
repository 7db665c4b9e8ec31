/** Counting in slices: exact alone, bounded together, cheap, and never in the way. */
import { describe, expect, it } from 'vitest';
import { addressUnit } from './address.ts';
import { type Count, createCounters, type Lease } from './counters.ts';

const silent = { warn: () => undefined, info: () => undefined };

/** What PostgreSQL does, in a map; counts how often it is asked. */
function ledger() {
  const taken = new Map<string, number>();
  const state = { asked: 0, broken: false };
  const lease: Lease = async ({ name, subject, endsAt, limit, used, slice }) => {
    state.asked += 1;
    if (state.broken) throw new Error('connection refused');
    const key = `${name} ${subject} ${endsAt.getTime()}`;
    const before = (taken.get(key) ?? 0) + used;
    const granted = Math.max(0, Math.min(slice, limit - before));
    taken.set(key, before + granted);
    return { taken: before + granted, granted };
  };
  return { lease, state, taken };
}

const minute = 1_800_000_000_000;

async function allowedOf(times: number, take: () => Count | Promise<Count>): Promise<number> {
  let allowed = 0;
  for (let index = 0; index < times; index += 1) if ((await take()).allowed) allowed += 1;
  return allowed;
}

describe('one process', () => {
  it.each([1, 5, 19, 20, 99, 100, 1000])(
    '[1/limits.other-limits/7] lets exactly %i requests through',
    async (limit) => {
      const { lease } = ledger();
      const counters = createCounters({ lease, log: silent, now: () => minute });
      expect(await allowedOf(limit + 50, () => counters.take('a', 's', limit, 60))).toBe(limit);
    },
  );

  it('counts concurrent requests as it counts others', async () => {
    for (const limit of [7, 100]) {
      const { lease } = ledger();
      const counters = createCounters({ lease, log: silent, now: () => minute });
      const counts = await Promise.all(Array.from({ length: 300 }, () => counters.take('a', 's', limit, 60)));
      expect(counts.filter((count) => count.allowed)).toHaveLength(limit);
    }
  });

  it('tells where the caller stands, and begins again with the next window', async () => {
    const { lease } = ledger();
    const clock = { now: minute + 15_000 };
    const counters = createCounters({ lease, log: silent, now: () => clock.now });
    const count = () => counters.take('a', 's', 30, 60);
    expect(await count()).toEqual({
      allowed: true,
      limit: 30,
      seconds: 60,
      observed: 1,
      resetAt: minute / 1000 + 60,
      retryAfter: 45,
    });
    for (let index = 2; index <= 30; index += 1)
      expect(await count()).toMatchObject({ allowed: true, observed: index });
    expect(await count()).toMatchObject({ allowed: false, observed: 31 });
    expect(await count()).toMatchObject({ allowed: false, observed: 32, retryAfter: 45 });
    clock.now = minute + 59_999;
    expect(await count()).toMatchObject({ allowed: false, retryAfter: 1 });
    clock.now = minute + 60_000;
    expect(await count()).toMatchObject({ allowed: true, observed: 1 });
  });

  it('takes a changed limit at once, up and down', async () => {
    const { lease } = ledger();
    const counters = createCounters({ lease, log: silent, now: () => minute });
    expect(await allowedOf(40, () => counters.take('a', 's', 30, 60))).toBe(30);
    expect(await allowedOf(40, () => counters.take('a', 's', 50, 60))).toBe(20);
    expect(await allowedOf(40, () => counters.take('a', 's', 5, 60))).toBe(0);
  });

  it('asks nobody inside a slice, and once per slice after the first', async () => {
    const { lease, state } = ledger();
    const counters = createCounters({ lease, log: silent, now: () => minute });
    for (let index = 0; index < 100; index += 1) {
      // Not even a promise: the answer is there.
      expect(counters.take('a', 's', 1000, 60)).toMatchObject({ allowed: true });
    }
    expect(state.asked).toBe(0);
    await allowedOf(900, () => counters.take('a', 's', 1000, 60));
    expect(state.asked).toBe(9);
    await allowedOf(500, () => counters.take('a', 's', 1000, 60));
    // Once more to hear that it is used up, never again for refusals.
    expect(state.asked).toBe(10);
  });
});

describe('several processes', () => {
  it.each([
    [10, 2],
    [19, 3],
    [20, 2],
    [100, 2],
    [300, 3],
  ])('limit %i over %i processes stays within the limit and one slice each', async (limit, processes) => {
    const { lease } = ledger();
    const all = Array.from({ length: processes }, () => createCounters({ lease, log: silent, now: () => minute }));
    let allowed = 0;
    for (let index = 0; index < limit * 3; index += 1) {
      const counters = all[index % processes] as (typeof all)[number];
      if ((await counters.take('a', 's', limit, 60)).allowed) allowed += 1;
    }
    const slice = Math.max(10, Math.floor(limit / 10));
    if (limit < 20) expect(allowed).toBe(limit);
    else {
      expect(allowed).toBeGreaterThanOrEqual(limit - (processes - 1) * slice);
      expect(allowed).toBeLessThanOrEqual(limit + processes * slice);
    }
  });
});

describe('bounds', () => {
  it('[1/limits.other-limits/7] 100,000 addresses hold no more than the largest number of windows', async () => {
    const { lease, state } = ledger();
    const counters = createCounters({ lease, log: silent, largest: 50_000, now: () => minute });
    for (let index = 0; index < 100_000; index += 1)
      await counters.take(
        'throttle_unauthenticated_api',
        `address:10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
        3600,
        3600,
      );
    expect(counters.size()).toBeLessThanOrEqual(50_000);
    expect(state.asked).toBe(0);
    // Who is in use stays: the flood does not wash away what it must count.
    const limited = () => counters.take('throttle_unauthenticated_api', 'address:192.0.2.1', 20, 3600);
    await allowedOf(20, limited);
    for (let index = 0; index < 100_000; index += 1) {
      await counters.take(
        'throttle_unauthenticated_api',
        `address:11.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
        3600,
        3600,
      );
      if (index % 10_000 === 0) expect((await limited()).allowed).toBe(false);
    }
  });

  it('keeps subjects of any length short where they are stored', async () => {
    const { lease, taken } = ledger();
    const counters = createCounters({ lease, log: silent, now: () => minute });
    await counters.take('raw_blob', 'x'.repeat(5000), 5, 60);
    await counters.take('raw_blob', `${'x'.repeat(4999)}y`, 5, 60);
    expect([...taken.values()]).toEqual([1, 1]);
    for (const key of taken.keys()) expect(key.length).toBeLessThan(150);
  });

  it('lets requests pass while leases fail, says so once, and counts again afterwards', async () => {
    const { lease, state } = ledger();
    const clock = { now: minute };
    const said: string[] = [];
    const log = {
      warn: (_: object, text: string) => said.push(text),
      info: (_: object, text: string) => said.push(text),
    };
    const counters = createCounters({ lease, log, now: () => clock.now });
    state.broken = true;
    expect(await allowedOf(200, () => counters.take('a', 's', 5, 60))).toBe(200);
    expect(await allowedOf(200, () => counters.take('b', 's', 100, 60))).toBe(200);
    expect(state.asked).toBe(1);
    expect(said).toHaveLength(1);
    clock.now += 1001;
    state.broken = false;
    expect(await allowedOf(10, () => counters.take('a', 's', 5, 60))).toBe(5);
    expect(said).toHaveLength(2);
  });

  it('does not wait for a lease that does not come', async () => {
    const counters = createCounters({ lease: () => new Promise(() => undefined), log: silent });
    expect(await counters.take('a', 's', 5, 3600)).toMatchObject({ allowed: true });
  });
});

it('addresses count by themselves, IPv6 by its /64', () => {
  expect(addressUnit('192.0.2.7')).toBe('192.0.2.7');
  expect(addressUnit('::ffff:192.0.2.7')).toBe('192.0.2.7');
  expect(addressUnit('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64');
  expect(addressUnit('2001:0db8:0001:0002::9')).toBe('2001:db8:1:2::/64');
  expect(addressUnit('2001:db8::1')).toBe('2001:db8:0:0::/64');
  expect(addressUnit('::1')).toBe('0:0:0:0::/64');
  expect(addressUnit('fe80::1%eth0')).toBe('fe80:0:0:0::/64');
});
