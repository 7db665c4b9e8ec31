/** The order of the timeline of a merge request. */
import { expect, it } from 'vitest';
import type { Discussion } from './comments.ts';
import { inOrder, type TimelineEvent } from './timeline.ts';

const at = (minute: number) => `2026-01-01T00:0${minute}:00.000Z`;
const thread = (minute: number) => ({ id: `t${minute}`, notes: [{ created_at: at(minute) }] }) as Discussion;
const event = (minute: number) => ({ kind: 'state', at: at(minute) }) as TimelineEvent;

it('is by time, and keeps events back that come after threads that are not loaded', () => {
  const threads = [thread(1), thread(4)];
  const events = [event(6), event(2), event(0)];
  const times = (more: boolean) => inOrder(threads, events, more).map((item) => item.at);
  expect(times(false)).toEqual([0, 1, 2, 4, 6].map(at));
  expect(times(true)).toEqual([0, 1, 2, 4].map(at));
});
