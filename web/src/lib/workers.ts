/** Questions to a worker: each has a number, so that answers find who asked. */

interface Numbered {
  readonly id: number;
}

/** A worker that starts with the first question, and how to ask it. */
export function workerQuestions<Question extends object, Answer extends Numbered>(start: () => Worker) {
  let worker: Worker | undefined;
  let last = 0;
  const waiting = new Map<number, (answer: Answer) => void>();

  /** `heard` is called with the answer unless the function that is returned was called before. */
  return function ask(question: Question, heard: (answer: Answer) => void): () => void {
    if (!worker) {
      worker = start();
      worker.addEventListener('message', (event: MessageEvent<Answer>) => {
        waiting.get(event.data.id)?.(event.data);
        waiting.delete(event.data.id);
      });
    }
    last += 1;
    const id = last;
    waiting.set(id, heard);
    worker.postMessage({ ...question, id });
    return () => void waiting.delete(id);
  };
}
