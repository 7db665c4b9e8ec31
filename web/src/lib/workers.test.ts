/** Questions to workers that answer, that fail, and that start again. */
import { describe, expect, it, vi } from 'vitest';
import { loadedOnce, workerQuestions } from './workers.ts';

type Question = { readonly text: string };
type Answer = { readonly id: number; readonly text: string };

class FakeWorker extends EventTarget {
  readonly asked: (Question & { readonly id: number })[] = [];
  terminated = false;
  postMessage(question: Question & { readonly id: number }): void {
    this.asked.push(question);
  }
  terminate(): void {
    this.terminated = true;
  }
  answer(data: Answer): void {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }
}

function world() {
  const workers: FakeWorker[] = [];
  const ask = workerQuestions<Question, Answer>(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker as unknown as Worker;
  });
  return { workers, ask };
}

describe('questions to a worker', () => {
  it('each answer finds who asked, in any order, unless they no longer wait', () => {
    const { workers, ask } = world();
    const [first, second, third] = [vi.fn(), vi.fn(), vi.fn()];
    ask({ text: 'a' }, first);
    ask({ text: 'b' }, second)();
    ask({ text: 'c' }, third);
    for (const { id, text } of [...(workers[0]?.asked ?? [])].reverse()) workers[0]?.answer({ id, text });
    expect(workers).toHaveLength(1);
    expect(first.mock.calls).toEqual([[{ id: 1, text: 'a' }]]);
    expect(second).not.toHaveBeenCalled();
    expect(third.mock.calls).toEqual([[{ id: 3, text: 'c' }]]);
  });

  it('a worker that fails tells all who wait, once; the next question starts another one', () => {
    const { workers, ask } = world();
    const [heard, failed, gone] = [vi.fn(), vi.fn(), vi.fn()];
    ask({ text: 'a' }, heard, failed);
    ask({ text: 'b' }, heard, failed);
    ask({ text: 'c' }, heard, gone)();
    workers[0]?.dispatchEvent(new Event('error'));
    workers[0]?.dispatchEvent(new Event('error'));
    expect([failed.mock.calls.length, gone.mock.calls.length, workers[0]?.terminated]).toEqual([2, 0, true]);
    ask({ text: 'd' }, heard, failed);
    expect(workers).toHaveLength(2);
    workers[1]?.answer({ id: 4, text: 'd' });
    expect(heard.mock.calls).toEqual([[{ id: 4, text: 'd' }]]);
    expect(failed).toHaveBeenCalledTimes(2);
  });
});

describe('what is loaded once', () => {
  it('is loaded once for all who ask, and again after a failure', async () => {
    const load = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new Error('offline')).mockResolvedValue('parser');
    const parser = loadedOnce(load);
    const both = await Promise.allSettled([parser(), parser()]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await Promise.all([parser(), parser()])).toEqual(['parser', 'parser']);
    expect(load).toHaveBeenCalledTimes(2);
  });
});
