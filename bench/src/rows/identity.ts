/** What knowing the caller costs, and what many passwords at once do to everybody else. */
import { Agent } from 'node:http';
import type { Context } from '../context.ts';
import { load, quantile, send } from '../load.ts';
import { rootPassword } from '../process.ts';

const flood = 50;
const goalMilliseconds = 30;

const signIn = { method: 'POST', path: '/-/session', body: { login: 'root', password: rootPassword } };

/** Milliseconds of reads with a token, one after the other, until `done` says so. */
async function readsUntil(base: URL, token: string, done: () => boolean): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  while (!done()) {
    const begin = performance.now();
    await send(base, token, { path: '/api/v4/version' }, agent);
    times.push(performance.now() - begin);
  }
  agent.destroy();
  return times;
}

export async function identity({ ours, connections, seconds, add }: Context): Promise<void> {
  const { target } = ours;
  const base = new URL(target.url);
  const { id } = await target.call<{ id: number }>('GET', '/user');
  const asks = [{ path: `/api/v4/users/${id}/status` }];
  const anonymous = await load(target.url, '', asks, { connections, seconds });
  const signedIn = await load(target.url, target.token, asks, { connections, seconds });
  add({
    name: 'trivial read with a token, against the same without',
    ours: { rate: signedIn.rate, p50: signedIn.p50, p95: signedIn.p95 },
    native: { rate: anonymous.rate, p50: anonymous.p50, p95: anonymous.p95 },
    goal: { text: '>= 0.85 x', met: signedIn.rate >= 0.85 * anonymous.rate },
    note: 'native: anonymous',
  });

  const quietUntil = performance.now() + 2000;
  const quiet = await readsUntil(base, target.token, () => performance.now() > quietUntil);
  // So many at once for one account are what the lock after failures is made against.
  await target.call('PUT', '/application/settings', { max_login_attempts: 1_000_000, user_sign_in_limit: 0 });
  const agent = new Agent({ keepAlive: true, maxSockets: flood });
  let running = true;
  const signedInTimes: number[] = [];
  const lanes = Array.from({ length: flood }, async () => {
    const until = performance.now() + seconds * 1000;
    while (performance.now() < until) {
      const begin = performance.now();
      const { status } = await send(base, '', signIn, agent);
      if (status !== 201 && status !== 503) throw new Error(`signing in answered ${status}`);
      signedInTimes.push(performance.now() - begin);
    }
  });
  const all = Promise.all(lanes).finally(() => {
    running = false;
  });
  const busy = await readsUntil(base, target.token, () => !running);
  await all;
  agent.destroy();
  const p99 = quantile(busy, 0.99);
  add({
    name: `read with a token while ${flood} people sign in with passwords`,
    ours: { p50: quantile(busy, 0.5), p95: quantile(busy, 0.95) },
    native: { p50: quantile(quiet, 0.5), p95: quantile(quiet, 0.95) },
    goal: { text: `p99 < ${goalMilliseconds} ms`, met: p99 < goalMilliseconds },
    note: `p99 ${p99.toFixed(1)} ms, quiet ${quantile(quiet, 0.99).toFixed(1)} ms (native: quiet); ${signedInTimes.length} sign-ins, p50 ${quantile(signedInTimes, 0.5).toFixed(0)} ms`,
  });
}
