/** Copies objects from one store to another, each under its key: how an instance moves to a bucket, or back. */
import type { ObjectStore } from './store.ts';

export interface Copied {
  readonly copied: number;
  readonly bytes: number;
  /** Objects that were there already. */
  readonly there: number;
}

/** Objects on their way at once. */
const atOnce = 4;

/** May be repeated: what is there with its size is left alone. `told` hears of the progress after each object. */
export async function copyObjects(
  from: ObjectStore,
  to: ObjectStore,
  told: (soFar: Copied) => void = () => undefined,
): Promise<Copied> {
  let soFar: Copied = { copied: 0, bytes: 0, there: 0 };
  const objects = from.list()[Symbol.asyncIterator]();
  async function work(): Promise<void> {
    for (;;) {
      const { value, done } = await objects.next();
      if (done) return;
      const { key, size } = value;
      if ((await to.size(key)) === size) soFar = { ...soFar, there: soFar.there + 1 };
      else {
        try {
          await to.adopt(key, from.get(key), size);
        } catch (error) {
          // Removed since it was listed, by a server that is still running.
          if ((error as NodeJS.ErrnoException).code === 'ENOENT' && !(await from.exists(key))) continue;
          throw error;
        }
        soFar = { ...soFar, copied: soFar.copied + 1, bytes: soFar.bytes + size };
      }
      told(soFar);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  return soFar;
}
