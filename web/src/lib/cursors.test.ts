/** From which cursor a page has to hear of changes, by when its data was read. */
import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { expect, it, vi } from 'vitest';
import { cursorOf, followReads, latestCursor, noteCursor } from './cursors.ts';

function cache(): QueryClient {
  const client = new QueryClient();
  followReads(client.getQueryCache());
  return client;
}
const read = (client: QueryClient, key: string, answer: () => Promise<unknown> = async () => key) =>
  client.fetchQuery({ queryKey: ['project', key], queryFn: answer });

it('data that was read before any cursor was known may have missed anything', async () => {
  const client = cache();
  expect([latestCursor(), cursorOf(client, [['project']])]).toEqual([null, null]);
  await read(client, 'early');
  noteCursor('a.1');
  expect(cursorOf(client, [['project']])).toBeNull();
  expect(cursorOf(client, [['other']])).toEqual(latestCursor());
});

it('the oldest read counts, by what was known before it began', async () => {
  const client = cache();
  noteCursor('a.2');
  const slow = Promise.withResolvers<string>();
  const reading = read(client, 'slow', () => slow.promise);
  noteCursor('a.3');
  await read(client, 'quick', async () => {
    // Its own answer brings a cursor, from after the beginning of the read.
    noteCursor('a.4');
    return 'quick';
  });
  expect(cursorOf(client, [['project', 'quick']])).toMatchObject({ text: 'a.3' });
  expect(cursorOf(client, [['project']])).toMatchObject({ text: 'a.2' });
  slow.resolve('slow');
  await reading;
  expect(cursorOf(client, [['project']])).toMatchObject({ text: 'a.2' });
});

it('a failed read has its time too: what was missing then may exist now', async () => {
  const client = cache();
  noteCursor('c.1');
  const queryFn = () => Promise.reject(new Error('404'));
  const shown = new QueryObserver(client, { queryKey: ['project', 'none'], queryFn, retry: false });
  const leave = shown.subscribe(() => undefined);
  await expect.poll(() => shown.getCurrentResult().status).toBe('error');
  noteCursor('c.2');
  expect(cursorOf(client, [['project']])).toMatchObject({ text: 'c.1' });
  leave();
});

it('what nobody shows and what will be read again before it is shown does not count', async () => {
  const client = cache();
  noteCursor('b.1');
  await read(client, 'left');
  noteCursor('b.2');
  expect(cursorOf(client, [['project']])).toMatchObject({ text: 'b.1' });
  vi.setSystemTime(Date.now() + 10_000);
  expect(cursorOf(client, [['project']])).toMatchObject({ text: 'b.2' });
  vi.useRealTimers();
});
