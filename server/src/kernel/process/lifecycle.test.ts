/** Order and bounds of stopping. */
import { expect, it } from 'vitest';
import { createLifecycle } from './lifecycle.ts';

const quiet = () => undefined;

it('stops what started last first, once, and goes on after a part that fails', async () => {
  const errors: object[] = [];
  const lifecycle = createLifecycle({ debug: quiet, info: quiet, error: (details) => void errors.push(details) });
  const order: string[] = [];
  lifecycle.signal.addEventListener('abort', () => order.push('let go'));
  for (const name of ['postgres', 'database', 'http']) {
    lifecycle.onStop(name, async () => {
      order.push(`${name}, current ${lifecycle.current}`);
      if (name === 'database') throw new Error('no');
    });
  }
  expect(lifecycle.stopping).toBe(false);
  await Promise.all([lifecycle.stop(), lifecycle.stop()]);
  expect(order).toEqual(['let go', 'http, current http', 'database, current database', 'postgres, current postgres']);
  expect(errors).toMatchObject([{ part: 'database' }]);
  expect([lifecycle.stopping, lifecycle.current]).toEqual([true, null]);
});
