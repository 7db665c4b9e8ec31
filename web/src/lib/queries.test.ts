/** The cache of answers. */
import { QueryObserver } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { AnswerCache } from './queries.ts';

test('what changes while it is read for the first time is read again', async () => {
  const cache = new AnswerCache();
  let state = 'before';
  const answers: PromiseWithResolvers<void>[] = [];
  const observer = new QueryObserver(cache, {
    queryKey: ['comments', 1],
    queryFn: async () => {
      const seen = state;
      const answer = Promise.withResolvers<void>();
      answers.push(answer);
      await answer.promise;
      return seen;
    },
  });
  const stop = observer.subscribe(() => undefined);
  await expect.poll(() => answers.length).toBe(1);
  state = 'after';
  const done = cache.invalidateQueries({ queryKey: ['comments'] });
  answers[0]?.resolve();
  await expect.poll(() => answers.length).toBe(2);
  expect(cache.getQueryData(['comments', 1])).toBe('before');
  answers[1]?.resolve();
  await done;
  expect(cache.getQueryData(['comments', 1])).toBe('after');
  stop();
});

test('what was read is read once more, and nothing else', async () => {
  const cache = new AnswerCache();
  const reads: string[] = [];
  const stops = ['one', 'other'].map((name) =>
    new QueryObserver(cache, {
      queryKey: [name],
      queryFn: async () => {
        reads.push(name);
        return name;
      },
    }).subscribe(() => undefined),
  );
  await expect.poll(() => cache.getQueryData(['other'])).toBe('other');
  await cache.invalidateQueries({ queryKey: ['one'] });
  expect(reads).toEqual(['one', 'other', 'one']);
  for (const stop of stops) stop();
});

test('asks again as often as queries say, times what administrators set', () => {
  const cache = new AnswerCache();
  const interval = (refetchInterval: number | false | (() => number | false)) => {
    const observer = new QueryObserver(cache, { queryKey: ['paced'], queryFn: () => 1, refetchInterval });
    const { refetchInterval: found } = observer.options;
    return typeof found === 'function' ? found(observer.getCurrentQuery()) : found;
  };
  expect(interval(2_000)).toBe(2_000);
  cache.pace = 2.5;
  expect(interval(2_000)).toBe(5_000);
  expect(interval(() => 1_000)).toBe(2_500);
  expect([interval(false), interval(() => false)]).toEqual([false, false]);
  cache.pace = 0;
  expect(interval(2_000)).toBe(false);
});
