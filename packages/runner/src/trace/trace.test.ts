/** When a log is sent: what the job says at once, what the runner says with it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JobPayload } from '../protocol.ts';
import { createMasker } from './masker.ts';
import { createTrace } from './trace.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('lines of the runner wait for output of the job, and not for long', async () => {
  const sent: string[] = [];
  const trace = createTrace({
    client: {
      patchTrace: async (_job, start, chunk) => {
        sent.push(chunk.toString());
        return { kind: 'stored', next: start + chunk.length, status: 'going', interval: undefined };
      },
    },
    job: {} as JobPayload,
    masker: createMasker([], []),
    onStatus: () => undefined,
  });
  trace.write('prepare\n', 'runner');
  await vi.advanceTimersByTimeAsync(150);
  trace.write('execute\n', 'runner');
  expect(sent).toEqual([]);
  trace.write('one\n', 'job');
  // A job that is over by then sends all that with its end.
  await vi.advanceTimersByTimeAsync(100);
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(20);
  expect(sent).toEqual(['prepare\nexecute\none\n']);
  trace.write('two\n', 'job');
  await vi.advanceTimersByTimeAsync(20);
  trace.write('clean up\n', 'runner');
  await vi.advanceTimersByTimeAsync(20);
  expect(sent.slice(1)).toEqual(['two\n']);
  await vi.advanceTimersByTimeAsync(200);
  expect(sent.slice(2)).toEqual(['clean up\n']);
  trace.write('done\n', 'runner');
  expect(await trace.rest(4)).toBe(null);
  expect(await trace.rest(5)).toMatchObject({ start: sent.join('').length, data: Buffer.from('done\n') });
  await trace.flush(() => false);
  expect(sent.slice(3)).toEqual(['done\n']);
  expect(await trace.rest(5)).toBe(null);
});
