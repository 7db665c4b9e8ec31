/** Turns: so many at once, the others in order, and no more than may wait. */
import { expect, it } from 'vitest';
import { createTurns } from './turns.ts';

it('lets so many in at once, the others in their order, and refuses who would wait too long', async () => {
  const turns = createTurns({ atOnce: 2, longest: 2, refusal: () => new Error('too many') });
  const [first, second] = [await turns.enter(), await turns.enter()];
  const order: string[] = [];
  const third = turns.run(async () => void order.push('third'));
  const fourth = turns.enter().then((leave) => {
    order.push('fourth');
    return leave;
  });
  await expect(turns.enter()).rejects.toThrow('too many');
  first();
  // Leaving twice does not make room for two.
  first();
  await third;
  const leaveFourth = await fourth;
  expect(order).toEqual(['third', 'fourth']);
  const fifth = turns.run(async () => void order.push('fifth'));
  expect(order).toHaveLength(2);
  second();
  await fifth;
  leaveFourth();
  await expect(turns.run(() => Promise.reject(new Error('of the work')))).rejects.toThrow('of the work');
  expect(await turns.run(async () => order.length)).toBe(3);
});
