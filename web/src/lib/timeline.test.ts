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

it('says once that commits were pushed: with its versions, which can be compared', () => {
  const body = 'added 1 commit\n\n<ul><li>0123abcd - Fix</li></ul>\n\n[Compare with previous version](/a/b)';
  const said = (system: boolean) => ({ id: 'pushed', notes: [{ created_at: at(1), system, body }] }) as Discussion;
  const version = { kind: 'version', at: at(1) } as TimelineEvent;
  const kinds = (threads: Discussion[], events: TimelineEvent[]) =>
    inOrder(threads, events, false).map(({ kind }) => kind);
  expect(kinds([said(true)], [version])).toEqual(['version']);
  expect(kinds([said(true)], [])).toEqual(['thread']);
  expect(kinds([said(false)], [version])).toEqual(['thread', 'version']);
});
