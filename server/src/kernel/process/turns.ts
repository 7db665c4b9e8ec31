/** Work that not everybody may do at the same time: so many at once, the others in the order in which they came. */

export interface Turns {
  /** Resolves with how to leave when it is one's turn; rejects at once where too many wait. */
  enter(): Promise<() => void>;
  /** Does work in its turn. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** `longest` may wait; the next one gets the error that `refusal` makes. */
export function createTurns(options: {
  readonly atOnce: number;
  readonly longest: number;
  readonly refusal: () => Error;
}): Turns {
  let running = 0;
  const waiting: Array<() => void> = [];

  async function enter(): Promise<() => void> {
    if (running < options.atOnce) running += 1;
    else {
      if (waiting.length >= options.longest) throw options.refusal();
      // Whoever leaves hands the place on.
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    };
  }

  return {
    enter,
    async run(work) {
      const leave = await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
