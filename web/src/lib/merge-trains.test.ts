/** What the page of a merge train says of its entries. */
import { expect, it } from 'vitest';
import { type TrainEntry, typicalSeconds, waitsFor } from './merge-trains.ts';

const entry = (values: Partial<TrainEntry>): TrainEntry =>
  ({ status: 'fresh', pipeline: null, duration: null, merge_request: { iid: 1 }, ...values }) as TrainEntry;

it('says what an entry waits for', () => {
  const piped = entry({ pipeline: { id: 1 } as TrainEntry['pipeline'] });
  expect(waitsFor(piped, undefined)).toBe('Waiting for its pipeline');
  expect(waitsFor(entry({}), undefined)).toBe('Next to be merged');
  expect(waitsFor(piped, entry({}))).toBe('Waiting for !1');
  expect(waitsFor(entry({ status: 'idle' }), entry({}))).toBe('Waiting for a free place');
  expect(waitsFor(entry({ status: 'stale' }), undefined)).toMatch(/rebuilt/);
  expect(waitsFor(entry({ status: 'merging' }), undefined)).toBe('Merging');
});

it('estimates by the middle one of the last merges', () => {
  const took = (...seconds: number[]) => seconds.map((duration) => entry({ status: 'merged', duration }));
  expect(typicalSeconds(took(10, 300, 60))).toBe(60);
  expect(typicalSeconds([entry({ status: 'skip_merged', duration: 0 })])).toBeNull();
});
