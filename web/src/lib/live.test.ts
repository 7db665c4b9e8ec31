import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Since } from './cursors.ts';

const opened: string[] = [];

class Stream {
  static readonly CLOSED = 2;
  readonly readyState = 1;
  constructor(url: string) {
    opened.push(url);
  }
  addEventListener(): void {}
  close(): void {}
}

beforeEach(() => {
  opened.length = 0;
  vi.useFakeTimers();
  vi.stubGlobal('EventSource', Stream);
  vi.stubGlobal('window', globalThis);
  vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const at = (order: number): Since => ({ text: `server.${order}`, order });

test('one stream serves who comes before its first report and knows as much as it began with', async () => {
  const { subscribeTopics } = await import('./live.ts');
  const ends = [subscribeTopics(['project:1:refs'], () => undefined, at(5))];
  vi.advanceTimersByTime(60);
  ends.push(subscribeTopics(['project:1:refs'], () => undefined, at(6)));
  vi.advanceTimersByTime(60);
  expect(opened).toHaveLength(1);

  // Who knows less is told what happened before it.
  ends.push(subscribeTopics(['project:1:refs'], () => undefined, at(3)));
  vi.advanceTimersByTime(60);
  expect(opened).toHaveLength(2);
  expect(opened[1]).toContain('cursor=server.3');
  for (const end of ends) end();
  vi.advanceTimersByTime(60);
});

test('no stream is opened while a page is loading: the frame and the page share one', async () => {
  const { holdWhile, subscribeTopics } = await import('./live.ts');
  let loading = true;
  holdWhile(() => loading);
  const ends = [subscribeTopics(['user:1:work'], () => undefined, at(5))];
  vi.advanceTimersByTime(400);
  expect(opened).toHaveLength(0);

  ends.push(subscribeTopics(['project:1:merge_requests'], () => undefined, at(6)));
  loading = false;
  vi.advanceTimersByTime(60);
  expect(opened).toHaveLength(1);
  expect(decodeURIComponent(opened[0] ?? '')).toContain('topics=project:1:merge_requests,user:1:work');
  for (const end of ends) end();
  vi.advanceTimersByTime(60);
});
