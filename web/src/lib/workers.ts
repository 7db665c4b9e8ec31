/** Questions to a worker: each has a number, so that answers find who asked; and what a worker loads once. */

interface Numbered {
  readonly id: number;
}

interface Asker<Answer> {
  heard(answer: Answer): void;
  failed?: (() => void) | undefined;
}

/** A worker that starts with the first question, and how to ask it. After a failure the next question starts another one. */
export function workerQuestions<Question extends object, Answer extends Numbered>(start: () => Worker) {
  let worker: Worker | undefined;
  let last = 0;
  const waiting = new Map<number, Asker<Answer>>();

  function started(): Worker {
    const each = start();
    each.addEventListener('message', (event: MessageEvent<Answer>) => {
      waiting.get(event.data.id)?.heard(event.data);
      waiting.delete(event.data.id);
    });
    // Its script did not arrive, or has an error that nobody caught: it answers no more.
    each.addEventListener('error', () => {
      if (worker !== each) return;
      worker = undefined;
      each.terminate();
      const askers = [...waiting.values()];
      waiting.clear();
      for (const { failed } of askers) failed?.();
    });
    return each;
  }

  /** One of `heard` and `failed` is called unless the function that is returned was called before. */
  return function ask(question: Question, heard: (answer: Answer) => void, failed?: () => void): () => void {
    worker ??= started();
    last += 1;
    const id = last;
    waiting.set(id, { heard, failed });
    worker.postMessage({ ...question, id });
    return () => void waiting.delete(id);
  };
}

/** Loads something when it is first asked for, once; after a failure whoever asks next tries again. */
export function loadedOnce<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    if (loading) return loading;
    const current = load();
    loading = current;
    current.catch(() => {
      loading = undefined;
    });
    return current;
  };
}
