/** Waiting for what an instance does in the background. */

export const pause = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Asks every `every` milliseconds until there is something; fails after so many seconds with what did not come. */
export async function until<T>(
  what: string,
  seconds: number,
  probe: () => Promise<T | null | undefined>,
  every = 4,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  for (;;) {
    const found = await probe();
    if (found !== null && found !== undefined) return found;
    if (performance.now() > end) throw new Error(`${what} did not come within ${seconds} s`);
    await pause(every);
  }
}
