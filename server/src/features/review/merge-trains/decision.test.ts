/** The decision function of merge trains: what follows from each state of a train. */
import { describe, expect, it } from 'vitest';
import { decide, type Entry, type EntryStatus, entryStatuses, statesBefore, transitions } from './decision.ts';

const entry = (id: number, values: Partial<Entry> = {}): Entry => ({
  id,
  status: 'fresh',
  build: null,
  verdict: 'missing',
  landed: false,
  refused: false,
  ...values,
});
/** An entry whose commit is named after it. */
const built = (id: number, base: string, values: Partial<Entry> = {}): Entry =>
  entry(id, { build: { base, commit: `c${id}` }, verdict: 'running', ...values });
const on = (target: string, entries: readonly Entry[], limit = 20) => decide({ target, entries, limit });

describe('decisions of a merge train', () => {
  it('builds each entry on the one ahead, up to the limit', () => {
    expect(on('t', [entry(1, { status: 'idle' }), entry(2, { status: 'idle' })])).toEqual([
      { do: 'build', entries: [1, 2], base: 't' },
    ]);
    expect(on('t', [built(1, 't'), entry(2, { status: 'idle' }), entry(3, { status: 'idle' })], 2)).toEqual([
      { do: 'build', entries: [2], base: 'c1' },
    ]);
  });

  it('waits while pipelines run', () => {
    expect(on('t', [built(1, 't'), built(2, 'c1')])).toEqual([]);
    expect(on('t', [built(1, 't'), built(2, 'c1', { verdict: 'passed' })])).toEqual([]);
    expect(on('t', [])).toEqual([]);
  });

  it('merges the first entry when its pipeline passed, and no other', () => {
    expect(on('t', [built(1, 't', { verdict: 'passed' }), built(2, 'c1', { verdict: 'passed' })])).toEqual([
      { do: 'merge', entry: 1 },
    ]);
    // After that merge the second stands on the target: nothing is built anew.
    expect(on('c1', [built(2, 'c1', { verdict: 'passed' })])).toEqual([{ do: 'merge', entry: 2 }]);
  });

  it('drops the first entry when its pipeline failed, and what stood on it is built anew', () => {
    const train = [built(1, 't', { verdict: 'failed' }), built(2, 'c1')];
    expect(on('t', train)).toEqual([{ do: 'drop', entry: 1, why: 'failed' }]);
    expect(on('t', train.slice(1))).toEqual([{ do: 'build', entries: [2], base: 't' }]);
  });

  it('keeps a failed entry further back until what is ahead is decided, and builds the others without it', () => {
    const failed = built(2, 'c1', { verdict: 'failed' });
    expect(on('t', [built(1, 't'), failed, built(3, 'c2'), built(4, 'c3')])).toEqual([
      { do: 'build', entries: [3, 4], base: 'c1' },
    ]);
    expect(on('t', [built(1, 't'), failed, built(3, 'c1')])).toEqual([]);
    // The one ahead was merged: now the verdict counts.
    expect(on('c1', [failed, built(3, 'c1')])).toEqual([{ do: 'drop', entry: 2, why: 'failed' }]);
    // The one ahead is gone: it gets another chance.
    expect(on('t', [failed, built(3, 'c1')])).toEqual([{ do: 'build', entries: [2, 3], base: 't' }]);
  });

  it('treats what cannot be built like a failed pipeline', () => {
    const conflict = entry(2, { build: { base: 'c1', commit: null } });
    expect(on('t', [built(1, 't'), conflict, built(3, 'c1')])).toEqual([]);
    expect(on('c1', [conflict])).toEqual([{ do: 'drop', entry: 2, why: 'failed' }]);
  });

  it('builds everything anew when the target moved', () => {
    expect(on('u', [built(1, 't', { verdict: 'passed' }), built(2, 'c1')])).toEqual([
      { do: 'build', entries: [1, 2], base: 'u' },
    ]);
  });

  it('drops what is refused wherever it stands, and records what the target has already', () => {
    expect(on('t', [built(1, 't', { verdict: 'passed' }), built(2, 'c1', { refused: true })])).toEqual([
      { do: 'drop', entry: 2, why: 'refused' },
    ]);
    expect(on('c1', [built(1, 't', { landed: true, refused: true }), built(2, 'c1')])).toEqual([
      { do: 'record', entry: 1 },
    ]);
  });

  it('starts the pipeline that a worker left out, and marks what waits for a place', () => {
    expect(on('t', [built(1, 't', { verdict: 'missing' })])).toEqual([{ do: 'start', entry: 1 }]);
    expect(on('t', [built(1, 't'), built(2, 'c1')], 1)).toEqual([{ do: 'mark', entry: 2, status: 'idle' }]);
    expect(on('t', [built(1, 't', { status: 'merging' })])).toEqual([{ do: 'mark', entry: 1, status: 'fresh' }]);
  });

  it('comes to every state by the table of states, and from the last ones to none [2/states.merge-train-entry-status/4]', () => {
    const reached = new Set<string>(['idle']);
    for (const _ of entryStatuses)
      for (const from of entryStatuses)
        if (reached.has(from)) for (const to of Object.values(transitions[from])) reached.add(to);
    expect([...reached].sort()).toEqual([...entryStatuses, 'gone'].sort());
    for (const last of ['merged', 'skip_merged'] satisfies EntryStatus[]) expect(transitions[last]).toEqual({});
    expect(statesBefore('merging')).toEqual(['fresh', 'merging']);
    expect(statesBefore('fresh')).toEqual(['idle', 'stale', 'fresh', 'merging']);
  });

  it('decides about a train of fifty in below 20 ms', () => {
    const long = Array.from({ length: 50 }, (_, at) => built(at + 1, at === 0 ? 't' : `c${at}`));
    // Of the processor: how busy the machine is does not matter.
    const started = process.cpuUsage();
    for (let times = 0; times < 20; times++) on('t', long, 50);
    expect(process.cpuUsage(started).user / 1000 / 20).toBeLessThan(20);
  });
});
