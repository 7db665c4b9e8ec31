/** When schedules run: time zones of both naming systems, and days on which the clock changes. */
import { describe, expect, it } from 'vitest';
import { timeZone } from './time-zones.ts';
import { nextRunOf, timingProblems } from './timing.ts';

const runs = (cron: string, cron_timezone: string, from: string, count: number): string[] => {
  const found: string[] = [];
  for (let at: Date | null = new Date(from); found.length < count; ) {
    at = nextRunOf({ cron, cron_timezone }, at);
    if (at === null) break;
    found.push(at.toISOString().slice(0, 16));
  }
  return found;
};

describe('time zones of schedules', () => {
  it('have names of IANA and of Rails', () => {
    expect(timeZone('UTC')).toBe('UTC');
    expect(timeZone('America/Los_Angeles')).toBe('America/Los_Angeles');
    expect(timeZone('Pacific Time (US & Canada)')).toBe('America/Los_Angeles');
    expect(timeZone("Nuku'alofa")).toBe('Pacific/Tongatapu');
    expect(timeZone('St. Petersburg')).toBe('Europe/Moscow');
    for (const name of ['', 'Europe/Atlantis', '+02:00', 'Paris ', '../etc']) expect(timeZone(name)).toBeNull();
  });
  it('of both names are the same time', () => {
    const from = '2030-01-01T00:00:00Z';
    expect(runs('0 1 * * *', 'Tokyo', from, 2)).toEqual(runs('0 1 * * *', 'Asia/Tokyo', from, 2));
    expect(runs('0 1 * * *', 'Tokyo', from, 1)).toEqual(['2030-01-01T16:00']);
  });
});

describe('the next run', () => {
  it('that would be in the hour that is left out comes right after it, once', () => {
    expect(runs('30 2 * * *', 'Berlin', '2030-03-30T12:00:00Z', 2)).toEqual(['2030-03-31T01:00', '2030-04-01T00:30']);
  });
  it('in the hour that there is twice comes once; every half hour comes in both', () => {
    expect(runs('30 2 * * *', 'Berlin', '2030-10-26T12:00:00Z', 2)).toEqual(['2030-10-27T00:30', '2030-10-28T01:30']);
    expect(runs('*/30 * * * *', 'Berlin', '2030-10-27T00:00:00Z', 4)).toEqual([
      '2030-10-27T00:30',
      '2030-10-27T01:00',
      '2030-10-27T01:30',
      '2030-10-27T02:00',
    ]);
  });
  it('knows nicknames, names of days and months, lists and ranges', () => {
    expect(runs('@daily', 'UTC', '2030-01-01T05:00:00Z', 1)).toEqual(['2030-01-02T00:00']);
    expect(runs('15 8-9 * JAN MON,fri', 'UTC', '2030-01-01T00:00:00Z', 3)).toEqual([
      '2030-01-04T08:15',
      '2030-01-04T09:15',
      '2030-01-07T08:15',
    ]);
    expect(runs('0 0 29 2 *', 'UTC', '2030-01-01T00:00:00Z', 1)).toEqual(['2032-02-29T00:00']);
  });
  it('of what is not valid does not exist', () => {
    const invalid = { cron: [' is invalid syntax'] };
    for (const cron of ['* * * *', '* * * * * *', '61 * * * *', 'x', '0 0 30 2 *', '* * * * * UTC'])
      expect(timingProblems({ cron, cron_timezone: 'UTC' })).toEqual(invalid);
    expect(timingProblems({ cron: '* * * * *', cron_timezone: 'Mars' })).toEqual({
      cron_timezone: [' is invalid syntax'],
    });
    expect(timingProblems({ cron: '*/5 * * * *', cron_timezone: 'Mexico City' })).toEqual({});
  });
});
